"""One game between two players."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from uci_engine import START_FEN, Board
from uci_engine.arena.play.adjudication import Adjudication, Ending, ScoreWatch, ending_by_rule
from uci_engine.arena.play.notices import Hearer, limit_notice
from uci_engine.arena.play.runner import TaskCancelled
from uci_engine.arena.players.clock import Clock
from uci_engine.arena.players.player import Answer, Player, Situation
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.said import MATE_SCORE
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.arena.results.record import GameRecord, win_for
from uci_engine.text import tame


@dataclass(frozen=True)
class Opening:
    """Where a game starts: a position and moves from it."""

    fen: str = START_FEN
    moves: tuple[str, ...] = ()
    chess960: bool = False


@dataclass(frozen=True)
class GameTask:
    """A game to be played. `number` is its place in the schedule, and its name when resuming."""

    number: int
    pair: int  # games with the same opening and the same two players, colours reversed
    white: int  # which engine
    black: int
    opening: Opening
    opening_number: int


class Game:
    def __init__(
        self,
        task: GameTask,
        specs: tuple[EngineSpec, EngineSpec],
        limits: Adjudication,
        tablebase: Callable[[Board, Hearer], Ending | None] | None = None,
        tell: Hearer = lambda _: None,
    ) -> None:
        opening = task.opening
        self.board = Board(opening.fen, chess960=opening.chess960)
        self.limits = limits
        self.tablebase = tablebase
        self.tell = tell
        self.watch = ScoreWatch(limits)
        self.specs = {True: specs[0], False: specs[1]}
        clocks = [Clock(spec.control, spec.margin_ms) for spec in specs]
        self.situation = Situation(
            fen=opening.fen,
            standard_start=opening.fen == START_FEN and not opening.chess960,
            chess960=opening.chess960,
            moves=[],
            board=self.board,
            white_to_move=True,
            white_clock=clocks[0],
            black_clock=clocks[1],
        )
        self.record = GameRecord(
            task.number,
            task.pair,
            task.white,
            task.black,
            opening.fen,
            opening.chess960,
            len(opening.moves),
            task.opening_number,
        )
        for move in opening.moves:
            self.make_move(move)

    def make_move(self, move: str) -> None:
        self.board.push_uci(move)
        self.situation.moves.append(move)

    def play(
        self, players: tuple[Player, Player], cancelled: Callable[[], bool] = lambda: False
    ) -> GameRecord:
        """Play to the end. A player that fails has been closed when this returns."""
        sides = {True: players[0], False: players[1]}
        record = self.record
        record.started = time.time()
        start = time.monotonic()
        ending = self.prepare(sides) or self.run(sides, cancelled)
        record.seconds = round(time.monotonic() - start, 3)
        for player in players:
            player.end_game(ending.result)
        return self.finish(ending)

    def finish(self, ending: Ending) -> GameRecord:
        record = self.record
        record.started = record.started or time.time()
        record.result, record.reason, record.detail = ending.result, ending.reason, ending.detail
        record.moves = self.situation.moves
        return record

    def prepare(self, sides: dict[bool, Player]) -> Ending | None:
        for white, player in sides.items():
            try:
                player.new_game(self.situation)
            except EngineError as error:
                player.close()
                return self.failure(white, error.kind, error.detail)
        return None

    def run(self, sides: dict[bool, Player], cancelled: Callable[[], bool]) -> Ending:
        ending = ending_by_rule(self.board)
        while ending is None:
            if cancelled():
                raise TaskCancelled
            white = self.board.turn
            self.situation.white_to_move = white
            try:
                answer = sides[white].play(self.situation)
            except EngineError as error:
                sides[white].close()
                if cancelled():
                    raise TaskCancelled from None
                return self.failure(white, error.kind, error.detail)
            ending = self.take(white, answer)
            if ending is None and self.specs[white].ponder and answer.ponder:
                self.let_ponder(sides[white], white, answer.ponder)
        return ending

    def take(self, white: bool, answer: Answer) -> Ending | None:
        """Judge an answer and make its move."""
        if (notice := limit_notice(self.specs[white], answer)) is not None:
            self.tell(notice)
        clock = self.situation.clock
        left_ms = clock.left_ns / 1e6
        if not clock.charge(answer.used_ns):
            limit = f"{left_ms:.0f} ms left" if clock.control.has_clock else "over the move's time"
            return self.failure(
                white, "time forfeit", f"used {answer.used_ns / 1e6:.0f} ms, {limit}"
            )
        if answer.resigns:
            return Ending(win_for(not white), "resignation")
        try:
            move = self.board.parse_uci(answer.move)
            if not move:
                raise ValueError("null move")
            self.board.push(move)
        except ValueError:
            return self.failure(white, "illegal move", tame(repr(answer.move)))
        self.note(answer, move.uci(), white)
        return (
            ending_by_rule(self.board)
            or self.watch.verdict(self.board)
            or (self.tablebase(self.board, self.tell) if self.tablebase else None)
        )

    def note(self, answer: Answer, move: str, white: bool) -> None:
        record = self.record
        self.situation.moves.append(move)
        score = answer.score
        if answer.mate is not None:
            record.mates[str(len(record.scores))] = answer.mate
            score = MATE_SCORE if answer.mate > 0 else -MATE_SCORE
        record.scores.append(score)
        record.depths.append(answer.depth)
        record.times_ms.append(round(answer.used_ns / 1e6, 1))
        record.nodes[0 if white else 1] += answer.nodes or 0
        self.watch.see(white, score)

    def let_ponder(self, player: Player, white: bool, reply: str) -> None:
        """Only a legal reply is thought about: an illegal one could bring an engine down."""
        try:
            if not self.board.is_legal(reply):
                return
        except ValueError:
            return
        situation = self.situation
        situation.white_to_move = white
        situation.moves.append(reply)
        try:
            player.ponder(situation)
        except EngineError:
            pass  # it shows when the player has to move
        finally:
            situation.moves.pop()

    def failure(self, white: bool, reason: str, detail: str) -> Ending:
        self.record.guilty = self.record.white if white else self.record.black
        return Ending(win_for(not white), reason, detail)
