"""Time controls, and the clock of one side in one game."""

from __future__ import annotations

from dataclasses import dataclass, replace

NS_PER_MS = 1_000_000
LONGEST_SECONDS = 10**7
# Engines look at their node counts only now and then: what is above this is no oversight.
NODES_FACTOR, NODES_SLACK = 2, 4096


@dataclass(frozen=True)
class TimeControl:
    """What limits a move. Zero means: not limited by this."""

    moves: int = 0
    base_ms: int = 0
    increment_ms: int = 0
    movetime_ms: int = 0
    nodes: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_count(name, value)

    @property
    def has_clock(self) -> bool:
        return self.base_ms > 0

    @property
    def limits_move(self) -> bool:
        """Is there a limit that is the same for each move?"""
        return any((self.movetime_ms, self.nodes, self.depth))

    @property
    def limits_something(self) -> bool:
        return self.has_clock or self.limits_move

    def breach(self, nodes: int | None, depth: int | None, stopped: bool) -> str:
        """Which limit of a move the engine ignored, by what it said, and how; or nothing."""
        if self.nodes and (nodes or 0) > NODES_FACTOR * self.nodes + NODES_SLACK:
            return f"nodes={self.nodes}: {nodes} nodes in one move"
        if self.depth and (depth or 0) > self.depth:
            return f"depth={self.depth}: depth {depth} in one move"
        if stopped and not self.has_clock and not self.movetime_ms:
            limit = f"nodes={self.nodes}" if self.nodes else f"depth={self.depth}"
            return f"{limit}: no move before it was told to stop"
        return ""

    def with_clock(self, text: str) -> TimeControl:
        """Add `[MOVES/]BASE[+INCREMENT]`, where BASE is seconds or minutes:seconds, or `inf`."""
        if text == "inf":
            return replace(self, moves=0, base_ms=0, increment_ms=0)
        wrong = f"bad time control {text!r}, expected [MOVES/][MINUTES:]SECONDS[+SECONDS] or inf"
        moves, slash, rest = text.rpartition("/")
        base, plus, increment = rest.partition("+")
        if (slash and not moves.isdecimal()) or (plus and not increment):
            raise ValueError(wrong)
        minutes, colon, seconds = base.rpartition(":")
        try:
            base_ms = milliseconds(seconds) + (60 * milliseconds(minutes) if colon else 0)
            increment_ms = milliseconds(increment) if plus else 0
        except ValueError:
            raise ValueError(wrong) from None
        if base_ms == 0 or (slash and int(moves) == 0):
            raise ValueError(wrong)
        return replace(self, moves=int(moves or 0), base_ms=base_ms, increment_ms=increment_ms)

    def __str__(self) -> str:
        parts = []
        if self.has_clock:
            parts.append(self.clock_text)
        if self.movetime_ms:
            parts.append(f"{self.movetime_ms / 1000:g} s/move")
        if self.nodes:
            parts.append(f"{self.nodes} nodes/move")
        if self.depth:
            parts.append(f"depth {self.depth}")
        return ", ".join(parts) or "unlimited"

    def pgn_tag(self) -> str:
        """The value of PGN's TimeControl tag."""
        if not self.has_clock:
            return f"*{self.movetime_ms / 1000:g}" if self.movetime_ms else "-"
        return self.clock_text

    @property
    def clock_text(self) -> str:
        """As it is written for `tc`: 40/60+0.5."""
        moves = f"{self.moves}/" if self.moves else ""
        increment = f"+{self.increment_ms / 1000:g}" if self.increment_ms else ""
        return f"{moves}{self.base_ms / 1000:g}{increment}"


def check_count(name: str, value: int) -> None:
    if value < 0:
        raise ValueError(f"{name} must not be negative: {value}")


def milliseconds(text: str) -> int:
    seconds = float(text)
    if not 0 <= seconds <= LONGEST_SECONDS:
        raise ValueError(f"time out of range: {text!r}")
    return round(seconds * 1000)


class Clock:
    """The time of one side. Times are in nanoseconds of a monotonic clock."""

    def __init__(self, control: TimeControl, margin_ms: int) -> None:
        self.control = control
        self.margin_ns = margin_ms * NS_PER_MS
        self.left_ns = control.base_ms * NS_PER_MS
        self.moves_to_go = control.moves

    @property
    def left_ms(self) -> int:
        """What the engine is told: never nothing, since it still has to move."""
        return max(1, self.left_ns // NS_PER_MS)

    def allowed_ns(self) -> int | None:
        """How long the next move may take, margin included; None when nothing says so."""
        limits = []
        if self.control.has_clock:
            limits.append(self.left_ns)
        if self.control.movetime_ms:
            limits.append(self.control.movetime_ms * NS_PER_MS)
        return min(limits) + self.margin_ns if limits else None

    def charge(self, used_ns: int) -> bool:
        """Take the time of a move. False when it was too long."""
        allowed = self.allowed_ns()
        if allowed is not None and used_ns > allowed:
            return False
        if not self.control.has_clock:
            return True
        # An overrun within the margin must not eat into the time of the next move.
        self.left_ns = max(0, self.left_ns - used_ns)
        self.left_ns += self.control.increment_ms * NS_PER_MS
        if self.control.moves:
            self.moves_to_go -= 1
            if self.moves_to_go == 0:
                self.moves_to_go = self.control.moves
                self.left_ns += self.control.base_ms * NS_PER_MS
        return True
