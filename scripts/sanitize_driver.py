"""Takes the core through all that it does while sanitizers watch; run by scripts/sanitize.

The answers are checked only roughly: tests/ does that. What counts here is that every path is
walked, the ones for bad input included.
"""

from __future__ import annotations

import pickle
import random
import sys
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import suites  # noqa: E402

from core_ext import core  # noqa: E402

PERFT_NODES = 20_000
GAMES = 150
GAME_LENGTH = 300
DAMAGED_FENS = 20_000
DAMAGED_PACKS = 20_000
FEN_LETTERS = "pnbrqkPNBRQK12345678/ wb-KQkqAHah0e3\x00\xff\u2654"


def main() -> None:
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    check_build()
    chance = random.Random(seed)
    lines = suites.all_positions()
    print(f"seed {seed}")
    print(run_perft(lines))
    print(run_games(lines, chance))
    print(run_fens(lines, chance))
    print(run_packs(lines, chance))


def check_build() -> None:
    """A run of the wrong core would be clean for the wrong reason."""
    assert Path(core.__file__).is_relative_to(ROOT / "build" / "sanitize"), core.__file__
    assert core.DEBUG, "not the debug core"
    assert "libasan" in Path("/proc/self/maps").read_text(), "no address sanitizer"


def run_perft(lines: list[suites.PerftLine]) -> str:
    nodes = 0
    for line in lines:
        depth, count = line.deepest(PERFT_NODES)
        board = core.Board(line.fen, chess960=line.chess960)
        assert board.perft(depth) == count, line
        assert board.perft(depth, threads=2, hash_mb=1) == count, line
        assert sum(board.divide(depth).values()) == count, line
        nodes += 3 * count
    return f"perft: {len(lines)} positions, {nodes:,} nodes"


def run_games(lines: list[suites.PerftLine], chance: random.Random) -> str:
    moves = 0
    for _ in range(GAMES):
        line = chance.choice(lines)
        board = core.Board(line.fen, chess960=line.chess960)
        moves += play_game(board, chance)
        twins = [board.copy(), pickle.loads(pickle.dumps(board))]
        assert all(twin == board and twin.move_stack == board.move_stack for twin in twins)
        while board.ply:
            board.pop()
        assert board == core.Board(line.fen, chess960=line.chess960)
    return f"games: {GAMES}, {moves:,} moves played and taken back"


def play_game(board: core.Board, chance: random.Random) -> int:
    for _ in range(GAME_LENGTH):
        moves = board.legal_moves()
        ask_everything(board)
        if not moves:
            break
        if chance.random() < 0.02 and not board.is_check():
            board.push_null()
        elif chance.random() < 0.05 and board.ply:
            board.pop()
        else:
            board.push_uci(chance.choice(moves).uci())
    return int(board.ply)


def ask_everything(board: core.Board) -> None:
    board._check()
    for shredder in (False, True):
        assert core.Board(board.fen(shredder=shredder), chess960=board.chess960).key == board.key
    assert board.legal_count() == len(board.legal_moves())
    assert len(memoryview(board)) == 8
    for verdict in ("check", "checkmate", "stalemate", "insufficient_material", "repetition"):
        getattr(board, "is_" + verdict)()
    for code in range(0, 65536, 251):
        board._is_legal_code(code)
    assert str(board) in repr(board)


def run_fens(lines: list[suites.PerftLine], chance: random.Random) -> str:
    fens = [fen for _, fen in suites.read_labelled_fens(suites.DATA / "bad_fens.txt")]
    fens += [damage(chance.choice(lines).fen, chance) for _ in range(DAMAGED_FENS)]
    fens += ["".join(chance.choices(FEN_LETTERS, k=chance.randrange(300))) for _ in range(5000)]
    refused = 0
    for fen in fens:
        try:
            board = core.Board(fen, chess960=chance.random() < 0.5)
        except ValueError:
            refused += 1
        else:
            ask_everything(board)
            board.perft(2)
    return f"FENs: {len(fens):,}, {refused:,} of them refused"


def damage(fen: str, chance: random.Random) -> str:
    letters = list(fen)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(letters))
        letters[place : place + chance.randrange(3)] = chance.choices(
            FEN_LETTERS, k=chance.randrange(3)
        )
    return "".join(letters)


def run_packs(lines: list[suites.PerftLine], chance: random.Random) -> str:
    boards = [core.Board(line.fen, chess960=line.chess960) for line in lines]
    packed = bytearray(core.PACKED_SIZE * len(boards))
    core.pack_items(boards, packed)
    assert core.unpack_items(packed, len(boards)) == boards
    count_on_two_threads(packed, boards)
    accepted = sum(try_pack(damage_pack(packed, chance)) for _ in range(DAMAGED_PACKS))
    return f"packed positions: {len(boards)} whole, {accepted:,} of {DAMAGED_PACKS:,} damaged taken"


def count_on_two_threads(packed: bytearray, boards: list[core.Board]) -> None:
    size = len(boards)
    counts, nodes = bytearray(2 * size), bytearray(8 * size)
    halves = [(0, size // 2), (size // 2, size)]
    threads = [
        *(Thread(target=core.count_range, args=(packed, counts, size, *half)) for half in halves),
        *(Thread(target=core.perft_range, args=(packed, nodes, size, *half, 2)) for half in halves),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(memoryview(counts).cast("H")) == [board.legal_count() for board in boards]
    assert list(memoryview(nodes).cast("Q")) == [board.perft(2) for board in boards]


def damage_pack(packed: bytearray, chance: random.Random) -> bytes:
    """One position with some of its bytes changed, sometimes with all of them."""
    size = core.PACKED_SIZE
    start = size * chance.randrange(len(packed) // size)
    item = packed[start : start + size]
    for place in chance.sample(range(size), chance.choice((1, 1, 2, 3, size))):
        item[place] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
    return bytes(item)


def try_pack(item: bytes) -> bool:
    counts, nodes = bytearray(2), bytearray(8)
    try:
        core.count_range(item, counts, 1, 0, 1)
        core.perft_range(item, nodes, 1, 0, 1, 2)
        board = core.unpack_items(item, 1)[0]
    except ValueError:
        return False
    ask_everything(board)
    return True


main()
