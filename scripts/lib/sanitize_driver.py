"""Takes the core through all that it does while a sanitizer watches; run by scripts/sanitize.

The answers are checked only roughly: tests/ does that. What counts here is that every path is
walked: for the address sanitizer those of bad input too, for the thread sanitizer those on which
threads meet.
"""

from __future__ import annotations

import pickle
import random
import sys
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from pathlib import Path

from core_ext import core
from lib import ROOT, sanitize_learning, sanitize_search, sanitize_tables, suites

PERFT_NODES = 20_000
PERFT_THREADS = 3
WATCHED_PERFTS = 12
GAMES = 150
GAME_LENGTH = 300
DAMAGED_FENS = 20_000
DAMAGED_PACKS = 20_000
TEXTS = 20_000
DAMAGED_GAMES = 40
SAN_LETTERS = "NBRQKPabcdefgh12345678x-=+#O0\x00\xff\u2654"
PGN_BYTES = b'(){};%!?$*.\n[]"1e4 NO-\x00\xff\r'
FEN_LETTERS = "pnbrqkPNBRQK12345678/ wb-KQkqAHah0e3\x00\xff\u2654"


def main() -> None:
    kind = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    check_build(kind)
    chance = random.Random(seed)
    lines = suites.all_positions()
    print(f"{kind} sanitizer, seed {seed}", flush=True)
    shared_work = (
        run_watched_perft,
        run_batches,
        sanitize_search.run_searches,
        sanitize_search.run_studies,
        sanitize_search.run_game,
        sanitize_search.run_interrupted,
        sanitize_search.run_two_searchers,
        sanitize_tables.run_shared_tables,
        sanitize_learning.run_network_searches,
        sanitize_learning.run_network_batches,
        sanitize_learning.run_self_play,
        sanitize_learning.run_training,
    )
    lone_work = (
        run_perft,
        run_games,
        run_fens,
        run_packs,
        run_sans,
        run_pgn,
        sanitize_tables.run_tables,
        sanitize_tables.run_damaged_tables,
        sanitize_learning.run_networks,
        sanitize_learning.run_game_bytes,
        sanitize_learning.run_records,
    )
    for walk in shared_work if kind == "thread" else (*lone_work, *shared_work):
        print(walk(lines, chance), flush=True)


def check_build(kind: str) -> None:
    """A run of the wrong core would be clean for the wrong reason."""
    assert Path(core.__file__).is_relative_to(ROOT / "build" / f"sanitize-{kind}"), core.__file__
    assert core.DEBUG, "not the debug core"
    library = {"address": "libasan", "thread": "libtsan"}[kind]
    assert library in Path("/proc/self/maps").read_text(), f"no {kind} sanitizer"


def run_perft(lines: list[suites.PerftLine], chance: random.Random) -> str:
    nodes = 0
    for line in lines:
        depth, count = line.deepest(PERFT_NODES)
        board = core.Board(line.fen, chess960=line.chess960)
        assert board.perft(depth) == count, line
        assert board.perft(depth, threads=2, hash_mb=1) == count, line
        assert sum(board.divide(depth).values()) == count, line
        nodes += 3 * count
    return f"perft: {len(lines)} positions, {nodes:,} nodes"


def run_watched_perft(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Perft with threads and a table, read while it runs, and once more to be stopped."""
    for line in chance.sample(lines, WATCHED_PERFTS):
        board = core.Board(line.fen, chess960=line.chess960)
        depth, count = line.deepest(3 * PERFT_NODES)
        table = core.PerftTable(1)
        run = core.PerftRun(board, depth, table)
        crew = run.start(PERFT_THREADS)
        while not crew.wait(timeout=0.001):
            assert run.nodes <= count, line
            run.divide()
        assert run.nodes == count, line
        endless = core.PerftRun(board, depth + 8, table)
        crew = endless.start(PERFT_THREADS)
        endless.stop()
        crew.wait()
    return f"watched perft: {WATCHED_PERFTS} positions"


def run_games(lines: list[suites.PerftLine], chance: random.Random) -> str:
    moves = 0
    for _ in range(GAMES):
        line = chance.choice(lines)
        board = core.Board(line.fen, chess960=line.chess960)
        moves += play_game(board, chance)
        twins = [board.copy(), pickle.loads(pickle.dumps(board))]
        assert all(twin == board and twin.move_stack == board.move_stack for twin in twins)
        while board.move_stack:
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
        elif chance.random() < 0.05 and board.move_stack:
            board.pop()
        else:
            board.push_uci(chance.choice(moves).uci())
    return len(board.move_stack)


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
    for move in board.legal_moves():
        for text in (board.san(move), board.lan(move), board.uci(move)):
            assert board.parse_san(text) == move
    assert board.fen() in repr(board)


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
    assert core.unpack_items(memoryview(b"?" + packed)[1:], len(boards)) == boards
    accepted = sum(try_pack(damage_pack(packed, chance)) for _ in range(DAMAGED_PACKS))
    return f"packed positions: {len(boards)} whole, {accepted:,} of {DAMAGED_PACKS:,} damaged taken"


def damage_pack(packed: bytearray, chance: random.Random) -> bytes:
    """One position with some of its bytes changed, sometimes with all of them."""
    size = core.PACKED_SIZE
    start = size * chance.randrange(len(packed) // size)
    item = packed[start : start + size]
    for place in chance.sample(range(size), chance.choice((1, 1, 2, 3, size))):
        item[place] = chance.choice((0, 1, 127, 128, 255, chance.randrange(256)))
    return bytes(item)


def run_sans(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Texts that are moves, nearly so, or nothing of the kind."""
    read = 0
    for _ in range(TEXTS):
        line = chance.choice(lines)
        board = core.Board(line.fen, chess960=line.chess960)
        text = "".join(chance.choices(SAN_LETTERS, k=chance.randrange(9)))
        try:
            read += board.is_legal(board.parse_san(text))
        except core.MoveError:
            continue
    return f"SAN: {TEXTS:,} texts, {read} of them moves"


def run_pgn(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """Games with all that PGN knows, whole and damaged."""
    games = 0
    for _ in range(DAMAGED_GAMES):
        board = core.Board()
        play_game(board, chance)
        moves = board.root().variation_san(takewhile(bool, board.move_stack))
        text = f'[White "x"]\n\n{moves} {{a [%eval 1.5]}} $3 (1. e4 (1. d4) {{b}}) *\n\n' * 2
        letters = bytearray(text.encode())
        for _ in range(chance.randrange(6)):
            place = chance.randrange(len(letters))
            letters[place : place + chance.randrange(3)] = bytes(chance.choices(PGN_BYTES, k=2))
        data = bytes(letters)
        assert core.find_games_end(data) <= len(data)
        block = core.PgnBlock(data, True, True, chance.random() < 0.5, chance.random() < 0.5)
        games += len(block)
        for index in range(len(block)):
            block.headers(index), block.moves(index), block.items(index), block.problem(index)
            block.scores(index), block.clocks(index), block.result(index)
        block.all_positions(), block.all_moves(), block.all_last_positions(), block.all_games()
    return f"PGN: {games:,} games"


def run_batches(lines: list[suites.PerftLine], chance: random.Random) -> str:
    """The batch functions at once, two threads for each."""
    boards = [core.Board(line.fen, chess960=line.chess960) for line in lines]
    size = len(boards)
    packed = bytearray(core.PACKED_SIZE * size)
    core.pack_items(boards, packed)
    counts, nodes, scores = bytearray(2 * size), bytearray(8 * size), bytearray(2 * size)
    sizes = core.FEATURE_COUNT, 1, 1, 2
    counts_of_features, phases, scales, wins = (bytearray(each * size) for each in sizes)
    features = counts_of_features, phases, scales, wins
    work: list[Callable[[], object]] = []
    for half in ((0, size // 2), (size // 2, size)):
        work += [
            partial(core.count_range, packed, counts, size, *half),
            partial(core.perft_range, packed, nodes, size, *half, 2),
            partial(core.evaluate_range, packed, scores, size, *half),
            partial(core.feature_range, packed, *features, size, *half),
        ]
    sanitize_search.run_together(*work)
    searcher = core.Searcher()
    assert list(memoryview(counts).cast("H")) == [board.legal_count() for board in boards]
    assert list(memoryview(nodes).cast("Q")) == [board.perft(2) for board in boards]
    assert list(memoryview(scores).cast("h")) == [searcher.evaluate(board) for board in boards]
    return f"batches: {size} positions, {len(work)} threads"


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
