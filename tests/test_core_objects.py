"""The core's objects in rough hands: made without __init__ or twice, restored from bad pickles,
used by subclasses and callbacks that do what they like. All they may get is an exception."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_ext import core
from uci_engine import Board
from uci_engine.bench import POSITIONS

CLASSES = [each for each in vars(core).values() if isinstance(each, type)]
OWN_CLASSES = [each for each in CLASSES if each.__module__ == "core_ext.core"]
GAME = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6", "e1g1"]

ARGUMENTS: list[tuple[Any, ...]] = [
    *((), (None,), (0,), (-1,), (2**31,), (2**70,), (1.5,), ("x",), (b"",), ([],), (...,)),
    *((Board(),), (Board(), 1), (Board(), None), (0, 0), (None, None, None), (1, 2, 3)),
]
SPECIAL_METHODS = ["__init__", "__repr__", "__str__", "__hash__", "__bool__", "__eq__", "__copy__"]


def play_game() -> Board:
    board = Board()
    for move in GAME:
        board.push_uci(move)
    return board


def attempt(function: Callable[..., object], *arguments: object) -> object:
    try:
        return function(*arguments)
    except (SystemError, AssertionError):  # the interpreter's own complaints, and _check()'s
        raise
    except Exception:
        return None


def poke(thing: object) -> None:
    """Read everything it has, and call what can be called; but an endless search."""
    for name in [*(name for name in dir(thing) if not name.startswith("__")), *SPECIAL_METHODS]:
        value = attempt(getattr, thing, name)
        if callable(value) and name != "search":
            for arguments in ARGUMENTS:
                attempt(value, *arguments)


def check_use(thing: object) -> None:
    """What such an object is for still works."""
    if isinstance(thing, Board):
        thing._check()
        expected = chess.Board(thing.fen(), chess960=thing.chess960)
        assert thing.legal_count() == expected.legal_moves.count()
        core.Searcher(hash_mb=1).evaluate(thing)
    if isinstance(thing, core.Searcher):
        thing.set_algorithm("pvs")
        thing.set_points(None)
        assert thing.evaluate(Board()) == core.Searcher().evaluate(Board())
        assert thing.search(Board(), depth=3).depth == 3


def skipping_init(kind: type) -> type:
    return type("Skipping", (kind,), {"__init__": lambda self, *arguments, **options: None})


def test_the_core_has_classes() -> None:
    assert {core.Board, core.Move, core.PerftRun, core.Searcher, core.Search} <= set(OWN_CLASSES)


@pytest.mark.parametrize("kind", OWN_CLASSES)
@pytest.mark.parametrize("arguments", [(), *ARGUMENTS[1:]], ids=repr)
def test_without_init_objects_work_or_do_not_exist(kind: type, arguments: tuple[Any, ...]) -> None:
    makers: list[Callable[[], object]] = [
        lambda: kind.__new__(kind, *arguments),
        lambda: skipping_init(kind)(*arguments),
    ]
    for make in makers:
        try:
            thing = make()
        except Exception:
            continue
        check_use(thing)
        poke(thing)
        check_use(thing)


@pytest.mark.parametrize(
    "make",
    [
        play_game,
        lambda: core.Searcher(hash_mb=1, threads=2),
        lambda: core.Searcher(hash_mb=1).begin(Board(), depth=2),
        lambda: core.PerftRun(Board(), 3, core.PerftTable(1)),
        lambda: core.PerftTable(1),
        lambda: core.Evaluator(),
        lambda: Board().parse_uci("e2e4"),
    ],
)
def test_a_second_init_does_no_harm(make: Callable[[], object]) -> None:
    thing: Any = make()
    for arguments in ARGUMENTS:
        attempt(thing.__init__, *arguments)
        check_use(thing)
    poke(thing)
    check_use(thing)


def test_a_second_perft_run_does_not_begin_anew() -> None:
    """It once took away the memory that the first one's threads were counting in."""
    run: Any = core.PerftRun(Board(), 3)
    run.__init__(Board(), 2)
    run.run()
    assert run.nodes == 8902


# ---- boards


def damage(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    letter = chance.choice("pnbrqkPNBRQK/ 12345678wb-hx")
    return text[:place] + chance.choice((letter, "", letter + text[place])) + text[place + 1 :]


@pytest.mark.parametrize("seed", range(4))
def test_an_init_that_fails_leaves_the_board_as_it_was(seed: int) -> None:
    """A FEN was once read into the board itself: then it had no kings."""
    chance = random.Random(seed)
    refused = 0
    for _ in range(2000):
        board: Any = play_game()
        before = board._state_bytes(), board.move_stack, board.chess960
        fen = damage(chance.choice(POSITIONS), chance)
        try:
            board.__init__(fen)
        except ValueError:
            refused += 1
            assert (board._state_bytes(), board.move_stack, board.chess960) == before
        else:
            assert (board.fen(), board.move_stack) == (Board(fen).fen(), [])
        board._check()
    assert 500 < refused < 2000


def illegal_game() -> chess.Board:
    board = chess.Board()
    for move in ("e2e4", "e7e5", "e1e5"):
        board.push(chess.Move.from_uci(move))
    return board


class Other(chess.Board):
    uci_variant = "atomic"


@pytest.mark.parametrize("other", [illegal_game(), Other(), 5, None, ...])
def test_a_board_that_can_not_be_taken_over_leaves_the_old_one(other: Any) -> None:
    board: Any = play_game()
    before = board._state_bytes(), board.move_stack
    with pytest.raises((ValueError, TypeError)):
        board.__init__(other)
    assert (board._state_bytes(), board.move_stack) == before


def test_a_board_made_of_itself_stays_as_it_is() -> None:
    board: Any = play_game()
    board.__init__(board)
    assert [move.uci() for move in board.move_stack] == GAME
    board.pop()
    board._check()


# ---- pickles


def restorer(thing: Any) -> Callable[..., Any]:
    """What its pickle calls."""
    function: Callable[..., Any] = thing.__reduce__()[0]
    return function


restore_board = restorer(Board())
restore_move = restorer(Board().parse_uci("e2e4"))


@pytest.mark.parametrize("kind", OWN_CLASSES)
def test_each_class_is_pickled_whole_or_not_at_all(kind: Any) -> None:
    examples: dict[type, Any] = {core.Board: play_game(), core.Move: play_game().move_stack[3]}
    if kind in examples:
        thing = examples[kind]
    else:
        try:
            thing = kind()
        except TypeError:
            return
    try:
        data = pickle.dumps(thing)
    except TypeError:
        assert kind not in examples
    else:
        again = pickle.loads(data)
        assert type(again) is kind
        assert again == thing or again.args == thing.args


def test_no_null_move_in_check_comes_from_a_pickle() -> None:
    """The king was captured next."""
    checks = 0
    for fen in POSITIONS:
        board = Board(fen)
        for move in board.legal_moves():
            board.push(move)
            if board.is_check():
                checks += 1
                with pytest.raises(ValueError, match="no null move in check"):
                    restore_board(fen, False, [move.code, 0])
            board.pop()
    assert checks > 40


@given(seed=st.integers(0, 2**32), spoiled=st.integers(0, 3))
def test_a_restored_game_is_a_game(seed: int, spoiled: int) -> None:
    """Of legal moves, null moves out of check, and some codes that are neither."""
    chance = random.Random(seed)
    root = chance.choice(POSITIONS)
    board, codes = Board(root), []
    for _ in range(chance.randrange(12)):
        moves = board.legal_moves()
        if not moves:
            break
        if not board.is_check() and chance.random() < 0.2:
            board.push_null()
            codes.append(0)
        else:
            board.push(chance.choice(moves))
            codes.append(board.move_stack[-1].code)
    whole = list(codes)
    for _ in range(spoiled):
        codes.insert(
            chance.randrange(len(codes) + 1), chance.choice((0, chance.getrandbits(16), 1 << 20))
        )
    try:
        restored = restore_board(root, False, codes)
    except (ValueError, OverflowError):
        assert codes != whole
        return
    restored._check()
    expected = chess.Board(root)
    for move in restored.move_stack:
        assert move or not expected.is_check()
        assert not move or chess.Move.from_uci(move.uci()) in expected.legal_moves
        expected.push(chess.Move.from_uci(move.uci()))
    assert restored.fen() == expected.fen(en_passant="legal")


@pytest.mark.parametrize("junk", [None, "", "x" * 600, 5, b"8/8", ["a"]])
def test_a_pickle_with_a_wrong_root_is_refused(junk: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        restore_board(junk, False, [])
    if junk != "":  # which are no moves
        with pytest.raises((ValueError, TypeError)):
            restore_board(Board().fen(), False, junk)


def test_each_code_of_a_move_is_one_or_is_refused() -> None:
    """Three of the sixteen kinds do not exist, and castling stays on its rank."""
    board = play_game()
    legal = {move.code for move in board.legal_moves()}
    played = set()
    for code in range(1 << 16):
        origin, target, kind = code & 63, (code >> 6) & 63, code >> 12
        exists = kind not in (3, 6, 7) and (kind != 2 or origin // 8 == target // 8)
        for chess960 in (False, True):
            if not exists:
                with pytest.raises(ValueError, match="no move has the code"):
                    restore_move(code, chess960)
                continue
            move = restore_move(code, chess960)
            assert (move.code, move.from_square) == (code, origin)
            if board._is_legal_code(code):
                played.add(code)
    assert played == legal
    for wrong in (-1, 1 << 16, None, "e2e4"):
        with pytest.raises((OverflowError, TypeError)):
            restore_move(wrong, False)


# ---- subclasses and callbacks


def test_a_subclass_can_not_keep_the_memory_from_a_search() -> None:
    class Idle(core.Searcher):
        def allocate(self) -> None:
            pass

        def allocate_table(self) -> None:
            pass

        def allocate_threads(self) -> None:
            pass

    assert Idle(hash_mb=1).search(Board(), depth=3).depth == 3


def test_a_subclass_may_lie_about_its_legal_moves() -> None:
    """Their list had been taken for as long as the core's own."""

    class Liar(Board):
        legal_moves: Any = property(lambda self: list)

    assert Liar().legal_moves() == []
    run = core.PerftRun(Liar(), 2)
    run.run()
    assert len(run.divide()) == 20
    assert run.nodes == 400


@pytest.mark.parametrize("multipv", [1, 3])
def test_a_listener_may_change_the_list_it_is_given(multipv: int) -> None:
    """The result was once made of as many lines as that list had."""

    def change(infos: list[core.SearchInfo]) -> None:
        infos.extend(infos * 2000)
        del infos[0]

    searcher = core.Searcher(hash_mb=1)
    found = searcher.search(Board(), nodes=3000, multipv=multipv, on_report=change)
    assert len(found.infos) == multipv


def test_the_moves_asked_for_may_move_the_board() -> None:
    board = Board()

    def wanted() -> Iterator[core.Move]:
        yield board.parse_uci("e2e4")
        board.push_uci("e2e4")
        yield board.parse_uci("e7e5")

    searcher: Any = core.Searcher(hash_mb=1)
    found = searcher.search(board, depth=4, searchmoves=wanted())
    assert str(found.best) == "e7e5"


def test_items_may_change_the_list_that_is_packed() -> None:
    items: list[Any] = []

    class Shrinking:
        def __getattr__(self, name: str) -> Any:
            items.clear()
            raise AttributeError(name)

    items += [Shrinking(), *[Board().fen()] * 50]
    with pytest.raises(TypeError, match="a FEN or a board is needed"):
        core.pack_items(items, bytearray(core.PACKED_SIZE * len(items)))


@pytest.mark.parametrize("count", [1, -1, 2**58, 2**59, -(2**59), 2**60, 2**63 - 1])
def test_no_count_makes_a_buffer_longer_than_it_is(count: int) -> None:
    """Times the size of an item some counts are 0 again."""
    with pytest.raises(ValueError, match="items of 32 bytes are needed, not 0 bytes"):
        core.unpack_items(b"", count)


@pytest.mark.parametrize("threads", [1, 2])
def test_helpers_that_nobody_asked_for_find_nothing_to_do(threads: int) -> None:
    searcher: Any = core.Searcher(hash_mb=1, threads=threads)
    searcher._help()
    searcher.search(Board(), depth=3, on_report=lambda _: searcher._help())
    for _ in range(3):
        searcher._help()
    assert searcher.search(Board(), depth=3).depth == 3


@pytest.mark.parametrize(
    "limits",
    [
        *({"depth": -1}, {"mate": -1}, {"multipv": 0}, {"soft_ms": -1}, {"hard_ms": 2**60}),
        *({"start_ns": 2**63 - 1}, {"start_ns": -(2**63)}, {"nodes": -1}, {"depth": 2**80}),
    ],
    ids=str,
)
def test_limits_are_numbers_that_a_search_can_keep(limits: dict[str, Any]) -> None:
    with pytest.raises((ValueError, OverflowError)):
        core.Searcher(hash_mb=1).begin(Board(), **limits)
