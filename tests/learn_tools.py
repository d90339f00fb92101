"""Games of the engine against itself, for the tests of all that learns from them."""

from __future__ import annotations

from typing import Any

from core_ext import core


def own_games(count: int, seed: int = 1, **limits: Any) -> list[bytes]:
    """A few games of few nodes a move; those of another seed are others."""
    chosen: dict[str, Any] = {"soft_nodes": 100, "hard_nodes": 400, **limits}
    player = core.SelfPlayer(**chosen)
    games = [player.play(1000 * seed + number) for number in range(count)]
    return [game for game in games if game is not None]
