"""All algorithms and evaluations against each other, with ratings."""

from __future__ import annotations

import argparse

from core_ext.core import Board
from uci_engine.arena.play.tournament import Tournament
from uci_engine.arena.results.ratings import fit_ratings
from uci_engine.arena.results.record import GameRecord
from uci_engine.arguments import number_between
from uci_engine.lab.findings import Outcome, Picture, Table
from uci_engine.lab.matches import Progress, make_spec, play
from uci_engine.lab.studies import Tell
from uci_engine.pages.plots import error_bars

PLAYERS = {
    "pvs nnue": {"Algorithm": "pvs", "Evaluation": "nnue"},
    "pvs classical": {"Algorithm": "pvs", "Evaluation": "classical"},
    "pvs material": {"Algorithm": "pvs", "Evaluation": "material"},
    "mcts classical": {"Algorithm": "mcts", "Evaluation": "classical"},
    "mcts playouts": {"Algorithm": "mcts", "MCTS_Simulation": "random", "MCTS_Priors": "false"},
    "quiescence classical": {"Algorithm": "alphabeta-quiescence", "Evaluation": "classical"},
    "quiescence material": {"Algorithm": "alphabeta-quiescence", "Evaluation": "material"},
    "alphabeta turing": {"Algorithm": "alphabeta", "Evaluation": "turing"},
    "alphabeta material": {"Algorithm": "alphabeta", "Evaluation": "material"},
    "minimax material": {"Algorithm": "minimax", "Evaluation": "material"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--time", type=number_between(1, 60_000), default=15, help="milliseconds a move (15)")
    add("--games", type=number_between(2, 10_000), default=2, help="of each pairing (2)")
    add("--seed", type=number_between(0, 2**32 - 1), default=1, help="of the openings (1)")


class Measure(Progress):
    """Also counts plies and legal moves, of the openings, too."""

    def __init__(self, tell: Tell, title: str) -> None:
        super().__init__(tell, title)
        self.games = self.plies = self.choices = 0

    def game(self, tournament: Tournament, record: GameRecord) -> None:
        super().game(tournament, record)
        board = Board(record.fen)
        self.games += 1
        for move in record.moves:
            self.plies += 1
            self.choices += board.legal_count()
            board.push_uci(move)

    @property
    def branching(self) -> float:
        return self.choices / max(self.plies, 1)

    @property
    def length(self) -> float:
        return self.plies / max(self.games, 1)


def run(options: argparse.Namespace, tell: Tell) -> Outcome:
    specs = [make_spec(name, options.time, **chosen) for name, chosen in PLAYERS.items()]
    measured = Measure(tell, "round robin")
    standings = play(specs, options.games, options.seed, measured)
    fit = fit_ratings(standings.by_colour, len(specs))
    names = standings.names
    rows = []
    for rating in fit.ratings:
        total = standings.total(rating.player)
        rows.append([names[rating.player], f"{rating.elo:+.0f}", f"±{rating.error:.0f}",
                     str(total.games), f"{total.points:g}"])  # fmt: skip
    outcome = Outcome("The ladder: every algorithm and evaluation")
    outcome.tables = [Table(["player", "Elo", "95%", "games", "points"], rows)]
    marks = [(names[rating.player], rating.elo, rating.error) for rating in fit.ratings]
    outcome.pictures = [Picture(error_bars("Ratings", marks), "Ratings, relative to the mean")]
    outcome.remarks = [
        f"A round robin with {options.time} milliseconds a move and {options.games} games of each "
        "pairing; more games make the intervals smaller (--games).",
        f"{measured.branching:.0f} moves were legal in a position on average, and a game was "
        f"decided after {measured.length:.0f} plies; the notes say about 35 moves, and 80 to 100 "
        "plies to the end of a game.",
    ]
    outcome.data = {
        "time_ms": options.time,
        "games": options.games,
        "branching": measured.branching,
        "length": measured.length,
        "ratings": {
            names[rating.player]: {"elo": rating.elo, "error": rating.error}
            for rating in fit.ratings
        },
    }
    return outcome
