"""The lab's games and algorithms against what is known about them for certain."""

from __future__ import annotations

import itertools
from math import comb, factorial, inf, log, sqrt
from random import Random

import chess
import pytest

from uci_engine import Board
from uci_engine.lab import chess_game, mcts, trees
from uci_engine.lab.algorithms import (
    alphabeta,
    expectimax,
    expectiminimax,
    heuristic_alphabeta,
    heuristic_minimax,
    iterative_deepening,
    minimax,
    minimax_n,
    negamax,
    static,
)
from uci_engine.lab.game import CHANCE, MAX, MIN, Visits
from uci_engine.lab.games import (
    ACCEPT,
    DENY,
    STEP,
    TOSS,
    DiceRace,
    Heap,
    Race,
    TakingGame,
    TicTacToe,
    coin_game,
    nim,
    open_lines,
    prisoners,
)

pytestmark = pytest.mark.release_only


# ---- tic-tac-toe


def all_states(game: TicTacToe) -> set[str]:
    found, todo = {game.initial}, [game.initial]
    while todo:
        state = todo.pop()
        if not game.is_terminal(state):
            new = {game.result(state, action) for action in game.actions(state)} - found
            found |= new
            todo += new
    return found


def test_tic_tac_toe_has_5478_states_and_is_a_draw() -> None:
    game, visits = TicTacToe(), Visits()
    assert len(all_states(game)) == 5478
    assert minimax(game, game.initial, visits)[0] == 0
    assert visits.leaves == 255_168 < 362_880  # games, fewer than 9! because some end early


def test_alpha_beta_agrees_with_minimax_in_every_state_of_tic_tac_toe() -> None:
    game = TicTacToe()
    deep = [state for state in all_states(game) if state.count(".") <= 4]
    for state in deep:
        expected, _ = minimax(game, state, Visits())
        assert alphabeta(game, state, Visits())[0] == expected
        mover = 1 if game.to_move(state) == MAX else -1
        assert negamax(game, state, Visits(), sign=mover)[0] == mover * expected


@pytest.mark.parametrize(
    ("state", "value"),
    [
        ("....x....", 8 - 4),  # the four lines through the middle are closed to MIN
        ("x........", 8 - 5),
        ("x...o....", 4 - 5),
        ("xo.......", 6 - 5),
        ("xxxoo....", inf),
        ("xx.ooox..", -inf),
    ],
)
def test_open_lines_are_counted_as_in_the_notes(state: str, value: float) -> None:
    assert open_lines(state) == value


# ---- heaps


@pytest.mark.parametrize("stones", range(1, 16))
def test_nim_is_lost_when_a_multiple_of_four_is_left(stones: int) -> None:
    found = alphabeta(nim(stones), nim(stones).initial, Visits())
    assert found[0] == (-1 if stones % 4 == 0 else 1)
    if found[0] == 1:
        assert found[1] == stones % 4


@pytest.mark.parametrize("coins", range(1, 14))
def test_the_coin_game_is_lost_when_one_more_than_a_multiple_of_three_is_left(coins: int) -> None:
    """With four coins: go second."""
    game = coin_game(coins)
    assert minimax(game, game.initial, Visits())[0] == (-1 if coins % 3 == 1 else 1)


def test_a_heap_that_is_no_game_is_refused() -> None:
    with pytest.raises(ValueError, match="no game"):
        TakingGame(-1, 3, True)


# ---- trees


@pytest.mark.parametrize(("x", "y"), list(itertools.product([-100, 2, 3, 4, 100], repeat=2)))
def test_the_two_ply_tree_is_worth_3_whatever_x_and_y_are(x: float, y: float) -> None:
    seen: list[object] = []

    class Watch(Visits):
        def enter(
            self, state: object, alpha: float | None = None, beta: float | None = None
        ) -> None:
            super().enter(state)
            seen.append(state)

    tree = trees.two_ply_tree(x, y)
    assert isinstance(tree, trees.Branch)
    middle = tree.children[1]
    assert isinstance(middle, trees.Branch)
    game = trees.TreeGame(tree)
    assert minimax(game, tree, Visits()) == (3, 0)
    visits = Watch()
    assert alphabeta(game, tree, visits) == (3, 0)
    unseen = middle.children[1:]
    assert not any(leaf is other for leaf in unseen for other in seen)
    assert visits.leaves == 7


def test_pruning_never_changes_the_value_of_the_root() -> None:
    rng = Random(12)
    for _ in range(2000):
        tree = trees.ragged_tree(rng, 4, 5, rng.choice([1, 5, 1000]))
        game = trees.TreeGame(tree)
        plain, pruned, one = Visits(), Visits(), Visits()
        expected = minimax(game, tree, plain)
        assert alphabeta(game, tree, pruned) == expected  # the first of equal actions, too
        assert negamax(game, tree, one) == expected
        assert one.nodes == pruned.nodes <= plain.nodes


SHAPES = [(3, 4), (4, 4), (3, 5), (5, 3), (2, 8)]


@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_perfect_order_visits_what_theory_says(branching: int, depth: int) -> None:
    """b^⌈d/2⌉ + b^⌊d/2⌋ - 1 leaves (Knuth and Moore)."""
    rng = Random(branching * depth)
    values = rng.sample(range(10**6), branching**depth)

    def nested(depth: int) -> object:
        return values.pop() if depth == 0 else [nested(depth - 1) for _ in range(branching)]

    def sort(tree: trees.Tree) -> tuple[float, trees.Tree]:
        if isinstance(tree, trees.Leaf):
            return tree.utilities[0], tree
        rows = [sort(child) for child in tree.children]
        rows.sort(key=lambda row: row[0], reverse=tree.player == MAX)
        return rows[0][0], trees.Branch(tree.player, tuple(child for _, child in rows))

    value, tree = sort(trees.grow(nested(depth)))
    visits = Visits()
    assert alphabeta(trees.TreeGame(tree), tree, visits)[0] == value
    assert visits.leaves == branching ** ((depth + 1) // 2) + branching ** (depth // 2) - 1


@pytest.mark.parametrize(("branching", "depth"), SHAPES)
def test_the_worst_order_saves_nothing(branching: int, depth: int) -> None:
    """Every leaf is a little better for its side than all before: nothing can be cut."""

    def nested(first: int, depth: int, rising: bool) -> object:
        if depth == 0:
            return first
        part = branching ** (depth - 1)
        starts = [first + part * number for number in range(branching)]
        return [nested(s, depth - 1, not rising) for s in (starts if rising else starts[::-1])]

    tree = trees.grow(nested(0, depth, True))
    visits = Visits()
    assert alphabeta(trees.TreeGame(tree), tree, visits) == minimax(
        trees.TreeGame(tree), tree, Visits()
    )
    assert visits.leaves == branching**depth
    assert visits.cutoffs == 0


def test_three_players_each_take_what_is_best_for_themselves() -> None:
    """By hand: C takes (1,2,6), (6,1,2), (1,5,2), (5,4,5); B (1,2,6), (1,5,2); A takes either."""
    tree = trees.three_player_tree()
    game = trees.TreeGame(tree, trees.THREE_PLAYERS)
    assert minimax_n(game, tree, trees.THREE_PLAYERS, Visits()) == ((1, 2, 6), 0)


def test_two_players_are_a_case_of_many() -> None:
    rng = Random(3)
    for _ in range(200):
        tree = trees.ragged_tree(rng, 3, 4)
        game = trees.TreeGame(tree)
        found = minimax_n(game, tree, (MAX, MIN), Visits())
        assert (found[0][0], found[1]) == minimax(game, tree, Visits())
        assert found[0][1] == -found[0][0]


def test_chance_is_averaged() -> None:
    """0.9·2 + 0.1·1 = 1.9 and 0.9·1 + 0.1·4 = 1.3 for MAX against MIN."""
    tree = trees.chance_tree()
    game = trees.TreeGame(tree)
    found = expectiminimax(game, tree, Visits())
    assert found[0] == pytest.approx(1.9)
    assert found[1] == 0
    # Alone against chance MAX takes the best leaf everywhere: 0.9·3 + 0.1·4, 0.9·20 + 0.1·30.
    alone = expectimax(game, tree, Visits())
    assert alone[0] == pytest.approx(21.0)
    assert alone[1] == 1


@pytest.mark.parametrize("text", ["", "[]", "[[3], []]", "{}", '["a"]', "[1, true]", "[" * 5000])
def test_what_is_no_tree_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="no tree"):
        trees.read_tree(text)


def test_a_tree_can_be_written_down() -> None:
    assert trees.read_tree("[[3, 12, 8], [2, 4, 6], [14, 5, 2]]") == trees.two_ply_tree()


# ---- dice


def test_the_dice_race_is_won_one_step_before_the_goal() -> None:
    game = DiceRace(2)
    assert expectiminimax(game, game.initial, Visits()) == (1, STEP)


def test_the_dice_race_by_hand() -> None:
    """MIN will win with its next step: MAX must toss a five or a six now."""
    game = DiceRace(4)
    state = Race((0, 2), MAX)
    found = expectiminimax(game, state, Visits())
    assert found[0] == pytest.approx(2 / 6 - 4 / 6)
    assert found[1] == TOSS
    tossed = game.result(state, TOSS)
    chances = [game.probability(tossed, face) for face in game.actions(tossed)]
    assert sum(chances) == pytest.approx(1)


def test_the_dice_race_agrees_with_simulation() -> None:
    game = DiceRace(4)
    expected, _ = expectiminimax(game, game.initial, Visits())
    rng = Random(1)
    choice: dict[Race, str | None] = {}
    total = 0.0
    games = 4000
    for _ in range(games):
        state = game.initial
        while not game.is_terminal(state):
            action: str | None = rng.choice(game.actions(state))
            if game.to_move(state) != CHANCE:
                if state not in choice:
                    choice[state] = expectiminimax(game, state, Visits())[1]
                action = choice[state]
            assert action is not None
            state = game.result(state, action)
        total += game.utility(state, MAX)
    assert abs(total / games - expected) < 4 / sqrt(games)  # four standard deviations


# ---- the prisoners


def test_denying_is_never_worse_and_no_pair_agrees_to_accept() -> None:
    game = prisoners()
    for player in (0, 1):
        assert game.dominates(player, DENY, ACCEPT)
        assert not game.dominates(player, DENY, ACCEPT, strictly=True)
        assert game.best_replies(player, ACCEPT) == [DENY]
    assert (DENY, DENY) in game.equilibria()
    assert (ACCEPT, ACCEPT) not in game.equilibria()
    # Both would be better off with what neither can rely on.
    assert all(
        game.payoffs[ACCEPT, ACCEPT][player] > game.payoffs[DENY, DENY][player] for player in (0, 1)
    )


# ---- a horizon


def test_a_cut_off_at_the_end_of_the_game_is_no_cut_off() -> None:
    game = TicTacToe()
    state = "xo.xo...."
    deep, _ = heuristic_minimax(game, state, lambda _, depth: depth >= 9, open_lines, Visits())
    assert deep == minimax(game, state, Visits())[0]


def test_iterative_deepening_finds_what_a_fixed_depth_finds_with_fewer_visits() -> None:
    """In total: the order of the earlier depths pays for them."""
    rng = Random(9)
    saved = 0
    for _ in range(10):
        tree = trees.random_tree(rng, 5, 4, 10_000)
        game = trees.TreeGame(tree)

        def rough(state: trees.Tree, game: trees.TreeGame = game) -> float:
            """What is to be expected below: the mean of the leaves."""
            if isinstance(state, trees.Leaf):
                return state.utilities[0]
            values = [rough(child) for child in state.children]
            return sum(values) / len(values)

        steps, fixed = Visits(), Visits()
        deepening = iterative_deepening(game, tree, 4, static(rough), steps)
        found = list(deepening)
        expected = heuristic_alphabeta(game, tree, 4, static(rough), fixed)
        assert found[-1][1] == expected[0]
        assert [depth for depth, *_ in found] == [1, 2, 3, 4]
        last = Visits()
        again: dict[trees.Tree, int] = {}
        for depth in range(1, 5):
            last = Visits()
            heuristic_alphabeta(game, tree, depth, static(rough), last, best=again)
        saved += fixed.nodes - last.nodes
    assert saved > 0


# ---- Monte Carlo


@pytest.mark.parametrize(
    ("c", "much_visited", "little_visited"), [(1.4, 1.10, 1.09), (1.5, 1.12, 1.15)]
)
def test_ucb1_gives_the_figures_of_the_notes(
    c: float, much_visited: float, little_visited: float
) -> None:
    """C decides: with 1.4 the child that wins more is chosen, with 1.5 the one seen less."""
    first, second = mcts.ucb1(60, 79, 100, c), mcts.ucb1(2, 11, 100, c)
    assert (round(first, 2), round(second, 2)) == (much_visited, little_visited)
    assert (first > second) == (much_visited > little_visited)
    assert mcts.ucb1(0, 0, 100, c) == inf


def test_back_propagation_is_that_of_the_notes() -> None:
    """Black (here MIN) wins a playout: its nodes gain a win, White's only a visit."""

    Node = mcts.Node[str, int]

    def node(player: str, wins: int, visits: int, parent: Node | None = None) -> Node:
        return mcts.Node("", player, parent, wins=wins, visits=visits)

    root = node(MAX, 37, 100)
    first = node(MIN, 60, 79, root)
    second = node(MAX, 16, 53, first)
    third = node(MIN, 27, 35, second)
    mcts.back_propagate(third, wins_of_max=0)
    shares = [(each.wins, each.visits) for each in (root, first, second, third)]
    assert shares == [(37, 101), (61, 80), (16, 54), (28, 36)]


def test_priors_steer_and_visits_outweigh_them() -> None:
    assert mcts.puct(0, 0, 100, 0.9) > mcts.puct(0, 0, 100, 0.1)
    assert mcts.puct(900, 1000, 2000, 0.1) > mcts.puct(100, 1000, 2000, 0.9)
    assert mcts.puct(5, 10, 100, 0.5, 2.0) == 0.5 + 2.0 * 0.5 * 10 / 11


@pytest.mark.parametrize("stones", [5, 6, 7, 9, 10, 11])
def test_mcts_converges_to_the_minimax_move_in_nim(stones: int) -> None:
    game = nim(stones)
    root = mcts.mcts(game, game.initial, 3000, Random(stones))
    best = mcts.most_visited(root)
    assert best.action == stones % 4
    shares = []
    for playouts in (100, 1000, 3000):
        grown = mcts.mcts(game, game.initial, playouts, Random(1))
        right = next(child for child in grown.children if child.action == stones % 4)
        shares.append(right.visits / grown.visits)
    assert shares[0] < shares[-1] > 0.8


@pytest.mark.parametrize("state", ["xx.oo....", "x.x.o..o.", "o.x.x...."])
def test_mcts_finds_the_only_move_in_tic_tac_toe(state: str) -> None:
    game = TicTacToe()
    best, _ = minimax(game, state, Visits())
    good = {
        action
        for action in game.actions(state)
        if minimax(game, game.result(state, action), Visits())[0] == best
    }
    root = mcts.mcts(game, state, 2000, Random(4))
    assert mcts.most_visited(root).action in good
    assert sum(child.visits for child in root.children) == root.visits - 1


def test_the_counts_of_a_tree_add_up() -> None:
    game = TicTacToe()
    root = mcts.mcts(game, game.initial, 500, Random(2))
    todo = [root]
    while todo:
        node = todo.pop()
        assert 0 <= node.wins <= node.visits
        if node.children:
            assert node.visits == 1 + sum(child.visits for child in node.children)
            todo += node.children


def test_thinking_stops_when_it_can_no_longer_change_the_move() -> None:
    root = mcts.Node[str, int]("", MIN)
    root.children = [
        mcts.Node("", MAX, root, action, visits=n) for action, n in enumerate((70, 20))
    ]
    assert mcts.is_decided(root, 49)
    assert not mcts.is_decided(root, 50)
    del root.children[1]
    assert mcts.is_decided(root, 10**6)


def test_pure_monte_carlo_estimates_the_share_of_random_games_won() -> None:
    """Two stones: taking both wins for certain, taking one loses for certain."""
    assert mcts.pure_mcts(nim(2), Heap(2, MAX), 50, Random(1)) == {1: 0, 2: 1}
    # Three stones: after taking one, the opponent takes one (and loses) or two, half of the time.
    share = mcts.pure_mcts(nim(3), Heap(3, MAX), 4000, Random(1))[1]
    assert abs(share - 0.5) < 4 * 0.5 / sqrt(4000)


# ---- chess


@pytest.mark.parametrize(
    "fen", ["startpos", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"]
)
def test_unsettled_moves_are_python_chess_s_captures_and_promotions(fen: str) -> None:
    rng = Random(7)
    reference = chess.Board() if fen == "startpos" else chess.Board(fen)
    for _ in range(120):
        if reference.is_game_over():
            break
        expected = {
            move
            for move in reference.legal_moves
            if reference.is_check() or reference.is_capture(move) or move.promotion
        }
        assert set(chess_game.unsettled(Board(reference))) == expected
        reference.push(rng.choice(list(reference.legal_moves)))


def test_evaluations_of_material_by_hand() -> None:
    start = Board()
    assert chess_game.material(start) == chess_game.turing(start) == 0
    assert chess_game.turing_points(start, True) == 8 + 2 * 3 + 7 + 2 * 5 + 9
    queen_for_rook = Board("3rk3/8/8/8/8/8/8/3QK3 w - - 0 1")
    assert chess_game.material(queen_for_rook) == 400
    assert chess_game.turing_ratio(queen_for_rook) == 9 / 5
    assert chess_game.turing(queen_for_rook) == round(4000 * log(9 / 5))
    pair = Board("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1")
    assert chess_game.turing_points(pair, True) == 7
    bare = chess_game.turing_points(pair, False)
    assert bare == 0
    assert chess_game.turing(pair) > 0


def test_chess_through_the_lab_s_eyes() -> None:
    game = chess_game.Chess()
    assert game.to_move(game.initial) == MAX
    assert len(game.actions(game.initial)) == 20
    child = game.result(game.initial, game.actions(game.initial)[0])
    assert game.initial == Board()  # states stay as they are
    assert game.to_move(child) == MIN
    mate = chess_game.Chess("6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1")
    found = heuristic_minimax(
        mate, mate.initial, lambda _, depth: depth >= 2, chess_game.material, Visits()
    )
    assert (found[0], str(found[1])) == (chess_game.MATE - 1, "b1b8")


def test_figures_of_the_notes_that_are_arithmetic() -> None:
    """35^80 is about 10^123; backgammon's depth 4 is 1.5·10^9, where the notes print 1.2·10^9. Of
    the positions that are legal, by the notes about 10^40, Shannon's formula makes 10^43."""
    assert 10**123 < 35**80 < 10**124
    rolls = comb(6, 2) + 6
    assert rolls == 21
    assert 20 * (rolls * 20) ** 3 == 1_481_760_000
    shannon = factorial(64) // (factorial(32) * factorial(8) ** 2 * factorial(2) ** 6)
    assert 10**42 < shannon < 10**43
