"""Where minimax does not apply as it is: three players, and two who choose at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.games import ACCEPT, DENY, prisoners
from uci_engine.lab.pictures import number
from uci_engine.lab.trees import Tree, TreeGame
from uci_engine.pages.plots import bars


def allied(game: TreeGame, state: Tree, allies: Sequence[str]) -> tuple[float, ...]:
    """What all get if some players add up what they get, and the others play for themselves."""
    if game.is_terminal(state):
        return tuple(game.utility(state, player) for player in game.players)
    mover = game.to_move(state)
    served = allies if mover in allies else [mover]
    places = [game.players.index(player) for player in served]
    results = (allied(game, game.result(state, action), allies) for action in game.actions(state))
    return max(results, key=lambda vector: sum(vector[place] for place in places))


def alliance_table(game: TreeGame) -> Table:
    """Each pair, and whether both of it would gain."""
    alone = allied(game, game.initial, ())
    rows = [["each for itself", number(alone), ""]]
    for pair in combinations(game.players, 2):
        together = allied(game, game.initial, pair)
        places = [game.players.index(player) for player in pair]
        gain = all(together[place] > alone[place] for place in places)
        rows.append(
            [" and ".join(pair), number(together), "both gain" if gain else "not both gain"]
        )
    return Table(["played together", "utilities", ""], rows, names=3, title="Alliances")


def show_prisoners() -> Outcome:
    """No tree of turns: the table of years, best replies, dominance, and what is stable."""
    game = prisoners()
    years = {
        (own, theirs): -game.payoff(0, own, theirs)
        for theirs in game.actions
        for own in game.actions
    }
    rows = [
        [f"the other: {theirs}", *(f"{years[own, theirs]:g}" for own in game.actions),
         " or ".join(game.best_replies(0, theirs))]
        for theirs in game.actions
    ]  # fmt: skip
    outcome = Outcome("Two prisoners who choose at the same time")
    outcome.tables = [
        Table(
            ["years in prison", *(f"I {own}" for own in game.actions), "best reply"],
            rows,
            title="What the first of them gets",
        )
    ]
    marks = [(f"I {own}, the other {theirs}", value) for (own, theirs), value in years.items()]
    outcome.pictures = [Picture(bars("Years in prison", marks), "Years in prison of the first")]
    stable = ", ".join(f"{first} and {second}" for first, second in game.equilibria())
    outcome.remarks = [
        "Nobody moves first, so nobody knows the other's choice: there is no tree of turns, and "
        "nothing for minimax to back up.",
        f"What is left: to {DENY} is never worse than to {ACCEPT}, whatever the other does "
        f"(dominance), and the pairs of which each is a best reply to the other are: {stable}.",
        f"Both {DENY}: {years[DENY, DENY]:g} years each, where both would have got "
        f"{years[ACCEPT, ACCEPT]:g} if they had been able to rely on each other.",
    ]
    outcome.data = {
        "game": "prisoners",
        "years": {f"{own}, {theirs}": value for (own, theirs), value in years.items()},
        "denying_dominates": game.dominates(0, DENY, ACCEPT),
        "equilibria": [list(pair) for pair in game.equilibria()],
    }
    return outcome
