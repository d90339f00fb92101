"""docs/LAB.md: its code is the code, its commands run, its pictures are there."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

from uci_engine.lab import algorithms, command, mcts

pytestmark = pytest.mark.release_only

# Beside the tests, not beside the package: the debug build's package stands in a folder of its own.
DOCS = Path(__file__).parent.parent / "docs"
TEXT = (DOCS / "LAB.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n# (\w+)\.py\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize(("module", "source"), BLOCKS, ids=[b.split("(")[0] for _, b in BLOCKS])
def test_every_function_is_shown_as_it_stands(module: str, source: str) -> None:
    found = re.match(r"def (\w+)", source)
    assert found is not None
    code = importlib.import_module(f"uci_engine.lab.{module}")
    assert source == inspect.getsource(getattr(code, found[1]))


def test_the_algorithms_are_all_there() -> None:
    shown = {source.split("(")[0].removeprefix("def ") for _, source in BLOCKS}
    for module, left_out in (
        (algorithms, {"best_first", "static", "heuristic_alphabeta", "expectimax"}),
        (mcts, {"simulate", "most_visited", "pure_mcts"}),
    ):
        functions = {
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__
        }
        assert functions - shown == left_out


def test_every_experiment_is_told_about_with_its_picture() -> None:
    for name in command.EXPERIMENTS:
        assert f"cythera lab {name}" in TEXT
    drawn = re.findall(
        r"^cythera lab (\S+).*\n```\n\n!\[.+\]\(lab/(.+)\.svg\)$", TEXT, re.MULTILINE
    )
    assert [name for name, _ in drawn] == [*command.EXPERIMENTS]  # scripts/draw_lab finds them so
    for name, picture in drawn:
        assert picture in (name, f"{name}-2")
        assert (DOCS / "lab" / f"{picture}.svg").is_file()
    assert {path.stem for path in (DOCS / "lab").iterdir()} == {name for _, name in drawn}
    for link in re.findall(r"\]\((\.\./[\w/.]+)\)", TEXT):
        assert (DOCS / link).resolve().is_file()
