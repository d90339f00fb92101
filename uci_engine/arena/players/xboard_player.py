"""A client for the older protocol, of XBoard (CECP), versions 1 and 2.

The engine keeps the game itself: it is told of single moves, and answers as soon as it is its
turn, so this player remembers what it has told.
"""

from __future__ import annotations

import contextlib
import shlex
import time
from collections import deque

from uci_engine import START_FEN, Board
from uci_engine.arena.players.clock import TimeControl
from uci_engine.arena.players.declared_options import DeclaredOption, parse_xboard_option
from uci_engine.arena.players.player import Answer, PipePlayer, Situation, deadline_after
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.said import (
    LONGEST_MATE,
    MATE_SCORE,
    MOST_DEPTH,
    MOST_NODES,
    bounded,
)
from uci_engine.arena.players.spec import EngineSpec

REPEAT_MS = 300
FEATURES_MS = 2_000  # how long version 1 engines are waited for: they don't list features
SYNC_MS = 15_000
MOST_TIMEOUTS = 10  # each feature gives an engine more time to start, but not for ever
LONGEST_FEATURES = 1 << 13  # characters of a line of features
HURRY_SHARE = 0.9
# Commands that stand for options, and the features that announce them.
MEMORY = DeclaredOption("memory", "spin", 1, 1 << 24)
CORES = DeclaredOption("cores", "spin", 1, 1 << 12)
COMMANDS = {"hash": ("memory", MEMORY), "threads": ("smp", CORES)}
WANTED = ("ping", "setboard", "usermove", "memory", "smp", "variants", "reuse", "option", "myname")


class XBoardPlayer(PipePlayer):
    def __init__(self, spec: EngineSpec) -> None:
        super().__init__(spec)
        self.features: dict[str, str] = {}
        self.pings = 0
        self.told = 0  # moves that the engine knows of
        self.moving = False  # it answers each move by itself; else it is in force mode
        self.games = 0

    # Starting

    def start(self) -> None:
        if self.spec.control.nodes:
            raise EngineError("bad option", "the XBoard protocol knows no limit of nodes")
        self.start_process()
        self.features = {}
        self.games = 0
        self.read_features()
        self.send_options()
        self.synchronize()

    def read_features(self) -> None:
        """Until done=1, or until a version 1 engine has kept silent long enough."""
        assert self.process is not None
        timeout = self.spec.start_timeout_ms
        deadline = deadline_after(min(FEATURES_MS, timeout))
        latest = deadline_after(MOST_TIMEOUTS * timeout)
        self.send("xboard\nprotover 2")
        again = deadline_after(REPEAT_MS)
        heard = False
        while self.features.get("done") != "1":
            line = self.process.read_line(deadline if heard else min(deadline, again))
            if line is not None:
                text = line.decode("utf-8", "replace").strip()
                if text.startswith("feature "):
                    heard = True
                    self.accept(text.removeprefix("feature "))
                    deadline = min(deadline_after(timeout), latest)
            elif heard:
                raise EngineError("hang", "no `feature done=1` in time")
            elif time.monotonic_ns() >= deadline:
                return
            else:  # GNU Chess loses lines that come while it starts
                self.send("protover 2")
                again = deadline_after(REPEAT_MS)

    def accept(self, text: str) -> None:
        try:
            words = shlex.split(text[:LONGEST_FEATURES])
        except ValueError:
            words = text.split()
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                continue
            if name == "option":
                self.declare(parse_xboard_option(value), value)
            elif name in (*WANTED, "done"):
                self.features[name] = value
            # We write moves as e2e4 whatever the engine would like better.
            self.send(f"{'rejected' if name in ('san', 'playother') else 'accepted'} {name}")

    def has(self, feature: str) -> bool:
        return self.features.get(feature) == "1"

    def find_option(self, name: str) -> DeclaredOption | None:
        """Hash and Threads have commands of their own in this protocol."""
        feature, option = COMMANDS.get(name.lower(), ("", None))
        return super().find_option(name) or (option if self.has(feature) else None)

    def set_option(self, option: DeclaredOption, value: str) -> None:
        if option in (MEMORY, CORES):
            self.send(f"{option.name} {value}")
            return
        if option.kind == "check":
            value = "1" if value == "true" else "0"
        self.send(f"option {option.name}={value}" if value else f"option {option.name}")

    def synchronize(self) -> None:
        """Wait until the engine has dealt with all we sent, and forget what it said to it."""
        if not self.has("ping"):
            return
        self.pings += 1
        self.send(f"ping {self.pings}")
        wanted = f"pong {self.pings}".encode()
        deadline = deadline_after(SYNC_MS)
        while self.read(deadline, "pong").strip() != wanted:
            pass

    # Playing

    def new_game(self, situation: Situation) -> None:
        if self.games and self.features.get("reuse") == "0":
            self.close()
            self.start()
        self.games += 1
        self.told = 0
        self.moving = False
        self.send("new")
        if situation.chess960:
            self.send("variant fischerandom")
        self.send("force\npost\n" + ("hard" if self.spec.ponder else "easy"))
        # `new` and levels act on the engine's own colour: that comes with `go`.
        self.send_level(self.spec.control)
        if situation.fen != START_FEN or situation.chess960:
            self.set_board(situation)
        self.synchronize()

    def send_level(self, control: TimeControl) -> None:
        if control.has_clock:
            seconds = control.base_ms // 1000
            self.send(
                f"level {control.moves} {seconds // 60}:{seconds % 60:02}"
                f" {control.increment_ms / 1000:g}"
            )
        if control.movetime_ms:
            self.send(f"st {max(1, control.movetime_ms // 1000)}")
        if control.depth:
            self.send(f"sd {control.depth}")

    def set_board(self, situation: Situation) -> None:
        if self.has("setboard"):
            self.send(f"setboard {situation.fen}")
            return
        if situation.chess960:
            raise EngineError("bad option", "it has no `setboard`, which Chess960 needs")
        self.send(edit_lines(Board(situation.fen)))

    def play(self, situation: Situation) -> Answer:
        assert self.process is not None
        clock, other = situation.clock, situation.other_clock
        lines = []
        prefix = "usermove " if self.has("usermove") else ""
        news = moves_as_told(situation, self.told)
        if not (self.moving and len(news) == 1):
            if self.moving:
                lines.append("force")
            lines += [prefix + move for move in news]
            news = []
        if clock.control.has_clock:
            lines.append(f"time {clock.left_ns // 10_000_000}")
            opposing = other if other.control.has_clock else clock
            lines.append(f"otim {opposing.left_ns // 10_000_000}")
        lines += [prefix + move for move in news] if news else ["go"]
        self.process.discard_input()
        start = time.monotonic_ns()
        self.send("\n".join(lines))
        answer = self.read_answer(start, self.time_limit_ns(clock), situation.board)
        self.moving = True
        self.told = len(situation.moves) + 1
        return answer

    def read_answer(self, start: int, limit_ns: int, board: Board) -> Answer:
        process = self.process
        assert process is not None
        thoughts: deque[bytes] = deque(maxlen=3)
        calls = self.calls_to_move(start, limit_ns)
        deadline = calls.pop(0)
        while True:
            line = process.read_line(deadline)
            if line is None:
                if not calls:
                    raise EngineError("hang", "no move, not even after `?`")
                deadline = calls.pop(0)
                self.send("?")
                continue
            line = line.strip()
            if line[:1].isdigit() and not is_claim(line):
                thoughts.append(line)
                continue
            text = move_in(line)
            if text or is_claim(line) or line == b"resign":
                break
            if line.startswith((b"Illegal move", b"Error")):
                words = line.decode("utf-8", "replace")
                raise EngineError("protocol", f"it does not follow the game: {words!r}")
        answer = Answer(as_uci(text, board), process.arrived_ns - start)
        answer.stopped = answer.used_ns > limit_ns
        if not text:
            self.judge_claim(line, board, answer)
        for thought in thoughts:
            read_thought(thought, answer)
        return answer

    def calls_to_move(self, start: int, limit_ns: int) -> list[int]:
        """When it is told to move at once; at the last of these times it is given up. The
        protocol counts a move's time in whole seconds, so shorter ones end by our call."""
        times = [start + limit_ns, start + limit_ns + self.spec.stop_grace_ms * 1_000_000]
        move_ms = self.spec.control.movetime_ms
        if 0 < move_ms < 1000:
            times.insert(0, start + int(move_ms * HURRY_SHARE * 1e6))
        return times

    def judge_claim(self, line: bytes, board: Board, answer: Answer) -> None:
        """An engine may give up. Anything else it could claim has been seen by us already."""
        loss = b"0-1" if board.turn else b"1-0"
        if line == b"resign" or line.startswith(loss):
            answer.resigns = True
        else:
            raise EngineError("false claim", repr(line.decode("utf-8", "replace")))

    def ponder(self, situation: Situation) -> None:
        """It does so by itself, since it was told `hard`."""

    def end_game(self, result: str) -> None:
        with contextlib.suppress(EngineError):  # the next game will notice
            if self.process is not None:
                self.send(f"result {result} {{}}\nforce")
                self.synchronize()


def is_claim(line: bytes) -> bool:
    return line.startswith((b"1-0", b"0-1", b"1/2-1/2"))


def move_in(line: bytes) -> str:
    """The move that a line announces, in the words of version 2 or 1."""
    words = line.split()
    if len(words) > 1 and words[0] == b"move":
        return words[1].decode("utf-8", "replace")
    if len(words) > 3 and words[:3] == [b"My", b"move", b"is"] and words[3] == b":":
        return words[4].decode("utf-8", "replace") if len(words) > 4 else ""
    if len(words) > 3 and words[:3] == [b"My", b"move", b"is:"]:
        return words[3].decode("utf-8", "replace")
    return ""


def as_uci(text: str, board: Board) -> str:
    """Engines also write SAN, and castling as O-O. What can't be read stays as it is."""
    with contextlib.suppress(ValueError):
        return board.parse_uci(text.lower()).uci()
    with contextlib.suppress(ValueError):
        return board.parse_san(text.replace("0", "O")).uci()
    return text


def moves_as_told(situation: Situation, told: int) -> list[str]:
    """The moves after the first `told`, castling in Chess960 as O-O and O-O-O."""
    moves = situation.moves[told:]
    if not situation.chess960:
        return moves
    board = situation.board.copy()
    for _ in moves:
        board.pop()
    written = []
    for move in moves:
        san = board.san(board.parse_uci(move)).rstrip("+#")
        written.append(san if san.startswith("O-O") else move)
        board.push_uci(move)
    return written


def edit_lines(board: Board) -> str:
    """A position for engines without `setboard`. Black comes to move by a move that `edit` then
    wipes out; castling rights are what the engine makes of the pieces' places."""
    lines = [] if board.turn else ["a2a3"]
    lines += ["edit", "#"]
    for white in (True, False):
        for square in range(64):
            piece = board.symbol_at(square)
            if piece is not None and piece.isupper() == white:
                lines.append(f"{piece.upper()}{'abcdefgh'[square % 8]}{square // 8 + 1}")
        lines.append("c" if white else ".")
    return "\n".join(lines)


def read_thought(line: bytes, answer: Answer) -> None:
    """`ply score time nodes pv`; other lines that begin with a digit are passed over."""
    words = line.split()
    if len(words) < 4:
        return
    try:
        depth = bounded(words[0].rstrip(b".+-&"), 0, MOST_DEPTH)
        score = bounded(words[1], -MATE_SCORE - LONGEST_MATE, MATE_SCORE + LONGEST_MATE)
        bounded(words[2], 0, MOST_NODES)  # the time
        nodes = bounded(words[3], 0, MOST_NODES)
    except ValueError:
        return
    answer.depth, answer.nodes = depth, nodes
    if abs(score) >= MATE_SCORE:
        answer.mate = (abs(score) - MATE_SCORE) * (1 if score > 0 else -1)
        answer.score = None
    else:
        answer.score, answer.mate = score, None
