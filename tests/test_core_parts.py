"""The compiled core is one unit of many parts; each uses only what stands above it.

Cython itself would not mind: within a unit it knows every name before it looks at any body. So the
parts are read here, as far as needed to tell the names they define from the names they use.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

pytestmark = pytest.mark.release_only

CORE = Path(__file__).parent.parent / "core_ext"
UNIT = (CORE / "core.pyx").read_text(encoding="utf-8")
PARTS = re.findall(r'^include "(.+)"$', UNIT, re.MULTILINE)

SILENT = re.compile(
    r'"""(?:.|\n)*?"""|#[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''  # text and comments
)
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
BRACKETED = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|\([^()]*\)")
DECLARING = re.compile(r"\s*(?:cdef|cpdef|ctypedef)\s+(?:(?:inline|readonly|public|const)\s+)*")
NOT_NAMES = {*keyword.kwlist, "extern", "noexcept", "nogil", "gil"}


def logical_lines(text: str) -> Iterator[str]:
    """Lines without text and comments; what brackets hold together is one line."""
    whole = ""
    for line in SILENT.sub('""', text).splitlines():
        whole = f"{whole} {line.strip()}" if whole else line.rstrip()
        if sum(whole.count(opening) for opening in "([{") <= sum(
            whole.count(closing) for closing in ")]}"
        ):
            if whole.strip():
                yield whole
            whole = ""


def declared(declaration: str) -> set[str]:
    """The names in `u64 a, b[2]`, in `int f(int x) noexcept nogil`, in `void (*f)(int x)`."""
    names = set(re.findall(r"\(\*(\w+)\)", declaration))
    if names:
        return names
    while BRACKETED.search(declaration):
        declaration = BRACKETED.sub(" ", declaration)
    for declarator in declaration.split(","):
        words = [
            word for word in NAME.findall(re.split("[=:]", declarator)[0]) if word not in NOT_NAMES
        ]
        names.update(words[-1:])
    return names


def parameters(line: str) -> set[str]:
    """The parameters of a function, from the line that begins it."""
    inner = re.search(r"\((.*)\)", line)
    return declared(inner[1]) if inner else set()


def bindings(line: str, member: bool) -> set[str]:
    """The names that a line binds; a member's line declares without saying cdef."""
    heading = re.match(r"\s*(?:cdef |ctypedef )?(class|struct|enum|def)\s*(\w*)", line)
    if heading:
        return {heading[2]} | (parameters(line) if heading[1] == "def" else set())
    names = re.findall(r"\bimport (\w+)", line)
    if " cimport " in f" {line}":
        names += NAME.findall(line.split("cimport")[1])
    if DECLARING.match(line):
        names += [*declared(DECLARING.sub("", line)), *parameters(line)]
    elif member:
        names += [*declared(line), *parameters(line)]
    assigned = re.match(r"\s*([\w, ]+?)(?:\[:\])? =(?!=)", line)
    names += NAME.findall(assigned[1]) if assigned and not DECLARING.match(line) else []
    names += [each for loop in re.findall(r"\bfor (.+?) in\b", line) for each in NAME.findall(loop)]
    return {*names, *re.findall(r"\bas (\w+)", line), *re.findall(r"(\w+)=(?!=)", line)}


def blocks(text: str) -> Iterator[list[str]]:
    """What stands in the first column, each with the lines indented below it."""
    block: list[str] = []
    for line in logical_lines(text):
        if block and not line.startswith(" "):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def names_in(block: list[str]) -> tuple[set[str], set[str]]:
    """The names that a block gives to the parts below, and all that it binds."""
    has_members = re.match(r"c(type)?def (extern|enum|struct)", block[0]) is not None
    bound = [bindings(line, has_members) for line in block]
    given = bound[0] - parameters(block[0])
    if has_members and "struct" not in block[0]:
        for line, names in zip(block, bound, strict=True):
            if re.match(" {4}\\S", line):
                given |= names - parameters(line)
    return given, set().union(*bound)


def uses_from_below(parts: dict[str, str]) -> list[str]:
    """Names that a part uses and only a later one defines."""
    defined_in: dict[str, int] = {}
    for number, text in enumerate(parts.values()):
        for block in blocks(text):
            for name in names_in(block)[0]:
                defined_in.setdefault(name, number)
    faults = []
    for number, (part, text) in enumerate(parts.items()):
        for block in blocks(text):
            used = {name for line in block for name in NAME.findall(line)} - names_in(block)[1]
            faults += [
                f"{part}: {name}" for name in sorted(used) if defined_in.get(name, 0) > number
            ]
    return faults


def test_a_part_uses_only_what_stands_above_it() -> None:
    parts = {part: (CORE / part).read_text(encoding="utf-8") for part in PARTS}
    assert uses_from_below(parts) == []


def test_the_unit_holds_every_part_once_and_folder_by_folder() -> None:
    files = sorted(path.relative_to(CORE).as_posix() for path in CORE.glob("*/*.pxi"))
    assert sorted(PARTS) == files
    assert {*logical_lines(UNIT)} == {'""', 'include ""'}
    folders = [folder for folder, _ in groupby(part.split("/")[0] for part in PARTS)]
    assert len(folders) == len(set(folders))


@pytest.mark.parametrize(
    "below",
    [
        "cdef inline int later(int square) noexcept nogil:\n    return 1\n",
        "cdef int later = 3, other\n",
        "cdef u64[64] later\nlater[:] = [0]\n",
        "cdef u64 later[2][64]  # text\n",
        "cdef enum:\n    FIRST = 1\n    later\n",
        "cdef struct later:\n    int first\n",
        "ctypedef int16_t[12][64] later\n",
        'cdef extern from *:\n    """\n    text\n    """\n    int later "name"(u64) nogil\n',
        "cdef class later:\n    pass\n",
        "def later(a, b=1):\n    pass\n",
        "later = 3\n",
        "from libc.math cimport log, later\n",
    ],
)
@pytest.mark.parametrize(
    ("above", "is_fault"),
    [
        ("cdef int f() noexcept nogil:\n    return later(\n        1)\n", True),
        ("cdef class A:\n    def f(self):\n        return [later for _ in self]\n", True),
        ("cdef void f(later* a) noexcept nogil:\n    pass\n", True),
        ("cdef struct S:\n    later first\n", True),
        ("cdef enum:\n    A = later + 1\n", True),
        ("cdef class A(later):\n    pass\n", True),
        ("later(1)\n", True),
        ("cdef int f(int later) noexcept nogil:\n    return later\n", False),
        ("cdef int f() noexcept nogil:\n    cdef u64 a, later = 1\n    return later\n", False),
        ('def f(self):\n    """later"""\n    return self.later  # later\n', False),
        ("cdef struct S:\n    u64 later[2]\n", False),
        ("def f():\n    for later in f:\n        g(later)\n", False),
    ],
)
def test_a_use_from_below_is_found(above: str, is_fault: bool, below: str) -> None:
    assert uses_from_below({"above": above, "below": below}) == ["above: later"] * is_fault
    assert uses_from_below({"below": below, "above": above}) == []
