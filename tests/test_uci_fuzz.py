"""Random and mutated command lines: no crash, no hang, no traceback, one answer to each `go`.

CYTHERA_FUZZ_LINES chooses how many, CYTHERA_FUZZ_SEED which. A full run:

    CYTHERA_FUZZ_LINES=100000 scripts/test tests/test_uci_fuzz.py
"""

from __future__ import annotations

import os
import random
import re
from itertools import pairwise

import pytest
from uci_process import CASTLING, CHESS960, MATED, EngineProcess

from uci_engine.uci import COMMANDS, parse_go

pytestmark = pytest.mark.release_only

LINES = int(os.environ.get("CYTHERA_FUZZ_LINES", "3000"))
SEED = int(os.environ.get("CYTHERA_FUZZ_SEED", "1"))
CHUNK = 50
MOVE = "[a-h][1-8][a-h][1-8][nbrq]?"
BEST_MOVE = re.compile(rf"bestmove (\(none\)|{MOVE}( ponder {MOVE})?)")

VOCABULARY = """uci isready ucinewgame setoption position go stop ponderhit debug register d eval
flip compiler help name value startpos fen moves searchmoves ponder wtime btime winc binc movestogo
depth nodes mate movetime infinite perft Hash Threads MultiPV Clear Move Overhead UCI_Chess960 Skill
Level UCI_Elo UCI_LimitStrength UCI_ShowWDL SyzygyPath OwnBook BookFile Book Depth Algorithm
Evaluation nodestime Ponder true false <empty> pvs 0 1 2 3 -1 10 100 1000 2147483648
99999999999999999999 1.5 x e2e4 e7e5 g1f3 e1g1 e1h1 a7a8q 0000 (none) w b KQkq - e3 on off"""
WORDS = VOCABULARY.split()

SEEDS = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    f"position fen {CASTLING} moves e1g1 e8c8",
    f"position fen {CHESS960} moves c1h1",
    f"position fen {MATED}",
    "position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves a7a8q h7h6",
    "go depth 3 searchmoves e2e4 d2d4",
    "go wtime 100 btime 100 winc 1 binc 1 movestogo 3",
    "go nodes 200",
    "go movetime 5",
    "go mate 1 nodes 500",
    "go infinite",
    "go ponder wtime 30 btime 30",
    "go perft 2",
    "stop",
    "ponderhit",
    "setoption name Hash value 1",
    "setoption name Threads value 2",
    "setoption name MultiPV value 3",
    "setoption name UCI_Chess960 value true",
    "setoption name Skill Level value 3",
    "setoption name UCI_LimitStrength value true",
    "setoption name Move Overhead value 5",
    "setoption name nodestime value 10",
    "setoption name Clear Hash",
    "d",
    "eval",
    "flip",
    "debug on",
]


def random_line(generator: random.Random) -> bytes:
    kind = generator.random()
    if kind < 0.3:
        return generator.choice(SEEDS).encode()
    if kind < 0.6:
        return mutate(generator.choice(SEEDS).encode(), generator)
    if kind < 0.9:
        words = generator.choices(WORDS, k=generator.randint(0, 12))
        return generator.choice([" ", " ", "\t", "  "]).join(words).encode()
    return generator.randbytes(generator.randint(0, 60))


def mutate(line: bytes, generator: random.Random) -> bytes:
    for _ in range(generator.randint(1, 4)):
        place = generator.randint(0, len(line))
        how = generator.randint(0, 4)
        if how == 0:
            line = line[:place] + generator.randbytes(1) + line[place:]
        elif how == 1:
            line = line[:place] + line[place + 1 :]
        elif how == 2:
            line = line[:place] + generator.choice(WORDS).encode() + line[place:]
        elif how == 3:
            line = line[:place] + b" " + line[place:]
        else:
            other = generator.choice(SEEDS).encode()
            line = line[:place] + other[generator.randint(0, len(other)) :]
    return line


def tame(line: bytes) -> bytes | None:
    """One line that neither ends the engine nor asks for more than a test may take."""
    line = line.replace(b"\n", b" ")
    words = line.split()
    if b"quit" in line or b"bench" in line or b"log" in line.lower():
        return None
    for name, value in pairwise(words):
        digits = value.decode("latin-1")
        if name == b"value" and digits.isdecimal() and int(digits) > 16:
            return None  # gigabytes of hash, hundreds of threads
        if name == b"perft" and digits.isdecimal() and int(digits) > 3:
            return None
    return line


def is_question(line: bytes) -> bool:
    """Does the engine owe a `bestmove` for this line?"""
    words = line.decode("utf-8", "surrogateescape").split()
    commands = [word for word in words if word in COMMANDS]
    return commands[:1] == ["go"] and parse_go(words[words.index("go") + 1 :]).limits.perft is None


def test_random_lines_never_break_it() -> None:
    generator = random.Random(SEED)
    done = 0
    with EngineProcess() as engine:
        while done < LINES:
            lines = [tame(random_line(generator)) for _ in range(CHUNK)]
            chunk = [line for line in lines if line is not None]
            done += len(chunk)
            asked = sum(is_question(line) for line in chunk)
            engine.send_bytes(b"".join(line + b"\n" for line in chunk))
            engine.send("stop", "go nodes 1")
            answers = 0
            while answers < asked + 1:
                line = engine.read(20)
                assert "Traceback" not in line
                assert "an error in the engine" not in line, (line, chunk)
                assert "the search failed" not in line, (line, chunk)
                if line.startswith("bestmove"):
                    assert BEST_MOVE.fullmatch(line), (line, chunk)
                    answers += 1
        engine.ask()
