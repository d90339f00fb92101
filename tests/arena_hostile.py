"""An engine that changes its manner at random, at every stage: `arena_hostile.py SEED`.

Each process draws its own manners. Most moves are legal ones, so that games go on long enough to be
spoiled later.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from core_ext.core import Board

NINES = "9" * 400
ENDLESS = 3600


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(line: str) -> None:
    write(line.encode("utf-8", "replace") + b"\n")


class Hostile:
    def __init__(self, seed: str) -> None:
        self.chance = random.Random(f"{seed} {os.getpid()} {time.time_ns()}")
        self.board = Board()

    def legal(self) -> str:
        moves = self.board.legal_moves()
        return self.chance.choice(moves).uci() if moves else "0000"

    def happens(self, chance: float) -> bool:
        return self.chance.random() < chance

    def begin(self) -> None:
        if self.happens(0.02):
            sys.exit(self.chance.choice([0, 1, 7]))
        say("id name \x1b[2J\x07" + "N" * self.chance.choice([1, 80, 5000]))
        say("option name Hash type spin default 1 min 9 max 1" if self.happens(0.5) else "option")
        if self.happens(0.02):
            time.sleep(ENDLESS)
        say("uciok\nuciok" if self.happens(0.1) else "uciok")

    def ready(self) -> None:
        if self.happens(0.005):
            os.kill(os.getpid(), self.chance.choice([signal.SIGKILL, signal.SIGSEGV]))
        if self.happens(0.003):
            time.sleep(ENDLESS)
        say("readyok" if self.happens(0.95) else "readyok\nreadyok\nbestmove e2e4")

    def chatter(self) -> None:
        number = self.chance.choice(["0", "-1", NINES, "-" + NINES, "x", "1e5", "", "\u0663"])
        lines = [
            f"info depth {number} score cp {number} nodes {number} time {number} pv {self.legal()}",
            f"info depth 5 score mate {number} pv e2e4",
            "info " + "string " * 2000,
            "info multipv 7 score cp 1 lowerbound pv",
            "\x00\x01\x02\xff" * 50,
            "bestmove" if self.happens(0.02) else "bestmov",
            "option name X type spin",
            "",
        ]
        for _ in range(self.chance.randint(0, 5)):
            say(self.chance.choice(lines))
        say(f"info depth 3 score cp {self.chance.randint(-900, 900)} nodes 50 pv {self.legal()}")

    def answer(self) -> None:
        self.chatter()
        (manner,) = self.chance.choices([m for _, m in MANNERS], [often for often, _ in MANNERS])
        manner(self)

    def play(self) -> None:
        say(f"bestmove {self.legal()}")

    def play_with_more(self) -> None:
        reply = self.chance.choice(["", "e9e9", NINES, self.legal()])
        say(f"bestmove {self.legal()} ponder {reply}")

    def play_twice(self) -> None:
        say(f"bestmove {self.legal()}\nbestmove {self.legal()}\nbestmove 0000")

    def play_in_pieces(self) -> None:
        for letter in f"bestmove {self.legal()}\r\n":
            write(letter.encode())

    def illegal(self) -> None:
        words = ["e2e5", "0000", "(none)", "", NINES, "\x1b[31m", "e7e8k", "a1a1", "O-O", "\ud800"]
        say(f"bestmove {self.chance.choice(words)}")

    def hang(self) -> None:
        time.sleep(ENDLESS)

    def crash(self) -> None:
        os.kill(os.getpid(), self.chance.choice([signal.SIGKILL, signal.SIGABRT, signal.SIGTERM]))

    def leave(self) -> None:
        write(b"bestmove e2")
        os._exit(self.chance.choice([0, 3]))

    def close_output(self) -> None:
        os.close(1)
        time.sleep(ENDLESS)

    def flood(self) -> None:
        while True:
            write(b"x" * 100_000)

    def flood_lines(self) -> None:
        write(b"info depth 1 score cp 5 pv e2e4\n" * 20_000)
        self.play()

    def hear(self, words: list[str]) -> bool:
        command = words[0] if words else ""
        if command == "uci":
            self.begin()
        elif command == "isready":
            self.ready()
        elif command == "position":
            self.board = Board() if words[1] == "startpos" else Board(" ".join(words[2:8]))
            for move in words[words.index("moves") + 1 :] if "moves" in words else []:
                self.board.push_uci(move)
        elif command == "go":
            self.answer()
        return command != "quit" or self.happens(0.1)


# How often of so many times, and what it does.
MANNERS: list[tuple[int, Callable[[Hostile], None]]] = [
    (4000, Hostile.play),
    (100, Hostile.play_with_more),
    (60, Hostile.play_twice),
    (30, Hostile.play_in_pieces),
    (25, Hostile.illegal),
    (2, Hostile.hang),
    (8, Hostile.crash),
    (8, Hostile.leave),
    (3, Hostile.close_output),
    (3, Hostile.flood),
    (4, Hostile.flood_lines),
]


def main() -> None:
    engine = Hostile(sys.argv[1])
    for line in sys.stdin:
        if not engine.hear(line.split()):
            return
    if engine.happens(0.2):  # deaf to the end of its input
        time.sleep(ENDLESS)


if __name__ == "__main__":
    main()
