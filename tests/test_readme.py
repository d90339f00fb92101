"""README.md shows what is there, and scripts/draw_readme makes its pictures from real runs."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from uci_process import ENVIRONMENT, TIMEOUT

from lib import ROOT
from lib.terminal_picture import COLUMNS, LETTER, MARGIN, draw_terminal
from uci_engine.shell.commands import every_command

pytestmark = pytest.mark.release_only

DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))]
LARGEST_PICTURE = 60_000  # bytes: people load them over slow lines
SVG = "{http://www.w3.org/2000/svg}"


def anchors(document: Path) -> set[str]:
    """By which hosts know the headings of a document."""
    heads = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_its_pictures_are_those_that_the_script_makes() -> None:
    shown = re.findall(
        r"!\[.+\]\(docs/pictures/(.+)\)", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert {*shown} == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}
    source = (ROOT / "scripts" / "draw_readme").read_text(encoding="utf-8")
    for name in shown:
        assert f'"{name}"' in source
        assert (ROOT / "docs" / "pictures" / name).stat().st_size < LARGEST_PICTURE


def test_every_command_that_trusts_a_cluster_is_named() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    row = re.findall(r"^\| a Dask cluster .+$", text, re.MULTILINE)[0]
    named = {words.removeprefix("cythera ").split()[0] for words in re.findall(r"`(.+?)`", row)}
    users = {command.name for command in every_command() if "--cluster" in command.flags}
    assert users == named - {"--cluster"}


def test_the_desk_was_measured_with_the_levels_that_it_names() -> None:
    script = (ROOT / "scripts" / "measure_desk").read_text(encoding="utf-8")
    players = script.partition("\nPLAYERS = (\n")[2].partition("\n)\n")[0]
    levels = [int(level) for level in re.findall(r", (\d+)\),$", players, re.MULTILINE)]
    told = (ROOT / "docs" / "DESK.md").read_text(encoding="utf-8")
    assert f"engines of {min(levels)} to {max(levels)} Elo" in told


def test_two_commands_come_first() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.findall(r"```\n(.*?)```", text, re.DOTALL)[0]
    assert [line.split()[0] for line in first.splitlines()] == ["scripts/engine", "scripts/test"]
    assert text.index("scripts/engine") < text.index("![") < text.index("\n## ")


def test_a_terminal_is_drawn_as_it_is() -> None:
    """Nothing is lost, nothing of it is taken for a tag, and no line leaves the frame."""
    words = [f"word{number}" for number in range(60)]
    output = f"a <tag> & 'more'\n\n  indented\n{' '.join(words)}\n"
    root = xml.fromstring(draw_terminal("a & b", [("cythera d", output)]))
    rows = ["".join(row.itertext()) for row in root.iter(f"{SVG}text")]
    assert rows[:3] == ["$ cythera d", "a <tag> & 'more'", "  indented"]
    assert " ".join(rows[3:]).split() == words
    assert max(map(len, rows)) <= COLUMNS
    assert float(root.attrib["width"]) >= COLUMNS * LETTER + 2 * MARGIN


def test_a_picture_that_there_is_not_is_one_sentence() -> None:
    answer = subprocess.run(
        [sys.executable, ROOT / "scripts" / "draw_readme", "sunset"],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert answer.returncode == 2
    assert answer.stderr.startswith("cythera: README.md has no picture 'sunset'; there are ")
    assert answer.stderr.count("\n") == 1


def test_the_slow_debug_build_is_not_drawn() -> None:
    """Asked for a picture that there is not, so that a failure leaves those that there are."""
    script = str(ROOT / "scripts" / "draw_readme")
    program = (
        "import runpy, sys; from core_ext import core; core.DEBUG = True; "
        f"sys.argv = [{script!r}, 'sunset']; runpy.run_path({script!r}, run_name='__main__')"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={**ENVIRONMENT, "PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip
    assert answer.returncode == 2
    assert answer.stderr.endswith("this core is a debug build\n")
    assert answer.stderr.count("\n") == 1
