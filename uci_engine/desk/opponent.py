"""The engine as an opponent in this process: a level and its pace. And as a coach."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from chess.engine import Limit

from uci_engine.desk.manners import moment_of, search_limit
from uci_engine.desk.pace import think_time
from uci_engine.engine import Engine

if TYPE_CHECKING:
    import chess
    from chess.engine import InfoDict

    from core_ext.core import Board
    from uci_engine.analysis import Analysis
    from uci_engine.desk.sitting import Sitting

# A search at a level ends by its nodes; this is for a machine that is too busy for them.
LONGEST_SEARCH_S = 10.0
MATE_CENTIPAWNS = 30_000


class EngineSettings(NamedTuple):
    threads: int = 1
    hash_mb: int = 16
    book: str | None = None
    syzygy: str | None = None


class Thought:
    """A search that is waited for, and the rest of the time that its move is to take."""

    def __init__(self, search: Analysis, rest: Callable[[chess.Move], float] | None = None) -> None:
        self.search = search
        self.rest = rest
        self.move: chess.Move | None = None
        self.error: BaseException | None = None
        self.hurry = threading.Event()
        self.has_ended = threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        try:
            self.move = self.search.wait().move
            if self.move is not None and self.rest is not None:
                self.hurry.wait(self.rest(self.move))
        except BaseException as error:
            self.error = error
        finally:
            self.has_ended.set()

    def wait(self, seconds: float) -> bool:
        return self.has_ended.wait(seconds)

    def stop(self) -> None:
        """Answer soon; from any thread."""
        self.hurry.set()
        self.search.stop()

    @property
    def found(self) -> InfoDict:
        """What the search found."""
        return self.search.info

    def score(self, white: bool) -> int:
        """In centipawns from a side; 0 if there is none."""
        score = self.found.get("score")
        return 0 if score is None else score.pov(white).score(mate_score=MATE_CENTIPAWNS)


class Opponent:
    """Who moves for the other side. Without a level it plays as well as it can."""

    def __init__(
        self, elo: int | None, settings: EngineSettings, *, seconds: float | None, is_paced: bool
    ) -> None:
        self.random = Random()
        self.seconds = seconds  # for a move at full strength without clocks
        self.is_paced = is_paced
        self.elo: int | None = None
        self.engine = Engine(**settings._asdict(), seed=self.random.getrandbits(32))
        self.set_level(elo)

    def set_level(self, elo: int | None) -> None:
        """From the next move on."""
        if elo is None:
            self.engine.configure({"UCI_LimitStrength": False})
        else:
            self.engine.configure({"UCI_LimitStrength": True, "UCI_Elo": elo})
        self.elo = elo

    def think(self, sitting: Sitting) -> Thought:
        """Begin with the next move."""
        began = time.monotonic()

        def rest(move: chess.Move) -> float:
            whole = think_time(moment_of(sitting, move), self.random)
            return max(0.0, whole - (time.monotonic() - began))

        # Played at the level and from the book, although it can be broken off like an analysis.
        search = self.engine.analysis(
            sitting.board,
            self.limit(sitting),
            game=sitting,
            options={"UCI_AnalyseMode": False},
        )
        return Thought(search, rest if self.is_paced and self.elo is not None else None)

    def limit(self, sitting: Sitting) -> Limit:
        if sitting.control.has_clock:
            return search_limit(sitting)
        if self.elo is not None:
            return Limit(time=LONGEST_SEARCH_S)
        return search_limit(sitting) if self.seconds is None else Limit(time=self.seconds)

    def close(self) -> None:
        self.engine.close()


class Coach:
    """Judges and advises at full strength. An engine of its own: the opponent at its level must not
    know what was found here."""

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings._replace(book=None)
        self.engine: Engine | None = None  # made when it is first asked

    def look(self, board: Board, limit: Limit) -> Thought:
        if self.engine is None:
            self.engine = Engine(**self.settings._asdict())
        return Thought(self.engine.analysis(board, limit))

    def close(self) -> None:
        if self.engine is not None:
            self.engine.close()
