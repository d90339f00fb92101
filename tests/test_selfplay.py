"""Games against itself: what is played, and the files that they are kept in."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import chess
import chess.engine
import numpy as np
import pytest
from chess.engine import Limit
from hypothesis import given, settings
from hypothesis import strategies as st
from learn_tools import own_games
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT, run_on_a_full_disk

from core_ext import core
from uci_engine import Board, batch, cli
from uci_engine.learn import selfplay
from uci_engine.learn.gamefiles import (
    HEADER,
    Damage,
    Filter,
    expand,
    format_block,
    is_game_file,
    read_blocks,
    repair_end,
)
from uci_engine.learn.parameters import first_parameters, quantise
from uci_engine.learn.selfplay import SelfPlayStation
from uci_engine.network import OWN_NETWORK

pytestmark = pytest.mark.release_only

NODES = 150
ALL_POSITIONS = Filter(largest_score=32_000, noisy=True)
SURELY_WON = 20_000  # centipawns that UCI tells of it
LEAST_MATE = 31_744


def play(path: Path, games: int, *, seed: int) -> bytes:
    """By one thread, so that the order of the games is the same every time."""
    arguments = ["--games", games, "--nodes", NODES, "--seed", seed, "--threads", 1]
    assert cli.main(["selfplay", str(path), *map(str, arguments)]) == 0
    return path.read_bytes()


@pytest.fixture(scope="module")
def games() -> list[bytes]:
    return own_games(12, seed=7)


@pytest.fixture(scope="module")
def positions(games: list[bytes]) -> batch.Positions:
    return expand(b"".join(games), Filter())


# ---- the games


def test_wanted_positions_are_quiet_ones_with_the_game_s_result(
    positions: batch.Positions,
) -> None:
    assert len(positions) > 100
    for fen in batch.fens(positions):
        board = chess.Board(fen)
        assert board.is_valid()
        assert not board.is_check()
        assert any(board.legal_moves)
    assert set(positions["result"]) <= {0, 1, 2}
    assert np.abs(positions["score"]).max() <= 3000
    assert len(set(positions["result"])) > 1
    # Who is far ahead mostly wins.
    ahead = positions[np.abs(positions["score"]) > 600]
    agreeing = (ahead["result"].astype(int) - 1) * np.sign(ahead["score"]) == 1
    assert agreeing.mean() > 0.8


def test_a_filter_takes_what_it_says(games: list[bytes]) -> None:
    game = max(games, key=len)
    everything = expand(game, ALL_POSITIONS)
    assert len(everything) == core.check_games(game)[1]
    boards = [chess.Board(fen) for fen in batch.fens(everything)]
    # Each position follows from the one before by a move; that move says what is quiet.
    moves = [
        next(move for move in board.legal_moves if after_move(board, move) == later.epd())
        for board, later in pairwise(boards)
    ]
    quiet = [
        not (board.is_check() or board.is_capture(move) or move.promotion)
        for board, move in zip(boards, moves, strict=False)
    ]
    expected = [board.epd() for board, is_quiet in zip(boards, quiet, strict=False) if is_quiet]
    found = expand(game, Filter(largest_score=32_000))
    assert [chess.Board(fen).epd() for fen in batch.fens(found)][: len(expected)] == expected
    assert len(expand(game, Filter(first_ply=10, largest_score=32_000, noisy=True))) == max(
        0, len(everything) - 10
    )
    small = expand(game, Filter(largest_score=50, noisy=True))
    assert len(small) == np.count_nonzero(np.abs(everything["score"].astype(int)) <= 50)


def after_move(board: chess.Board, move: chess.Move) -> str:
    board.push(move)
    text = board.epd()
    board.pop()
    return text


class Splitmix:
    """The generator of the core's random openings, from its published definition."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        mask = 2**64 - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)


def random_opening(random: Splitmix, plies: int) -> Board | None:
    board = Board()
    for _ in range(plies):
        moves = board.legal_moves()
        if not moves:
            return None
        board.push(moves[random.next() % len(moves)])
    return board if board.legal_count() else None


@pytest.fixture
def client() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(COMMAND, timeout=TIMEOUT, env=ENVIRONMENT) as client:
        client.configure({"Hash": 4, "Evaluation": "classical"})
        yield client


def replay(
    client: chess.engine.SimpleEngine, random: Splitmix
) -> tuple[list[tuple[str, int]], int]:
    """A game's positions and scores, and its result: the same game, played by the UCI engine."""
    game, limit = object(), Limit(nodes=NODES)
    plies = 8 + (random.next() & 1)
    while True:
        opening = random_opening(random, plies)
        if opening is None:
            continue
        board = opening.to_chess()
        if abs(score_of(client.analyse(board, limit, game=game), board)) <= 400:
            break
    kept = []
    winning, even, ply = 0, 0, 0
    while True:
        played = client.play(board, limit, game=game, info=chess.engine.INFO_ALL)
        score = score_of(played.info, board)
        assert played.move is not None
        kept.append((board.fen(), score))
        board.push(played.move)
        ply += 1
        winning = winning + 1 if abs(score) >= 1500 else 0
        even = even + 1 if abs(score) <= 8 else 0
        if board.is_checkmate():
            return kept, 0 if board.turn else 2
        if (
            board.is_stalemate()
            or board.is_repetition(3)
            or board.halfmove_clock >= 100
            or board.is_insufficient_material()
        ):
            return kept, 1
        if winning >= 6:
            return kept, 2 if score > 0 else 0
        if (even >= 12 and ply >= 80) or ply >= 400:
            return kept, 1


def score_of(info: chess.engine.InfoDict, board: chess.Board) -> int:
    """From White's side; a mate is worth 32,000 less its distance in plies."""
    score = info["score"].relative
    mate = score.mate()
    if mate is None:
        number = score.score()
        assert number is not None
        assert abs(number) != SURELY_WON or "lowerbound" in info or "upperbound" in info
    else:
        number = 32_001 - 2 * mate if mate > 0 else -32_000 - 2 * mate
    return number if board.turn else -number


def as_told(score: int, told: int) -> int:
    """The hair by which draws differ is not told; of a mate that the end of the search left as a
    bound, whose moves are not known, only that the game is won."""
    if abs(score) == 1:
        return 0
    if abs(told) == SURELY_WON and abs(score) > LEAST_MATE:
        return SURELY_WON if score > 0 else -SURELY_WON
    return score


def test_the_uci_engine_plays_the_same_games(client: chess.engine.SimpleEngine) -> None:
    for number, game in enumerate(own_games(3, seed=3, soft_nodes=0, hard_nodes=NODES)):
        found = expand(game, ALL_POSITIONS)
        expected, result = replay(client, Splitmix(3000 + number))
        scores = [
            as_told(score, told)
            for score, (_, told) in zip(found["score"].tolist(), expected, strict=True)
        ]
        assert list(zip(batch.fens(found), scores, strict=True)) == expected
        assert set(found["result"]) == {result}


@pytest.mark.parametrize("seed", range(8))
def test_a_soft_limit_lets_an_iteration_end(seed: int) -> None:
    """With one of a single node each search is that of depth 1: for the opening, for the move."""
    game = own_games(1, seed=seed, soft_nodes=1, hard_nodes=10**9, lost_opening=32_000)[0]
    found = expand(game, ALL_POSITIONS)
    board = batch.unpack(found[:1])[0]
    searcher = core.Searcher(hash_mb=4)
    searcher.search(board, depth=1)
    result = searcher.search(board, depth=1)
    assert found["score"][0] == (result.score if board.turn else -result.score)
    assert result.best is not None
    board.push(result.best)
    assert batch.fens(found[1:2]) == [board.fen()]


# ---- files


def test_a_seed_repeats_the_games(tmp_path: Path) -> None:
    first = play(tmp_path / "first.games", 2, seed=5)
    assert play(tmp_path / "second.games", 2, seed=5) == first
    assert play(tmp_path / "third.games", 2, seed=6) != first


def test_a_run_goes_on_behind_what_is_there(tmp_path: Path) -> None:
    """With new games, also for an old seed; a block that was cut off is dropped."""
    path = tmp_path / "own.games"
    first = play(path, 2, seed=5)
    path.write_bytes(first + first[:40])
    both = play(path, 2, seed=5)
    assert both.startswith(first)
    blocks = [block.data for block in read_blocks(path)]
    assert len(blocks) == len(set(blocks)) == 4


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_run_can_be_ended_at_any_moment(tmp_path: Path, how: signal.Signals) -> None:
    path = tmp_path / "own.games"
    command = [*COMMAND, "selfplay", str(path), "--games", "1000000", "--nodes", str(NODES)]
    process = subprocess.Popen(
        [*command, "--threads", "2"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    )
    while not path.exists() or not path.stat().st_size:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    _, errors = process.communicate(timeout=TIMEOUT)
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert re.fullmatch(r"interrupted[^\n]*\n\d+ of 1000000 games[^\n]*\n", errors)
    repair_end(path)
    before = [block.data for block in read_blocks(path)]
    assert before
    play(path, 1, seed=1)
    assert [block.data for block in read_blocks(path)][:-1] == before


def test_files_are_merged_by_writing_one_behind_the_other(
    tmp_path: Path, games: list[bytes]
) -> None:
    path = tmp_path / "own.games"
    path.write_bytes(format_block(b"".join(games[:5]), 5) + format_block(games[5], 1))
    assert is_game_file(path)
    assert [(block.games, block.data) for block in read_blocks(path)] == [
        (5, b"".join(games[:5])),
        (1, games[5]),
    ]


@pytest.fixture(scope="module")
def two_blocks(games: list[bytes]) -> tuple[bytes, bytes]:
    return format_block(games[0], 1), format_block(games[1], 1)


def read_all(path: Path) -> tuple[list[bytes], list[Damage]]:
    damages: list[Damage] = []
    return [block.data for block in read_blocks(path, damages.append)], damages


def test_every_cut_is_named_and_loses_only_what_is_cut(
    tmp_path: Path, two_blocks: tuple[bytes, bytes]
) -> None:
    whole = b"".join(two_blocks)
    path = tmp_path / "own.games"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        data, damages = read_all(path)
        ends = [0, len(two_blocks[0]), len(whole)]
        intact = sum(end <= length for end in ends[1:])
        assert [format_block(each, 1) for each in data] == list(two_blocks[:intact])
        if length in ends:
            assert not damages
        else:
            assert damages[0].offset == ends[intact]
            assert damages[0].is_end
            with pytest.raises(ValueError, match=f"at byte {ends[intact]}: the file ends"):
                list(read_blocks(path))


@settings(max_examples=300)
@given(data=st.data())
def test_no_flipped_bit_is_learned_from(data: st.DataObject) -> None:
    games = GAMES_TO_DAMAGE
    blocks = [format_block(game, 1) for game in games]
    whole = bytearray(b"".join(blocks))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= 1 << data.draw(st.integers(0, 7))
    path = DAMAGED
    path.write_bytes(bytes(whole))
    found, damages = read_all(path)
    hit = next(
        index
        for index in range(len(blocks))
        if place < sum(len(block) for block in blocks[: index + 1])
    )
    assert found == [*games[:hit], *games[hit + 1 :]]
    assert damages[0].offset == sum(map(len, blocks[:hit]))
    if hit < len(blocks) - 1:
        with pytest.raises(ValueError, match=r"at byte"):
            repair_end(path)
    assert path.read_bytes() == whole


GAMES_TO_DAMAGE = own_games(3, seed=9, soft_nodes=20, hard_nodes=40)


@pytest.fixture(scope="module", autouse=True)
def _damaged(tmp_path_factory: pytest.TempPathFactory) -> None:
    global DAMAGED
    DAMAGED = tmp_path_factory.mktemp("damaged") / "own.games"


DAMAGED = Path()


@settings(max_examples=200)
@given(data=st.binary(max_size=400))
def test_any_bytes_are_games_or_refused(data: bytes) -> None:
    try:
        _, plies = core.check_games(data)
    except ValueError:
        return
    room = np.zeros(plies, dtype=batch.POSITION)
    count = 0
    with contextlib.suppress(ValueError):
        count = core.expand_games(data, room, 0, 3000, True)
    assert 0 <= count <= plies


@pytest.mark.parametrize(
    "change",
    [
        lambda game: game[:-1],
        lambda game: game + b"x",
        lambda game: game[:8] + b"\xff" * 16 + game[24:],  # men that are none
        lambda game: game[:30] + b"\x03" + game[31:],  # no result
        lambda game: game[:32] + b"\0\0" + game[34:],  # a null move
    ],
)
def test_bytes_that_are_no_game_are_refused(
    games: list[bytes], change: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(ValueError, match=r"^game \d+ is (cut off|no game of chess)$"):
        expand(change(games[0]), Filter())


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "FILE"),
        (["{folder}"], "Is a directory"),
        (["{folder}/none/own.games"], "No such file or directory"),
        (["{folder}/text"], "text: not a file of games\n"),
        (["{folder}/network"], "network: not a file of games\n"),
        (["{folder}/own.games", "--games", "0"], "--games: must be at least 1: '0'"),
        (["{folder}/own.games", "--nodes", "many"], "--nodes: not a whole number: 'many'"),
        (["{folder}/own.games", "--nodes", "9" * 20], "--nodes: must be from 1 to"),
        (["/dev/zero"], "/dev/zero: a device, not a file"),
        (["{folder}/short"], "short: not a file of games\n"),
        (["/proc/version", "--nodes", "20"], "/proc/version: "),
        (["{folder}/own.games", "--threads", "99999"], "--threads: must be from 1 to"),
        (["{folder}/own.games", "--plies", "5000"], "--plies: must be from 1 to"),
        (["{folder}/own.games", "--seed", "x"], "--seed: not a whole number: 'x'"),
        (["{folder}/own.games", "--network", "{folder}/text"], "not a network file"),
    ],
)
def test_wrong_self_play_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    text, short = tmp_path / "text", tmp_path / "short"
    text.write_text("Not everything that is called a file holds games.\n")
    short.write_text("precious\n")
    shutil.copy(OWN_NETWORK, tmp_path / "network")
    before = text.read_bytes(), short.read_bytes()
    code = cli.main(["selfplay", *(each.format(folder=tmp_path) for each in arguments)])
    errors = capfd.readouterr().err
    assert (code, errors.count("\n")) == (2, 1)
    assert problem in errors
    assert (text.read_bytes(), short.read_bytes()) == before


def test_a_file_that_can_not_be_written_ends_the_run(tmp_path: Path) -> None:
    words = ("selfplay", tmp_path / "own.games", "--games", 3, "--nodes", 20)
    answer = run_on_a_full_disk(0, *words)
    assert answer.returncode == 2
    assert answer.stderr.endswith("/own.games: File too large\n")
    assert answer.stderr.count("\n") == 1


def test_a_game_is_the_same_whatever_was_played_before() -> None:
    player = core.SelfPlayer(soft_nodes=20, hard_nodes=40)
    games = [player.play(seed) for seed in (1, 2, 1)]
    assert games[0] == games[2] != games[1]


def test_a_game_can_be_stopped_by_another_thread() -> None:
    player = core.SelfPlayer(soft_nodes=10**9, hard_nodes=10**15)
    played: list[bytes | None] = []
    thread = threading.Thread(target=lambda: played.append(player.play(1)))
    thread.start()
    while thread.is_alive():
        player.stop()
        thread.join(0.05)
    assert played == [None]


def test_a_game_is_given_up_when_the_same_side_has_been_winning() -> None:
    """To a network that knows nothing that changes all the time."""
    network = core.Network(quantise(first_parameters(32, 1, 3), 32, 1), 32, 1, 400, True)
    plies = 6
    lengths = []
    for game in own_games(
        20, network=network, lost_opening=30_000, win_score=1, win_plies=plies, draw_score=-1
    ):
        signs = np.sign(expand(game, ALL_POSITIONS)["score"].astype(int))
        for end in range(plies, len(signs)):
            assert set(signs[end - plies : end]) not in ({1}, {-1})
        lengths.append(len(signs))
    assert max(lengths) > 2 * plies


def test_by_the_rules_alone_no_game_is_given_up() -> None:
    """They end in mate or in a draw that the rules know, or after 400 plies."""
    job = selfplay.SelfPlayJob("1", nodes=30, rules=True)
    games = SelfPlayStation(job).do(range(12), lambda: False, print)
    results = []
    for game in games:
        found = expand(game, ALL_POSITIONS)
        board = batch.unpack(found[-1:])[0]
        last = core.move_of_code(int.from_bytes(game[-4:-2], "little"), False)
        board.push(last)
        results.append(found["result"][0])
        if results[-1] != 1:
            assert board.is_checkmate()
    assert len(set(results)) > 1


@pytest.mark.parametrize("cluster", [[], ["--cluster", "local"]])
def test_hands_play_the_same_games(tmp_path: Path, cluster: list[str]) -> None:
    """Threads and the workers of a cluster, in any order."""
    if cluster:
        pytest.importorskip("distributed", reason="Dask distributed is not installed")
    path = tmp_path / "own.games"
    words = ["--games", "40", "--nodes", "20", "--seed", "3", "--threads", "2", *cluster]
    words += ["--network", "classical"]
    assert cli.main(["selfplay", str(path), *words]) == 0
    job = selfplay.SelfPlayJob("3 0", nodes=20)
    expected = SelfPlayStation(job).do(range(40), lambda: False, print)
    assert sorted(block.data for block in read_blocks(path)) == sorted(expected)


def test_a_header_is_as_long_as_it_says() -> None:
    assert len(format_block(b"", 0)) == HEADER.size
