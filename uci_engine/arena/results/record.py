"""A finished game: all that PGN, statistics and reports are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

WHITE_WINS, BLACK_WINS, DRAW = "1-0", "0-1", "1/2-1/2"


def win_for(white: bool) -> str:
    return WHITE_WINS if white else BLACK_WINS


@dataclass
class GameRecord:
    number: int
    pair: int
    white: int
    black: int
    fen: str
    chess960: bool
    opening_plies: int
    opening_number: int
    result: str = "*"
    reason: str = ""
    detail: str = ""
    guilty: int | None = None  # the engine that broke off or broke a rule
    moves: list[str] = field(default_factory=list)
    scores: list[int | None] = field(default_factory=list)  # centipawns, the mover's side
    mates: dict[str, int] = field(default_factory=dict)  # by index in scores
    depths: list[int | None] = field(default_factory=list)
    times_ms: list[float] = field(default_factory=list)
    nodes: list[int] = field(default_factory=lambda: [0, 0])  # White's, Black's
    started: float = 0.0  # Unix time
    seconds: float = 0.0

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return f"{self.reason} ({self.detail})" if self.detail else self.reason
