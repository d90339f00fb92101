"""Remarks on engines and files, made where they play and shown where somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from uci_engine.arena.players.player import Answer
from uci_engine.arena.players.spec import EngineSpec


class Notice(NamedTuple):
    about: str  # what makes it the same remark, to be shown once
    text: str


Hearer = Callable[[Notice], object]


def limit_notice(spec: EngineSpec, answer: Answer) -> Notice | None:
    """For an engine that ignores its limit: its games are not what was asked for."""
    breach = spec.control.breach(answer.nodes, answer.depth, answer.stopped)
    if not breach:
        return None
    return Notice(f"{spec.name} {breach.partition(':')[0]}", f"{spec.name} ignores {breach}")


def show_once(show: Callable[[str], object]) -> Hearer:
    heard: set[str] = set()

    def hear(notice: Notice) -> None:
        if notice.about not in heard:
            heard.add(notice.about)
            show(notice.text)

    return hear
