"""`cythera data`: files of games and positions, looked at and rearranged."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from learn_tools import own_games
from uci_process import run_on_a_full_disk

from uci_engine import batch, cli
from uci_engine.learn import data
from uci_engine.learn.gamefiles import (
    Filter,
    expand,
    format_block,
    is_game_file,
    read_blocks,
    single_games,
)

pytestmark = pytest.mark.release_only


def make_games(count: int, seed: int) -> list[bytes]:
    return own_games(count, seed, soft_nodes=20, hard_nodes=40)


@pytest.fixture(scope="module")
def games() -> list[bytes]:
    return make_games(40, 1)


@pytest.fixture
def files(tmp_path: Path, games: list[bytes]) -> list[Path]:
    """One with a game a block, one with them all in one."""
    paths = [tmp_path / "single.games", tmp_path / "together.games"]
    paths[0].write_bytes(b"".join(format_block(game, 1) for game in games[:25]))
    paths[1].write_bytes(format_block(b"".join(games[25:]), 15))
    return paths


def run(*words: object) -> int:
    return cli.main(["data", *map(str, words)])


def games_of(path: Path) -> list[bytes]:
    return [game for block in read_blocks(path) for game in single_games(block)]


def test_what_is_shown_is_what_is_there(
    files: list[Path], games: list[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", *files) == 0
    shown = capsys.readouterr().out
    plies = sum((len(game) - 32) // 4 for game in games)
    positions = expand(b"".join(games), Filter())
    assert re.search(rf"^games +{len(games)}$", shown, re.MULTILINE)
    assert re.search(rf"^plies +{plies:,}$", shown, re.MULTILINE)
    assert re.search(rf"^positions +{len(positions):,}$", shown, re.MULTILINE)
    draws = 100 * np.mean(positions["result"] == 1)
    if draws:
        assert re.search(rf"^ +draw +{draws:.1f}%", shown, re.MULTILINE)
    even = 100 * np.mean((positions["score"] >= -50) & (positions["score"] < 50))
    count = np.count_nonzero((positions["score"] >= -50) & (positions["score"] < 50))
    assert re.search(rf"^ +-50 to 49 +{even:.1f}% +{count:,} ", shown, re.MULTILINE)


def test_merged_files_hold_all_games(files: list[Path], games: list[bytes], tmp_path: Path) -> None:
    out = tmp_path / "all.games"
    assert run("merge", out, *files) == 0
    assert games_of(out) == games


def test_a_split_keeps_games_whole(files: list[Path], games: list[bytes], tmp_path: Path) -> None:
    learnt, aside = tmp_path / "learnt.games", tmp_path / "aside.games"
    assert run("split", learnt, "--aside", aside, "--share", 0.3, *files) == 0
    parts = [games_of(learnt), games_of(aside)]
    assert all(parts)
    assert sorted(parts[0] + parts[1]) == sorted(games)


def test_shuffled_positions_are_the_same_in_another_order(
    files: list[Path], games: list[bytes], tmp_path: Path
) -> None:
    outs = [tmp_path / name for name in ("first.bin", "second.bin", "other.bin")]
    for out, seed in zip(outs, (1, 1, 2), strict=True):
        assert run("shuffle", out, *files, "--seed", seed) == 0
    positions = expand(b"".join(games), Filter())
    shuffled = np.fromfile(outs[0], dtype=batch.POSITION)
    assert sorted(each.tobytes() for each in shuffled) == sorted(
        each.tobytes() for each in positions
    )
    assert shuffled.tobytes() != positions.tobytes()
    assert outs[0].read_bytes() == outs[1].read_bytes() != outs[2].read_bytes()
    # Neighbours are of one game in the file of games, and seldom after the shuffling.
    assert np.mean(shuffled["result"][1:] == shuffled["result"][:-1]) < 0.8
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [path.name for path in (*files, *outs)]
    )


def test_records_are_shuffled_and_shown_as_well(
    games: list[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = tmp_path / "records.bin"
    positions = expand(b"".join(games), Filter())
    positions.tofile(records)
    assert run("show", records) == 0
    assert f"{len(positions):,}" in capsys.readouterr().out
    assert run("shuffle", tmp_path / "out.bin", records) == 0
    assert (tmp_path / "out.bin").stat().st_size == records.stat().st_size


def test_damage_is_named_by_its_offset_and_skipped_on_request(
    files: list[Path], games: list[bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    blocks = [format_block(game, 1) for game in games[:25]]
    damaged = bytearray(b"".join(blocks))
    offset = sum(map(len, blocks[:3]))
    damaged[offset + 60] ^= 1
    files[0].write_bytes(bytes(damaged))
    out = tmp_path / "all.games"
    assert run("check", *files) == 1
    assert f"single.games: at byte {offset}: a damaged block" in capfd.readouterr().out
    assert run("merge", out, *files) == 2
    assert f"at byte {offset}: a damaged block" in capfd.readouterr().err
    assert not out.exists()
    assert run("merge", out, *files, "--skip") == 0
    assert f"skipped: {files[0]}: at byte {offset}" in capfd.readouterr().err
    assert games_of(out) == games[:3] + games[4:]
    assert run("check", out) == 0


@pytest.mark.parametrize("bit", range(32))
def test_a_file_whose_first_word_is_damaged_is_still_one_of_games(
    files: list[Path],
    games: list[bytes],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    bit: int,
) -> None:
    damaged = bytearray(files[0].read_bytes())
    damaged[bit // 8] ^= 1 << bit % 8
    files[0].write_bytes(damaged)
    problem = f"{files[0]}: at byte 0: no block of games begins here"
    assert run("check", files[0]) == 1
    assert capfd.readouterr().out == f"{problem}\n"
    assert run("merge", tmp_path / "all.games", *files, "--skip") == 0
    assert capfd.readouterr().err == f"skipped: {problem}\n"
    assert games_of(tmp_path / "all.games") == games[1:]


def test_records_are_not_taken_for_games(games: list[bytes], tmp_path: Path) -> None:
    """Neither if the word with which a block begins is in them, nor for a whole block behind the
    first record, where their first one is a position."""
    records = tmp_path / "records.bin"
    positions = expand(b"".join(games), Filter())
    block = format_block(games[0], 1)
    for start in (b"", b"no position" * 32):
        records.write_bytes(start + positions.tobytes() + block[:-1])
        assert not is_game_file(records)
    records.write_bytes(positions.tobytes() + block)
    assert not is_game_file(records)


def test_a_cut_file_of_records_is_named_by_its_offset(
    games: list[bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As the disk was full, say; the other files are checked as well."""
    cut, strange, whole = (tmp_path / f"{name}.bin" for name in ("cut", "strange", "whole"))
    positions = expand(b"".join(games), Filter())
    whole.write_bytes(positions.tobytes())
    cut.write_bytes(positions.tobytes()[:-5])
    strange.write_bytes(b"no position" * 32)
    problem = f"cut.bin: at byte {32 * len(positions) - 32}: the file ends in the midst of"
    assert run("check", strange, cut, whole) == 1
    said = capfd.readouterr().out.splitlines()
    assert said[0] == f"{strange}: item 0 is not a chess position"
    assert problem in said[1]
    assert said[2] == f"{whole}: {len(positions):,} positions, all well"
    assert run("show", cut) == 2
    assert problem in capfd.readouterr().err
    assert run("shuffle", tmp_path / "out.bin", cut, "--skip") == 0
    assert f"skipped: {tmp_path}/{problem}" in capfd.readouterr().err
    assert (tmp_path / "out.bin").stat().st_size == 32 * len(positions) - 32


def test_a_strange_record_is_named_by_its_place_in_the_file(
    games: list[bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It is read in parts."""
    monkeypatch.setattr(data, "RECORDS_AT_ONCE", 100)
    positions = expand(b"".join(games), Filter())[:500].copy()
    positions["result"][203] = 7
    positions.tofile(tmp_path / "own.bin")
    assert run("check", tmp_path / "own.bin") == 1
    assert "own.bin, behind 200 records: item 3 has no result" in capfd.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["merge", "{out}", "{other}"],
        ["split", "{out}", "{other}", "--aside", "{new}"],
        ["split", "{new}", "{other}", "--aside", "{out}"],
        ["shuffle", "{out}", "{other}"],
        ["shuffle", "{out}", "{out}", "{other}"],
    ],
    ids=" ".join,
)
def test_no_games_are_lost_where_out_was_forgotten(
    files: list[Path], tmp_path: Path, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    """Then it is the first of the files that were to be read."""
    out, other = files
    before = [path.read_bytes() for path in files]
    assert run(*(w.format(out=out, other=other, new=tmp_path / "new") for w in words)) == 2
    assert re.fullmatch(
        rf"cythera: {out}: (there is such a file already|its games would be lost), .*\n",
        capfd.readouterr().err,
    )
    assert [path.read_bytes() for path in files] == before
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_positions_are_not_lost_either(
    files: list[Path], games: list[bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    records = tmp_path / "records.bin"
    expand(b"".join(games[:5]), Filter()).tofile(records)
    before = records.read_bytes()
    assert run("shuffle", records, *files) == 2
    assert f"{records}: there is such a file already" in capfd.readouterr().err
    assert records.read_bytes() == before


def test_what_is_read_may_be_written_again(
    files: list[Path], games: list[bytes], tmp_path: Path
) -> None:
    """To add games to a file, to take some out, to shuffle positions; nor is a new file old that
    another program made empty."""
    records, aside = tmp_path / "records.bin", tmp_path / "aside.games"
    expand(b"".join(games), Filter()).tofile(records)
    before = records.read_bytes()
    assert run("shuffle", records, records) == 0
    assert before != records.read_bytes()
    assert len(before) == len(records.read_bytes())
    assert run("merge", files[0], *files) == 0
    assert games_of(files[0]) == games
    aside.touch()
    assert run("split", files[0], files[0], "--aside", aside, "--share", 0.3) == 0
    assert sorted(games_of(files[0]) + games_of(aside)) == sorted(games)
    assert games_of(aside)


@pytest.mark.parametrize("words", [["merge"], ["split", "--aside", "{}/aside"]], ids=" ".join)
def test_what_can_not_be_written_is_named_and_leaves_nothing(
    files: list[Path], tmp_path: Path, words: list[str]
) -> None:
    options = [word.format(tmp_path) for word in words]
    answer = run_on_a_full_disk(1, "data", *options, tmp_path / "out", *files)
    assert answer.returncode == 2
    assert re.fullmatch(r"cythera: \S+/out: File too large\n", answer.stderr)
    assert sorted(tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize("start", [b"", b"CYG"])
def test_a_run_that_was_killed_at_its_first_game_leaves_a_file_of_games(
    files: list[Path], tmp_path: Path, start: bytes
) -> None:
    empty, out = tmp_path / "empty.games", tmp_path / "all.games"
    empty.write_bytes(start)
    assert run("check", empty) == (1 if start else 0)
    assert run("merge", out, empty, *files, "--skip") == 0
    assert len(games_of(out)) == 40


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "game 0 is no game of chess": lambda game: format_block(game[:32] + b"\0\0" + game[34:], 1),
    "game 1 is cut off": lambda game: format_block(game + game[:-6], 2),
    "game 0 is cut off": lambda game: format_block(game[:10], 1),
    "its count of games is 3, but it holds 2": lambda game: format_block(game + game, 3),
}


@pytest.fixture(params=FAULTS)
def faulty(request: pytest.FixtureRequest, games: list[bytes], tmp_path: Path) -> tuple[Path, str]:
    """A file whose second block of three has the right checksum, but not its games; its damage."""
    path = tmp_path / "own.games"
    first, last = format_block(games[0], 1), format_block(games[2], 1)
    path.write_bytes(first + FAULTS[request.param](games[1]) + last)
    return path, f"{path}: at byte {len(first)}: {request.param}"


def test_a_block_without_its_games_is_refused_by_all_that_read_it(
    faulty: tuple[Path, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, damage = faulty
    out, aside = str(tmp_path / "out"), str(tmp_path / "aside")
    assert run("check", path) == 1
    assert capfd.readouterr().out == f"{damage}\n"
    for words in (
        ["data", "show"],
        ["data", "merge", out],
        ["data", "split", "--aside", aside, out],
        ["data", "shuffle", out],
        ["train", out],
    ):
        assert cli.main([*words, str(path)]) == 2
        remedy = "`cythera data merge --skip` leaves it out"
        assert capfd.readouterr().err == f"cythera: {damage} ({remedy})\n"
        assert list(tmp_path.iterdir()) == [path]


def test_a_block_without_its_games_is_left_out_on_request(
    faulty: tuple[Path, str],
    games: list[bytes],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path, damage = faulty
    merged, rest, aside, shuffled = (tmp_path / name for name in ("all", "rest", "aside", "mixed"))
    assert run("show", path, "--skip") == 0
    said = capfd.readouterr()
    assert re.search(r"^games +2$", said.out, re.MULTILINE)
    assert run("merge", merged, path, "--skip") == 0
    assert run("split", rest, path, "--skip", "--aside", aside, "--share", 1) == 0
    assert run("shuffle", shuffled, path, "--skip") == 0
    assert said.err + capfd.readouterr().err == f"skipped: {damage}\n" * 4
    assert games_of(merged) == games_of(aside) == [games[0], games[2]]
    assert shuffled.stat().st_size == 32 * len(expand(games[0] + games[2], Filter()))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "COMMAND"),
        (["cook"], "invalid choice: 'cook'"),
        (["show"], "FILE"),
        (["show", "{folder}/none"], "No such file"),
        (["show", "{folder}"], "Is a directory"),
        (["merge", "{folder}/out", "{folder}/text"], "text: not a file of games"),
        (["shuffle", "{folder}/out", "{folder}/text"], "text: item 0 is not a chess position"),
        (["split", "{folder}/out", "{folder}/text"], "--aside"),
        (["split", "{folder}/s", "{folder}/text", "--aside", "{folder}/./s"], "for both parts"),
    ],
)
def test_wrong_calls_are_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], words: list[str], problem: str
) -> None:
    (tmp_path / "text").write_text("Not everything that is called a file holds games.\n")
    assert run(*(word.format(folder=tmp_path) for word in words)) == 2
    errors = capfd.readouterr().err
    assert errors.count("\n") == 1
    assert problem in errors
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
