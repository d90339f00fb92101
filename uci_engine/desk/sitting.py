"""A game at the desk: who plays, the moves, the clocks, how it ends, and the PGN of it.

    sitting = Sitting(Seat("Ada"), Seat("Cythera", elo=1500, is_engine=True), parse_clock("5+3"))
    sitting.start_clock()
    sitting.play(sitting.board.parse_san("e4"))
    sitting.left_ms(chess.WHITE), sitting.ending, sitting.pgn()

The clocks are not counted down: what is left to each side stands with its last move, and only the
time since the clock was started is measured. So a move that is taken back takes its time with it,
and a game that is read from its PGN has the clocks that it had.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core_ext.core import START_FEN, Board
from uci_engine.arena.players.clock import LONGEST_SECONDS, NS_PER_MS, TimeControl
from uci_engine.arena.results.game_pgn import escape, fill_lines
from uci_engine.arena.results.record import DRAW, win_for
from uci_engine.rules import CHECKMATE

if TYPE_CHECKING:
    from core_ext.core import AnyMove, Move
    from uci_engine.pgn import Game

NO_CLOCK = TimeControl()
UNFINISHED = "*"
LONGEST_IN_MILLISECONDS = 4 * 3_600_000
TIME_FORFEIT = "time forfeit"
THREEFOLD, FIFTY_MOVES = "threefold repetition", "fifty moves"
RESULTS = {"1-0", "0-1", DRAW}
EVENT = "Game against Cythera"
ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")  # PGN wants these first
# Tags that are made anew whenever the game is written; the others stay as they are.
OWN_TAGS = {
    *("White", "Black", "Result", "WhiteElo", "BlackElo", "WhiteType", "BlackType", "TimeControl"),
    *("Variant", "SetUp", "FEN", "PlyCount", "Termination", "GameEnd"),
}


class GameOverError(ValueError):
    """Nothing can be played any more: the game has ended, perhaps by this very move's time."""


class Seat(NamedTuple):
    """Who plays a side."""

    name: str
    elo: int | None = None
    is_engine: bool = False


class Ending(NamedTuple):
    result: str  # as in PGN
    reason: str  # checkmate, agreement, ...

    def __str__(self) -> str:
        """For people: White wins by checkmate."""
        if self.result == DRAW:
            return f"The game is drawn by {self.reason}."
        return f"{'White' if self.result == '1-0' else 'Black'} wins by {self.reason}."


class Turn(NamedTuple):
    """A move that was played."""

    move: Move
    san: str
    white: bool
    spent_ms: int
    left_ms: int | None  # on the mover's clock, with the increment; None without clocks


@dataclass(frozen=True)
class SittingStart:
    """What a game begins with, whatever is played later."""

    fen: str = START_FEN
    chess960: bool = False

    def board(self) -> Board:
        return Board(self.fen, chess960=self.chess960)


class Sitting:
    """One game. Whose turn it is is told by the board; the board is changed only here."""

    def __init__(
        self,
        white: Seat,
        black: Seat,
        control: TimeControl = NO_CLOCK,
        start: SittingStart | None = None,
        *,
        tags: dict[str, str] | None = None,
        now: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.board = (start or SittingStart()).board()
        self.start = SittingStart(self.board.fen(), self.board.chess960)
        self.white, self.black = white, black
        self.control = control
        self.turns: list[Turn] = []
        self.ending: Ending | None = None
        self.tags = fresh_tags() if tags is None else tags
        self._now = now
        self._running_since: int | None = None
        self._spent_ns = 0  # by the side to move, before the clock was stopped
        self._end_by_position()

    def take_seat(self, white: bool, seat: Seat) -> None:
        """Somebody goes on for a side, or the same one at another level."""
        if white:
            self.white = seat
        else:
            self.black = seat

    def seat(self, white: bool) -> Seat:
        return self.white if white else self.black

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def ended_by_position(self) -> bool:
        """And not by anybody's word or flag: then only a move taken back reopens the game."""
        return rule_of_position(self.board) is not None

    @property
    def result(self) -> str:
        return UNFINISHED if self.ending is None else self.ending.result

    # ---- clocks

    def start_clock(self) -> None:
        """Of the side to move. It goes on with the other one after each move."""
        if self._running_since is None and not self.is_over:
            self._running_since = self._now()

    def stop_clock(self) -> None:
        """For as long as nobody plays."""
        self._spent_ns = self._measure()
        self._running_since = None

    @property
    def clock_runs(self) -> bool:
        return self._running_since is not None

    def spent_ms(self) -> int:
        """By the side to move, for the move that it has not made yet."""
        return self._measure() // NS_PER_MS

    def left_ms(self, white: bool) -> int | None:
        """On a side's clock, not below zero; None without clocks."""
        if not self.control.has_clock:
            return None
        left = self._left_before(white)
        return max(0, left - self.spent_ms()) if white == self.board.turn else left

    def check_flag(self) -> bool:
        """Has the flag of the side to move fallen? Then the game is over."""
        if not self.is_over and self.left_ms(self.board.turn) == 0:
            winner = not self.board.turn
            if self.board.has_insufficient_material(winner):
                self._end(DRAW, f"{TIME_FORFEIT} against a side that can't mate")
            else:
                self._end(win_for(winner), TIME_FORFEIT)
        return self.ending is not None and self.ending.reason.startswith(TIME_FORFEIT)

    def _measure(self) -> int:
        if self._running_since is None:
            return self._spent_ns
        return self._spent_ns + self._now() - self._running_since

    def _left_before(self, white: bool) -> int:
        """On a side's clock before the move that is being thought about."""
        told = (turn.left_ms for turn in reversed(self.turns) if turn.white == white)
        return next((left for left in told if left is not None), self.control.base_ms)

    # ---- moves

    def play(self, move: AnyMove) -> Turn:
        """Play a legal move. A GameOverError if the game has ended or the move came too late."""
        self._check_open()
        if not self.board.is_legal(move):
            raise ValueError(f"not a legal move: {move}")
        self._add(move, self.spent_ms())
        if self._running_since is not None:
            self._running_since = self._now()
        self._spent_ns = 0
        self._end_by_position()
        return self.turns[-1]

    def _add(self, move: AnyMove, spent_ms: int, left_ms: int | None = None) -> None:
        white = self.board.turn
        if left_ms is None and self.control.has_clock:
            left_ms = self._left_before(white) - spent_ms + self.control.increment_ms
        san = self.board.san_and_push(move)
        self.turns.append(Turn(self.board.peek(), san, white, spent_ms, left_ms))

    def take_back(self, plies: int = 1) -> list[Turn]:
        """Take back so many moves, also one that ended the game; those moves, the last one first.

        Their time is given back, and the clock of the side to move begins again.
        """
        if not 0 <= plies <= len(self.turns):
            raise ValueError(f"{len(self.turns)} moves can be taken back, not {plies}")
        taken = []
        for _ in range(plies):
            self.board.pop()
            taken.append(self.turns.pop())
        self.ending = None
        self._spent_ns = 0
        if self._running_since is not None:
            self._running_since = self._now()
        self._end_by_position()
        return taken

    # ---- endings

    def _end_by_position(self) -> None:
        rule = rule_of_position(self.board)
        if rule is not None:
            self._end(win_for(not self.board.turn) if rule == CHECKMATE else DRAW, rule)

    def _end(self, result: str, reason: str) -> None:
        self.stop_clock()
        self.ending = Ending(result, reason)

    def _check_open(self) -> None:
        if self.is_over or self.check_flag():
            raise GameOverError(str(self.ending))

    def resign(self, white: bool) -> None:
        self._check_open()
        self._end(win_for(not white), "resignation")

    def agree_to_draw(self) -> None:
        self._check_open()
        self._end(DRAW, "agreement")

    def claimable_draw(self, move: AnyMove | None = None) -> str | None:
        """The rule by which the side to move may claim a draw: in this position, or with the legal
        move that it is about to play. None if there is no such rule."""
        rule = claimable(self.board)
        if rule is None and move is not None:
            board = self.board.copy()
            board.push(move)
            rule = claimable(board)
        return rule

    def claim_draw(self, move: AnyMove | None = None) -> bool:
        """Claim it; False if there is nothing to claim. The move is not played."""
        self._check_open()
        reason = self.claimable_draw(move)
        if reason is not None:
            self._end(DRAW, reason)
        return reason is not None

    # ---- PGN

    def pgn(self) -> str:
        """The whole game, with the empty line that lies between games."""
        tags = "\n".join(f'[{name} "{escape(value)}"]' for name, value in self._all_tags().items())
        return f"{tags}\n\n{fill_lines(self._movetext())}\n\n"

    def _all_tags(self) -> dict[str, str]:
        own = {
            "White": self.white.name,
            "Black": self.black.name,
            "Result": self.result,
            "WhiteType": "program" if self.white.is_engine else "human",
            "BlackType": "program" if self.black.is_engine else "human",
            "TimeControl": self.control.pgn_tag(),
        }
        for name, seat in (("WhiteElo", self.white), ("BlackElo", self.black)):
            if seat.elo is not None:
                own[name] = str(seat.elo)
        if self.start.chess960:
            own["Variant"] = "Chess960"
        if self.start.fen != START_FEN or self.start.chess960:
            own |= {"SetUp": "1", "FEN": self.start.fen}
        if self.ending is None:
            own["Termination"] = "unterminated"
        else:
            flagged = self.ending.reason.startswith(TIME_FORFEIT)
            own["Termination"] = TIME_FORFEIT if flagged else "normal"
            own["GameEnd"] = self.ending.reason
        tags = {name: value for name, value in self.tags.items() if name not in OWN_TAGS} | own
        return {name: tags.get(name, "?") for name in ROSTER} | tags

    def _movetext(self) -> list[str]:
        words = []
        board = self.start.board()
        for turn in self.turns:
            dots = "." if turn.white else "..."  # after a comment the number is due again
            words.append(f"{board.fullmove_number}{dots}")
            words += [turn.san, f"{{{clock_comment(turn)}}}"]
            board.push(turn.move)
        if self.ending is not None:
            words.append(f"{{{self.ending}}}")
        return [*words, self.result]

    @classmethod
    def from_game(cls, game: Game, *, now: Callable[[], int] = time.monotonic_ns) -> Sitting:
        """A game as it was read from PGN; a ValueError says what is wrong with it."""
        if game.problem is not None:
            raise ValueError(game.problem)
        tags = {name: unescape(value) for name, value in game.headers.items()}
        sitting = cls(
            read_seat(tags, "White"),
            read_seat(tags, "Black"),
            read_control(tags.get("TimeControl", "-")),
            SittingStart(game.board().fen(), game.chess960),
            tags={name: value for name, value in tags.items() if name not in OWN_TAGS},
            now=now,
        )
        for number, move in enumerate(game.moves):
            spent_ms = round(1000 * game.times.get(number, 0.0))
            clock = game.clocks.get(number) if sitting.control.has_clock else None
            sitting._add(move, spent_ms, None if clock is None else round(1000 * clock))
        if game.result in RESULTS:
            sitting.ending = Ending(game.result, tags.get("GameEnd", "what its file says"))
        sitting._end_by_position()
        return sitting


def rule_of_position(board: Board) -> str | None:
    """By which a game is over without anybody's word; only checkmate is not a draw."""
    if board.legal_count() == 0:
        return CHECKMATE if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.is_seventyfive_moves():
        return "seventy-five moves"
    return "fivefold repetition" if board.is_fivefold_repetition() else None


def claimable(board: Board) -> str | None:
    if board.is_repetition(3):
        return THREEFOLD
    return FIFTY_MOVES if board.is_fifty_moves() else None


def fresh_tags() -> dict[str, str]:
    moment = time.localtime()
    return {
        "Event": EVENT,
        "Site": "?",
        "Date": time.strftime("%Y.%m.%d", moment),
        "Round": "-",
        "Time": time.strftime("%H:%M:%S", moment),
    }


def unescape(value: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", value)


def clock_comment(turn: Turn) -> str:
    spent = f"[%emt {clock_value(turn.spent_ms)}]"
    return spent if turn.left_ms is None else f"[%clk {clock_value(turn.left_ms)}] {spent}"


def clock_value(milliseconds: int) -> str:
    """As in PGN's comments: 0:04:57.2; exactly, so that a continued game has the same clocks.
    Beyond some hours that would be more digits than readers keep."""
    if milliseconds > LONGEST_IN_MILLISECONDS:
        milliseconds -= milliseconds % 1000
    minutes, rest = divmod(milliseconds, 60_000)
    seconds = f"{rest // 1000:02}.{rest % 1000:03}".rstrip("0").rstrip(".")
    return f"{minutes // 60}:{minutes % 60:02}:{seconds}"


def read_seat(tags: dict[str, str], colour: str) -> Seat:
    elo = tags.get(f"{colour}Elo", "")
    is_engine = tags.get(f"{colour}Type", "").lower() == "program"
    return Seat(tags.get(colour, "?"), int(elo) if elo.isdecimal() else None, is_engine)


def read_control(tag: str) -> TimeControl:
    """PGN's TimeControl; what is none of base and increment is played without clocks."""
    try:
        control = TimeControl().with_clock(tag)
    except ValueError:
        return NO_CLOCK
    return NO_CLOCK if control.moves else control


def parse_clock(text: str) -> TimeControl:
    """What people say: 5 or 5+3 are minutes and seconds a move, 1:30+1 minutes and seconds."""
    wrong = f"bad clock {text!r}, expected MINUTES[:SECONDS][+SECONDS] as in 5+3"
    base, plus, increment = text.strip().partition("+")
    minutes, colon, seconds = base.partition(":")
    try:
        parts = [float(minutes or "x") * 60, float(seconds) if colon else 0.0]
        parts.append(float(increment) if plus else 0.0)
    except ValueError:
        raise ValueError(wrong) from None
    if not all(0 <= part <= LONGEST_SECONDS for part in parts) or parts[0] + parts[1] == 0:
        raise ValueError(wrong)
    base_ms = round(1000 * (parts[0] + parts[1]))
    return TimeControl(base_ms=max(1, base_ms), increment_ms=round(1000 * parts[2]))
