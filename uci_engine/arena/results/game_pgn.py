"""PGN of finished games, with what the engines said about each move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from uci_engine import START_FEN, Board
from uci_engine.arena.players.said import MATE_SCORE
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.results.record import GameRecord

LINE_LENGTH = 80
COMMENT_STYLES = ("tags", "cutechess", "none")
TERMINATIONS = {
    "adjudicated win": "adjudication",
    "adjudicated draw": "adjudication",
    "tablebase": "adjudication",
    "time forfeit": "time forfeit",
    "illegal move": "rules infraction",
    "crash": "abandoned",
    "hang": "abandoned",
    "protocol": "abandoned",
    "does not start": "abandoned",
    "bad option": "abandoned",
}


@dataclass(frozen=True)
class PgnWriter:
    specs: Sequence[EngineSpec]
    event: str = "Cythera arena"
    comments: str = "tags"

    def text(self, record: GameRecord) -> str:
        board = Board(record.fen, chess960=record.chess960)
        words = self.movetext(record, board)
        tags = "\n".join(f'[{name} "{escape(value)}"]' for name, value in self.tags(record))
        return f"{tags}\n\n{fill_lines(words)}\n\n"

    def tags(self, record: GameRecord) -> list[tuple[str, str]]:
        white, black = self.specs[record.white], self.specs[record.black]
        moment = time.localtime(record.started)
        tags = [
            ("Event", self.event),
            ("Site", "?"),
            ("Date", time.strftime("%Y.%m.%d", moment)),
            ("Round", f"{record.pair + 1}.{record.number + 1}"),
            ("White", white.name),
            ("Black", black.name),
            ("Result", record.result),
            ("Time", time.strftime("%H:%M:%S", moment)),
        ]
        if white.control == black.control:
            tags.append(("TimeControl", white.control.pgn_tag()))
        else:
            tags.append(("WhiteTimeControl", white.control.pgn_tag()))
            tags.append(("BlackTimeControl", black.control.pgn_tag()))
        if record.chess960:
            tags.append(("Variant", "Chess960"))
        if record.fen != START_FEN or record.chess960:
            tags += [("SetUp", "1"), ("FEN", record.fen)]
        tags.append(("PlyCount", str(len(record.moves))))
        tags.append(("Termination", TERMINATIONS.get(record.reason, "normal")))
        tags.append(("GameEnd", record.ending))
        return tags

    def movetext(self, record: GameRecord, board: Board) -> list[str]:
        words = []
        number_due = True
        for index, text in enumerate(record.moves):
            move = board.parse_uci(text)
            if board.turn:
                words.append(f"{board.fullmove_number}.")
            elif number_due:
                words.append(f"{board.fullmove_number}...")
            comment = self.comment(record, index - record.opening_plies, board.turn)
            words += [board.san(move), comment] if comment else [board.san(move)]
            number_due = bool(comment)
            board.push(move)
        detail = f": {record.detail}" if record.detail else ""
        words.append(f"{{{record.reason}{detail}}}".replace("\n", " "))
        words.append(record.result)
        return words

    def comment(self, record: GameRecord, index: int, white: bool) -> str:
        if index < 0 or self.comments == "none":
            return "" if self.comments == "none" else "{book}"
        score, depth = record.scores[index], record.depths[index]
        mate = record.mates.get(str(index))
        seconds = record.times_ms[index] / 1000
        if self.comments == "cutechess":
            if score is None:
                return f"{{{seconds:.3f}s}}"
            return f"{{{mover_score(score, mate)}/{depth or 0} {seconds:.3f}s}}"
        spent = f"[%emt {int(seconds // 3600)}:{int(seconds // 60 % 60):02}:{seconds % 60:06.3f}]"
        if score is None:
            return f"{{{spent}}}"
        known_depth = f",{depth}" if depth is not None else ""
        return f"{{[%eval {white_score(score, mate, white)}{known_depth}] {spent}}}"


def fill_lines(words: Sequence[str]) -> str:
    """A comment is one word here: some readers want it on one line."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) >= LINE_LENGTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def white_score(score: int, mate: int | None, white: bool) -> str:
    sign = 1 if white else -1
    return f"#{sign * mate}" if mate else f"{sign * score / 100:.2f}"


def mover_score(score: int, mate: int | None) -> str:
    if mate:
        return f"{'+' if mate > 0 else '-'}M{abs(2 * mate - (mate > 0))}"
    if abs(score) == MATE_SCORE:
        return "-M0"
    return f"{score / 100:+.2f}"


def escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
