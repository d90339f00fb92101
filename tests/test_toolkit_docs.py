"""The examples of docs/PYTHON.md and of the README do what they say; all that is public is told."""

from __future__ import annotations

import doctest
import inspect
import json
import pydoc
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import uci_engine
from core_ext import core
from uci_engine import AsyncEngine, Board, Engine, Move, batch, pgn

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GAMES = """\
[Event "London"]
[White "Anderssen"]
[Black "Kieseritzky"]
[Result "1-0"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5
8. Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8
15. Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6
21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0

[Event "?"]
[White "Someone"]
[Result "0-1"]

1. f3 {[%eval -0.4] odd} (1. e4) e5 2. g4 Qh4# {[%clk 0:01:30]} 0-1

[Event "?"]
[Site "?"]
[White "Careless"]
[Result "*"]

1. e4
e5 2. Ke3 *
"""


def examples(path: Path) -> Iterator[str]:
    return (match.group(1) for match in BLOCK.finditer(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("document", ["docs/PYTHON.md", "README.md"])
@pytest.mark.release_only
def test_examples(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "games.pgn").write_text(GAMES)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for number, text in enumerate(examples(ROOT / document), 1):
        if text.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(text, names, document, document, 0)
            told: list[str] = []
            runner.run(test, out=told.append, clear_globs=False)
            assert not told, f"{document}, example {number}: " + "".join(told)
            names.update(test.globs)
        else:
            exec(compile(text, f"{document}, example {number}", "exec"), names)


CLASSES = [Board, Move, Engine, AsyncEngine, core.LegalMoves, core.PgnBlock, pgn.Game]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_all_that_is_public_says_what_it_does(kind: type) -> None:
    assert kind.__doc__
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        if name.startswith("_") or not (callable(member) or inspect.isdatadescriptor(member)):
            continue
        if inspect.ismemberdescriptor(member) or inspect.isgetsetdescriptor(member):
            continue
        assert getattr(kind, name).__doc__ or inspect.getdoc(member), f"{kind.__name__}.{name}"


@pytest.mark.parametrize("module", [batch, pgn], ids=["batch", "pgn"])
def test_public_functions_say_what_they_do(module: Any) -> None:
    assert module.__doc__
    for name, function in vars(module).items():
        if inspect.isfunction(function) and function.__module__ == module.__name__:
            told = function.__doc__ or name in INNER
            assert told, f"{module.__name__}.{name}"


def test_help_tells_all() -> None:
    """Of batch, every name and every field of what it takes and gives; of Board, every method."""
    told = pydoc.plain(pydoc.render_doc(batch))
    fields = [batch.POSITION.names, batch.found_dtype(1).names]
    for name in [
        *batch.__all__, *(name for names in fields for name in names or ()),
        *batch.GameArrays._fields, *batch.Features._fields,
    ]:  # fmt: skip
        assert re.search(rf"^[ |]*(?:[\w, ]+, )?{name}\b(?!: ')", told, re.MULTILINE), name
    assert "ThreadPoolExecutor" not in told
    told = pydoc.plain(pydoc.render_doc(Board))
    for name in dir(Board):
        assert name.startswith("_") or re.search(rf"\b{name}\b", told), name


# Names that speak for themselves, of functions that only this package calls.
INNER = {"make_game", "add_line", "to_evaluation", "source_name", "keep", "to_columns"}


@pytest.mark.parametrize("name", [name for name in uci_engine.__all__ if name[0].isupper()])
def test_public_names_say_what_they_are(name: str) -> None:
    assert name == "START_FEN" or getattr(uci_engine, name).__doc__


@pytest.mark.release_only
def test_users_type_checkers_are_content(tmp_path: Path) -> None:
    """mypy reads that program with the tests. Pyright comes as basedpyright, which brings the Node
    that it needs from PyPI; its own rules beyond pyright's are left out."""
    checker = shutil.which("basedpyright", path=Path(sys.executable).parent)
    if checker is None:
        pytest.skip("basedpyright is not installed")
    program = ROOT / "tests" / "typed_program.py"
    settings = tmp_path / "pyrightconfig.json"
    settings.write_text(json.dumps({"typeCheckingMode": "strict", "include": [str(program)]}))
    answer = subprocess.run(
        [checker, "--project", settings, "--pythonpath", sys.executable, "--outputjson"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = json.loads(answer.stdout)
    assert found["summary"]["filesAnalyzed"] == 1
    assert found["generalDiagnostics"] == []
    assert answer.returncode == 0
