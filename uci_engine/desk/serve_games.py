"""Positions, lines and games as the page reads them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core_ext.core import Board
from uci_engine import pgn
from uci_engine.pages.boards import page_score
from uci_engine.rules import CHECKMATE, how_it_ended
from uci_engine.text import tame

if TYPE_CHECKING:
    from chess.engine import InfoDict

LONGEST_LINE = 14  # plies of a variation
MOST_TITLES = 500
MOST_MOVES = 20_000  # of a game with its variations
MOST_NESTED = 100  # variations inside each other
TITLE_LENGTH = 60
HEADER_LENGTH = 200


def describe_position(board: Board) -> dict[str, Any]:
    """Where one stands: what can be played, and whether the game is over."""
    ending = how_it_ended(board)
    winner = ("0-1" if board.turn else "1-0") if ending == CHECKMATE else "1/2-1/2"
    return {
        "fen": board.fen(),
        "legal": [move.uci() for move in board.legal_moves],
        "check": board.king(board.turn) if board.is_check() else None,
        "ending": ending,
        "result": None if ending is None else winner,
        # Who runs out of time loses only to somebody who could mate.
        "can_win": [not board.has_insufficient_material(colour) for colour in (True, False)],
    }


def describe_typed(board: Board, text: str) -> dict[str, Any]:
    """The move that somebody wrote, in any notation."""
    try:
        move = board.parse_san(text)
    except ValueError:
        try:
            move = board.parse_uci(text.lower())
        except ValueError:
            raise ValueError(f"no legal move is written {tame(text)}") from None
    return {"uci": move.uci(), "san": board.san(move)}


def describe_last(board: Board) -> dict[str, Any]:
    """The move that led here."""
    if not board.move_stack:
        return {}
    before = board.copy()
    move = before.pop()
    return {"uci": move.uci(), "san": before.san(move)}


def describe_lines(board: Board, lines: Sequence[InfoDict]) -> list[dict[str, Any]]:
    """Scores and chances are White's."""
    return [describe_line(board.copy(), info) for info in lines if info.get("pv")]


def describe_line(board: Board, info: InfoDict) -> dict[str, Any]:
    score, chances = info["score"].white(), info["wdl"].white()
    moves, sans = [], []
    for move in info["pv"][:LONGEST_LINE]:
        moves.append(move.uci())
        sans.append(board.san_and_push(move))
    return {
        "depth": info["depth"],
        "score": page_score(score.score() or 0, score.mate(), 1),
        "chance": chances.wins + chances.draws // 2,  # of a thousand
        "moves": moves,
        "sans": sans,
    }


# ---- games


def read_games(text: str, choice: int) -> dict[str, Any]:
    """The titles of the games in a PGN, and all of one of them."""
    try:
        return find_game(text, choice)
    except RecursionError:
        raise ValueError("variations are nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("the games hold half a character") from None


def find_game(text: str, choice: int) -> dict[str, Any]:
    titles: list[str] = []
    chosen: pgn.Game | None = None
    for game in pgn.read(io.BytesIO(text.encode()), comments=True, variations=True):
        if game.number - 1 == choice:
            chosen = game
        if len(titles) < MOST_TITLES:
            titles.append(title_of(game))
        elif chosen is not None:
            break
    if not titles:
        raise ValueError("there is no game in this text")
    if chosen is None:
        raise ValueError(f"there is no game number {choice + 1}")
    if chosen.problem and not chosen.moves:
        raise ValueError(chosen.problem)
    return {"titles": titles, "choice": choice, "game": describe_game(chosen)}


def title_of(game: pgn.Game) -> str:
    words = [
        f"{game.number}.",
        tame(game.headers.get("White", "?"), TITLE_LENGTH),
        "-",
        tame(game.headers.get("Black", "?"), TITLE_LENGTH),
        tame(game.result, TITLE_LENGTH),
    ]
    return " ".join(words)


def describe_game(game: pgn.Game) -> dict[str, Any]:
    headers = {
        tame(name, TITLE_LENGTH): tame(value, HEADER_LENGTH) for name, value in game.headers.items()
    }
    board = game.board()
    return {
        "headers": headers,
        "fen": board.fen(),
        "chess960": game.chess960,
        "result": game.result,
        "problem": game.problem,
        "comment": game.comments.get(-1, ""),
        "moves": LineWriter().describe(board, game, 0),
    }


class LineWriter:
    """Moves with what is said about them; each holds the variations that replace it."""

    def __init__(self) -> None:
        self.left = MOST_MOVES

    def describe(self, board: Board, line: pgn.Line, nested: int) -> list[dict[str, Any]]:
        self.left -= len(line.moves)
        if self.left < 0 or nested > MOST_NESTED:
            raise ValueError("this game has more moves than the board can show")
        told = []
        for number, move in enumerate(line.moves):
            entry: dict[str, Any] = {"uci": move.uci()}
            others = [
                {
                    "comment": other.comments.get(-1, ""),
                    "moves": self.describe(board.copy(), other, nested + 1),
                }
                for other in line.variations.get(number, [])
            ]
            entry["san"] = board.san_and_push(move)
            if number in line.comments:
                entry["comment"] = line.comments[number]
            if number in line.nags:
                entry["nags"] = line.nags[number]
            if others:
                entry["others"] = others
            told.append(entry)
        return told
