"""Lineages of networks: play, train, judge, again and again, and ended at any moment."""

from __future__ import annotations

import itertools
import json
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from browser import Page, browse
from uci_process import COMMAND, ENVIRONMENT, TIMEOUT

from uci_engine import cli
from uci_engine.arena.results.journal import read_games
from uci_engine.learn.gamefiles import read_blocks
from uci_engine.learn.lineage import Lineage, Report, Settings
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
        assert report.accepted == (report.score > 0.5)
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
    trained = json.loads(networks[1].notes)
    assert "--share 1.0" in trained["command"]


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


def test_a_size_that_no_network_has_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Before the first game is played."""
    folder = tmp_path / "lineage"
    assert cli.main(["learn", str(folder), "--hidden", "33"]) == 2
    assert "multiple of 32 units" in capfd.readouterr().err
    assert not folder.exists()


@pytest.mark.parametrize("name", ["learn.json", "001/report.json", "001/times.json"])
@pytest.mark.parametrize("text", ["", "[]", "{", '{"begin": 5}', "[" * 100_000, '{"play": "x"}'])
def test_damaged_files_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    lineage = Lineage.open(tmp_path, {"games": GAMES, "nodes": 10, "hidden": 32})
    lineage.place(1).mkdir()
    lineage.add(Report(1, False, 0.5, 1, 0.1, 1.0))
    (tmp_path / name).write_text(text)
    if name.endswith("times.json"):
        (tmp_path / "001" / "report.json").unlink()
    assert cli.main(["learn", str(tmp_path), "--generations", "1"]) == 2
    errors = capfd.readouterr().err.splitlines()
    assert errors[-1].endswith(f"{tmp_path / name}: not written by cythera learn")


def test_old_generations_are_forgotten() -> None:
    lineage = Lineage(Path(), Settings(window=3))
    learnt = [[int(path.parent.name) for path in lineage.learnt_from(n)] for n in (1, 2, 3, 4, 9)]
    assert learnt == [[1], [1, 2], [2, 3], [2, 3, 4], [7, 8, 9]]
