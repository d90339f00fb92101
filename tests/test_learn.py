"""Lineages of networks: play, train, judge, again and again, and ended at any moment."""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from html import escape
from pathlib import Path
from typing import Any

import pytest
from browser import Page, browse
from learn_tools import own_games
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from lib import ROOT
from uci_engine import cli
from uci_engine.arena.play import cluster
from uci_engine.arena.play.check import read_checked_games
from uci_engine.arena.results.journal import read_games
from uci_engine.arena.results.stats import Tally
from uci_engine.learn.checkpoint import checkpoint_of
from uci_engine.learn.gamefiles import Filter, format_block, read_blocks
from uci_engine.learn.lineage import FEWEST_GAMES, Lineage, Settings
from uci_engine.learn.lineage_page import rate, rate_matches, samples, write_page
from uci_engine.learn.loop import is_better
from uci_engine.learn.records import read_positions
from uci_engine.learn.sealed import read_sealed, write_sealed
from uci_engine.learn.stopwatch import Stopwatch, machine_time
from uci_engine.network import format_network, read_network

pytestmark = pytest.mark.release_only

GAMES, JUDGING = 20, 4
SMALL = ["--games", GAMES, "--nodes", 10, "--hidden", 32, "--samples", 10_000, "--judging", JUDGING]


def learn(folder: Path, *arguments: Any) -> int:
    return cli.main(["learn", str(folder), *map(str, [*SMALL, *arguments])])


def assert_complete(folder: Path, generations: int, opponents: int) -> None:
    """Every generation has exactly its games, a network that can be read, its match, its report."""
    lineage = Lineage.open(folder, {})
    assert [report.number for report in lineage.reports] == list(range(1, generations + 1))
    for report in lineage.reports:
        blocks = list(read_blocks(lineage.games(report.number)))
        assert len({block.data for block in blocks}) == len(blocks) == GAMES
        assert read_network(str(lineage.network(report.number))).hidden == 32
        journal = lineage.match(report.number).with_suffix(".jsonl")
        numbers = sorted(game.number for game in read_games(journal))
        assert numbers == list(range(opponents * JUDGING))
        assert report.score > 0.5 or not report.accepted
        assert 0 < report.seconds < 1000
    leftovers = [path.name for path in folder.rglob("*") if path.suffix in (".new", ".checkpoint")]
    assert leftovers == []


@pytest.fixture(scope="module")
def lineage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lineage")
    assert learn(folder, "--from", "rules", "--generations", 2) == 0
    return folder


def test_from_the_rules_alone(lineage: Path) -> None:
    """The first player is a network of random weights; the best so far, the same search with
    material alone and the classical evaluation are the judges."""
    assert_complete(lineage, 2, opponents=3)
    first = read_network(str(lineage / "000" / "network.nnue"))
    assert json.loads(first.notes)["weights"] == "random"
    networks = [read_network(str(lineage / f"00{number}" / "network.nnue")) for number in range(3)]
    assert all(each.stands_alone for each in networks)
    assert [each.scale for each in networks] == [200, 200, 200]  # a pawn stays a pawn
    commands = [json.loads(each.notes)["command"] for each in networks[1:]]
    assert "--share 1.0" in commands[0]
    learnt_anew = ("--from", "--rate", "--steepness")
    assert not any(word in each for each in commands for word in learnt_anew)
    assert ["--seed 2" in each for each in commands] == [True, False]  # never the same beginning


def test_a_lineage_from_before_networks_could_stand_alone_goes_on_as_it_is(tmp_path: Path) -> None:
    words = ["--from", "rules", "--generations", 1]
    assert learn(tmp_path, *words, "--hours", 0) == 0
    first = tmp_path / "000" / "network.nnue"
    file = read_network(str(first))
    first.write_bytes(format_network(file._replace(stands_alone=False)))
    assert learn(tmp_path, *words) == 0
    assert not read_network(str(tmp_path / "001" / "network.nnue")).stands_alone
    assert "What is known of endings" in (tmp_path / "index.html").read_text()


def test_from_the_classical_evaluation(tmp_path: Path) -> None:
    """Which is the best so far, and so needs no seat of its own."""
    assert learn(tmp_path, "--generations", 1) == 0
    assert_complete(tmp_path, 1, opponents=2)


def test_what_is_finished_is_not_done_again(lineage: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in lineage.rglob("*")}
    assert learn(lineage, "--generations", 2) == 0
    assert {path: path.stat().st_mtime_ns for path in lineage.rglob("*")} == before
    assert learn(lineage, "--hours", 0) == 0
    assert {path: path.stat().st_mtime_ns for path in lineage.rglob("*")} == before


def test_the_page_shows_every_generation(lineage: Path) -> None:
    page = Page((lineage / "index.html").read_text())
    assert page.links == []
    text = " ".join(page.texts)
    for words in (
        "2 generations",
        f"{2 * GAMES} games",
        "The best is generation",
        "material",
        "classical",
        "more and more from the scores of their searches",
        "the values of the pieces by which it sorts and prunes captures",
    ):
        assert words in text
    assert "What is known of endings" not in text
    shown = browse(lineage / "index.html")
    assert shown.count("<use") >= 2  # men on the board of the first sample game
    assert shown.count("<polyline") >= 2  # rating and error


def column(page: str, head: str) -> list[str]:
    """Of the table of generations."""
    (table,) = (each for each in re.findall(r"<table>.*?</table>", page) if head in each)
    place = re.findall(r"<th.*?>(.*?)</th>", table).index(head)
    rows = re.findall(r"<tr>(<td.*?)</tr>", table)
    return [re.findall(r"<td.*?>(.*?)</td>", row)[place] for row in rows]


def test_positions_count_once_though_they_are_learnt_from_twice(lineage: Path) -> None:
    """The second generation learns from the first one's games as well."""
    opened = Lineage.open(lineage, {})
    own = [len(read_positions(opened.games(number), Filter())) for number in (1, 2)]
    page = (lineage / "index.html").read_text()
    assert column(page, "positions so far") == [f"{own[0]:,}", f"{sum(own):,}"]
    learnt = [report.positions for report in opened.reports]
    assert column(page, "positions learnt") == [f"{each:,}" for each in learnt]
    assert 0 < learnt[0] < own[0]
    assert own[1] < learnt[1] < sum(own) < sum(learnt)


@pytest.fixture
def match(lineage: Path, tmp_path: Path) -> tuple[Lineage, list[str]]:
    """A lineage whose last match may be changed, and two lines of that: description and a game."""
    folder = tmp_path / "copy"
    shutil.copytree(lineage, folder)
    copied = Lineage.open(folder, {})
    return copied, copied.journal(2).read_text().splitlines(keepends=True)[:2]


@pytest.mark.parametrize("move", ["", "e2", "e2e9", "z9z9", "0000", "e2e4qq", "a1a1"])
def test_moves_that_are_not_legal_are_named_by_their_line(
    match: tuple[Lineage, list[str]], move: str
) -> None:
    copied, (description, game) = match
    values = json.loads(game)
    values["moves"][-1] = move
    path = copied.journal(2)
    path.write_text(description + game + json.dumps(values) + "\n")
    said = f"{path}, line 3: move {len(values['moves'])} is not legal: {move!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        list(read_checked_games(path, players=4))


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"moves": ["e2"] * 10**5}, "moves are too many"),
        ({"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, ""),
        ({"white": 99}, "white is out of range: 99"),
        ({"black": -1}, "black is out of range: -1"),
        ({"reason": "\ud800"}, "reason is no short line of text"),
        ({"result": "2-0"}, "result is not one of a finished game: '2-0'"),
    ],
)
def test_games_that_are_none_are_named_on_the_page(
    match: tuple[Lineage, list[str]], fields: dict[str, Any], problem: str
) -> None:
    """They are there to be looked at: the learning goes on without them."""
    copied, (description, game) = match
    changed = json.dumps(json.loads(game) | fields) + "\n"
    copied.journal(2).write_text(description + game + changed)
    assert learn(copied.folder, "--generations", 2) == 0
    page = (copied.folder / "index.html").read_text()
    assert f"002/match.jsonl, line 3: {escape(problem)}" in page
    assert str(copied.folder) not in page
    copied.journal(2).write_text(description)
    assert learn(copied.folder, "--generations", 2) == 0
    assert "match.jsonl" not in (copied.folder / "index.html").read_text()


def test_whatever_is_damaged_in_the_last_match_there_is_a_page(
    match: tuple[Lineage, list[str]],
) -> None:
    copied, lines = match
    data, chance = "".join(lines).encode(), random.Random(3)
    for place in range(0, len(data), 11):
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        copied.journal(2).write_bytes(changed)
        section = "".join(samples(copied))
        assert section.startswith("<section><h2>Games</h2>") or not section
        assert 'id="replay"' in section or "002/match.jsonl" in section or not section


def test_ended_in_any_step_it_goes_on(tmp_path: Path) -> None:
    """What is complete stays, and in the end everything is there exactly once."""
    chance = random.Random(8)
    words = [str(each) for each in [*SMALL, "--from", "rules", "--generations", 1]]
    steps, signals = ("play", "train", "judge"), (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
    for step, how in [*itertools.product(steps, signals), ("the end", signal.SIGKILL)]:
        process = subprocess.Popen(
            [*COMMAND, "learn", str(tmp_path / "lineage"), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if line == f"generation 1: {step}\n":
                time.sleep(chance.uniform(0, 0.3))
                process.send_signal(how)
        assert process.wait(TIMEOUT) in (0, 130, -how)
        assert "Traceback" not in said
    assert process.returncode == 0
    assert_complete(tmp_path / "lineage", 1, opponents=3)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--nodes", "11"], "begun with nodes 10, not 11"),
        (["--from", "classical"], "begun with begin rules, not classical"),
        (["--hidden", "32", "--buckets", "9"], "--buckets: must be from 1 to 8"),
        (["--hidden", "x"], "--hidden: not a whole number: 'x'"),
        (["--hours", "soon"], "--hours"),
    ],
)
def test_other_settings_are_refused(
    lineage: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    assert cli.main(["learn", str(lineage), *arguments]) == 2
    errors = capfd.readouterr().err
    assert errors.count("\n") == 1
    assert problem in errors


def test_a_lineage_changes_its_size(tmp_path: Path) -> None:
    """What is learnt begins anew in each generation."""
    assert learn(tmp_path, "--from", "rules", "--generations", 1) == 0
    lineage = Lineage.open(tmp_path, {})
    lineage.place(2).mkdir()
    checkpoint_of(lineage.network(2)).write_bytes(b"of a training with the settings before")
    larger = ["--games", GAMES + 5, "--hidden", 64, "--buckets", 8, "--danger", "--window", 5]
    assert learn(tmp_path, *larger, "--generations", 2) == 0
    shapes = [read_network(str(lineage.network(number))).shape for number in range(3)]
    assert shapes == [(32, 1, False), (32, 1, False), (64, 8, True)]
    assert Lineage.open(tmp_path, {}).settings.window == 5
    played = [len(list(read_blocks(lineage.games(number)))) for number in (1, 2)]
    assert played == [GAMES, GAMES + 5]
    assert learn(tmp_path, "--buckets", 4, "--generations", 3) == 0
    assert read_network(str(lineage.network(3))).shape == (32, 4, True)


def test_a_lineage_that_does_not_name_its_outputs_has_one(tmp_path: Path) -> None:
    """Nor could its networks see danger, when lineages were written so."""
    assert learn(tmp_path, "--hours", 0) == 0
    values = read_sealed(tmp_path / "learn.json")
    del values["buckets"], values["danger"]
    write_sealed(tmp_path / "learn.json", values)
    assert Lineage.open(tmp_path, {}).settings.shape == (32, 1, False)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--hidden", "33"], "multiple of 32 units"),
        (["--nodes", "9" * 30], "--nodes: must be from 1 to "),
        (["--games", "1"], "--games: must be from 10 to "),
        (["--judging", "9" * 30], "--judging: must be from 1 to "),
        (["--cluster", "local"], "--cluster needs the package distributed"),
    ],
)
def test_what_would_fail_later_is_refused_before_anything_is_written(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    problem: str,
) -> None:
    """Since a lineage keeps most of its settings, its folder would be of no use."""
    monkeypatch.setitem(sys.modules, "distributed", None)  # as if it were not installed
    folder = tmp_path / "lineage"
    assert cli.main(["learn", str(folder), *arguments]) == 2
    errors = capfd.readouterr().err
    assert errors.count("\n") == 1
    assert problem in errors
    assert not folder.exists()


def test_the_fewest_games_are_enough_to_learn_from(tmp_path: Path) -> None:
    few = ["--games", FEWEST_GAMES, "--judging", 1, "--generations", 1]
    assert learn(tmp_path / "rules", *few, "--from", "rules", "--nodes", 1) == 0
    assert learn(tmp_path / "classical", *few) == 0


def test_the_page_of_somebody_else_is_not_replaced(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor is anything written beside it."""
    page = tmp_path / "index.html"
    page.write_text("my site")
    assert learn(tmp_path, "--hours", 0) == 2
    said = f"cythera: {page}: there already, and not a page of cythera learn\n"
    assert capfd.readouterr().err == said
    assert page.read_text() == "my site"
    assert list(tmp_path.iterdir()) == [page]
    page.unlink()
    (tmp_path / "notes.txt").touch()
    assert learn(tmp_path, "--hours", 0) == 0
    assert learn(tmp_path, "--hours", 0) == 0


# ---- ends, locks and time


def start(folder: Path, *arguments: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "learn", str(folder), *map(str, [*SMALL, *arguments])],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        ("play", ["--games", 10**6]),
        ("train", ["--samples", 10**9, "--hidden", 1024, "--threads", 1]),
        ("judge", ["--judging", 10**6]),
    ],
)
def test_the_step_in_hand_ends_when_the_time_is_over(
    lineage: Path, tmp_path: Path, step: str, changes: list[Any]
) -> None:
    """As it was told: that is no interruption. What was done is there for the next run."""
    seconds = 6
    if step == "judge":  # which is the next step then
        begin_with(lineage, tmp_path, "own.games", "network.nnue")
    if step == "train":  # more games than it would play, for a longer training
        (tmp_path / "001").mkdir()
        games = own_games(20, soft_nodes=10, hard_nodes=20)
        own = format_block(b"".join(games), len(games))
        (tmp_path / "001" / "own.games").write_bytes(own * 250)
    process = start(tmp_path, *changes, "--hours", seconds / 3600)
    try:
        _, said = process.communicate(timeout=seconds + 20)
    finally:
        process.kill()
    assert process.returncode == 0, said
    assert [line for line in said.splitlines() if line.startswith("generation 1: ")][-1] == (
        f"generation 1: {step}"
    )
    left = {"play": "own.games", "train": "network.nnue.checkpoint", "judge": "match.jsonl"}
    assert (tmp_path / "001" / left[step]).stat().st_size > 0
    times = Lineage.open(tmp_path, {}).times(1)
    assert times[step] > 0
    assert sum(times.values()) < seconds + 5
    assert "Generation 1 has had" in (tmp_path / "index.html").read_text()


def begin_with(lineage: Path, folder: Path, *names: str) -> Path:
    """A new lineage that has these files of another one's first generation; where they are."""
    place = folder / "001"
    place.mkdir(parents=True)
    for name in names:
        shutil.copy(lineage / "001" / name, place / name)
    return place


def test_a_training_killed_at_its_very_end_leaves_no_checkpoint(
    lineage: Path, tmp_path: Path
) -> None:
    """Between the network and the removal of what it was made from."""
    place = begin_with(lineage, tmp_path, "own.games", "network.nnue")
    (place / "network.nnue.checkpoint").write_bytes(b"any")
    assert learn(tmp_path, "--generations", 1) == 0
    assert_complete(tmp_path, 1, opponents=2)


@pytest.mark.parametrize(
    "notes",
    [
        *("", "[]", "{}", "5", "[" * 100_000, '{"positions": 9}', '{"aside": 0.1}'),
        '{"positions": "x", "aside": 0.1}',
        '{"positions": 9, "aside": NaN}',
        '{"positions": -9, "aside": 0.1}',
    ],
)
def test_a_network_that_no_training_made_is_refused(
    lineage: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], notes: str
) -> None:
    """Before the match that would judge it."""
    place = begin_with(lineage, tmp_path, "own.games")
    path = place / "network.nnue"
    file = read_network(str(lineage / "001" / "network.nnue"))
    path.write_bytes(format_network(file._replace(notes=notes)))
    assert learn(tmp_path, "--generations", 1) == 2
    said = capfd.readouterr().err.splitlines()
    assert said[-1] == f"cythera: {path}: a network without the notes of a training"
    assert not (place / "match.jsonl").exists()


def test_the_page_is_there_from_the_beginning(tmp_path: Path) -> None:
    assert learn(tmp_path, "--hours", 0) == 0
    text = " ".join(Page((tmp_path / "index.html").read_text()).texts)
    assert "0 generations, 0 games, 0.0 hours. The best is generation 0." in text


def test_a_second_run_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """In a folder, and on a file of games."""
    folder = tmp_path / "lineage"
    process = start(folder, "--games", 10**6)
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == "generation 1: play\n"
        games = folder / "001" / "own.games"
        while not games.exists() or not games.stat().st_size:
            assert process.poll() is None
            time.sleep(0.02)
        for command in (["learn", folder, "--hours", 0.001], ["selfplay", games, "--games", 1]):
            assert cli.main([str(word) for word in command]) == 2
            place = command[1]
            assert capfd.readouterr().err == f"cythera: {place}: another run is writing to it\n"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT)
    assert cli.main(["selfplay", str(games), "--games", "1", "--nodes", "10"]) == 0


def test_a_cluster_judges_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a match that begins and in one that goes on."""
    pytest.importorskip("distributed", reason="Dask distributed is not installed")
    words = ["--generations", 1, "--threads", 2, "--cluster", "local"]
    addresses: list[str] = []
    connect = cluster.connect

    def count(address: str, concurrency: int) -> Any:
        addresses.append(address)
        return connect(address, concurrency)

    monkeypatch.setattr(cluster, "connect", count)
    assert learn(tmp_path, *words) == 0
    assert addresses == ["local", "local"]
    assert_complete(tmp_path, 1, opponents=2)
    (tmp_path / "001" / "report.json").unlink()
    journal = tmp_path / "001" / "match.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]))
    assert learn(tmp_path, *words) == 0
    assert addresses == ["local"] * 3
    assert_complete(tmp_path, 1, opponents=2)


@pytest.mark.parametrize(
    ("results", "accepted"),
    [
        ((100, 0, 100), False),
        ((103, 0, 97), False),  # 51.5%, and the standard error is 3.5%
        ((108, 0, 92), True),
        ((2, 197, 1), False),  # draws make it small
        ((6, 193, 1), True),
        ((0, 200, 0), False),
        ((4, 0, 0), True),
    ],
)
def test_what_may_be_chance_is_not_accepted(results: tuple[int, int, int], accepted: bool) -> None:
    assert is_better(Tally(*results)) == accepted


def test_time_is_written_down_as_it_passes() -> None:
    """Whoever is killed has it all but for the last moments."""
    told: list[float] = []
    start = time.monotonic()
    with Stopwatch(told.append, every=0.01):
        while len(told) < 5:
            time.sleep(0.01)
        before = sum(told)
    assert 0.03 < before <= sum(told) <= time.monotonic() - start


BUSY = "import time\nwhile time.process_time() < 0.5: pass"


def test_machine_time_is_work() -> None:
    """Of this program and its children, shared out among the threads; waiting is none."""
    told: list[float] = []
    with Stopwatch(told.append, clock=lambda: machine_time(1)):
        time.sleep(0.3)
    assert sum(told) < 0.2
    with Stopwatch(told.append, clock=lambda: machine_time(2)):
        subprocess.run([sys.executable, "-c", BUSY], check=True)
    assert 0.2 <= told[-1] < 1


def learnt_from(lineage: Lineage, number: int) -> list[int]:
    return [int(path.parent.name) for path in lineage.learnt_from(number)]


def test_old_generations_are_forgotten(tmp_path: Path) -> None:
    lineage = Lineage(tmp_path, Settings(window=3))
    for number in range(1, 10):
        lineage.place(number).mkdir()
        lineage.games(number).touch()
    learnt = [learnt_from(lineage, number) for number in (1, 2, 3, 4, 9)]
    assert learnt == [[1], [1, 2], [2, 3], [2, 3, 4], [7, 8, 9]]
    lineage.games(8).unlink()
    assert learnt_from(lineage, 9) == [7, 9]


def test_a_lineage_goes_on_without_the_games_of_old_generations(
    lineage: Path, tmp_path: Path
) -> None:
    """Neither those it learnt from nor those that judged: reports and networks are enough."""
    folder = tmp_path / "moved"
    large = shutil.ignore_patterns("own.games", "match*", "index.html", "times.json")
    shutil.copytree(lineage, folder, ignore=large)
    before = Lineage.open(folder, {})
    assert rate(before) == rate(Lineage.open(lineage, {}))
    write_page(before)
    assert "2 generations" in (folder / "index.html").read_text()
    assert learn(folder, "--generations", 3) == 0
    assert [report.number for report in Lineage.open(folder, {}).reports] == [1, 2, 3]


def test_ratings_by_reports_are_those_by_games(lineage: Path) -> None:
    opened = Lineage.open(lineage, {})
    journals = [opened.journal(report.number) for report in opened.reports]
    by_games = rate_matches(journals, "material")
    assert rate(opened) == {name: pytest.approx(each) for name, each in by_games.items()}


def test_generations_are_rated_among_others(lineage: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rated"
    shutil.copytree(lineage, folder)
    command = [sys.executable, str(ROOT / "scripts/rate_lineage"), str(folder), "--games", "2"]
    done = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    table = re.findall(r"^(\S.*?) +([+-]\d+) ± \d+$", done.stdout, re.MULTILINE)
    names = {name for name, _ in table}
    assert {"random mover", "material", "classical", "level 1000", "level 2200"} <= names
    assert {"generation 0", "generation 1", "generation 2"} <= names
    assert ("material", "+0") in table
    assert "generation" in (folder / "rating" / "curve.svg").read_text()
