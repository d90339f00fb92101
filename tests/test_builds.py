"""The core in its kinds: chosen by the CPU, alone in its process, packed into a wheel."""

from __future__ import annotations

import mmap
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from uci_process import TIMEOUT

import core_ext
from core_ext import core
from lib import ROOT
from lib.variants import Variant, read_outcome
from lib.wheel_contents import compare_contents, find_own_paths

OLD_CPU = "vendor_id : GenuineIntel\nflags : fpu cx16 lahf_lm pni ssse3 sse4_1\n"
V2_CPU = OLD_CPU.replace("sse4_1", "sse4_1 sse4_2 popcnt")


def run_python(*arguments: str, path: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join([str(path), str(Path(core_ext.__file__).parent.parent)])
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": places, **settings},
        cwd=path,  # which Python looks into before all others
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


def package_with_levels(place: Path, *levels: str, cpu: str) -> None:
    """The core as a wheel has it, on a machine with that CPU."""
    package = place / "core_ext"
    package.mkdir()
    for level in levels:
        folder = package / "levels" / level
        folder.mkdir(parents=True)
        shutil.copy(core.__file__, folder)
    (place / "cpuinfo").write_text(cpu)
    code = Path(core_ext.__file__).read_text()
    assert '"/proc/cpuinfo"' in code
    code = code.replace('"/proc/cpuinfo"', repr(str(place / "cpuinfo")))
    (package / "__init__.py").write_text(code)
    shutil.copy(Path(core_ext.__file__).parent / "core.py", package)


# ---- Levels


def test_a_level_that_is_asked_for_is_taken() -> None:
    levels = ["x86_64", "x86_64_v2"]
    assert core_ext.choose_level(levels, V2_CPU) == "x86_64_v2"
    assert core_ext.choose_level(levels, V2_CPU, "x86_64") == "x86_64"
    assert core_ext.choose_level(levels, "", "x86_64_v2") == "x86_64_v2"


@pytest.mark.parametrize(
    ("cpu", "asked", "words"),
    [
        (OLD_CPU, "", "x86_64_v2 needs a CPU with popcnt, sse4_2, which"),
        (V2_CPU, "x86_64_v3", "x86_64_v3 needs a CPU with abm, avx, avx2, bmi1, bmi2, f16c, fma"),
        (V2_CPU, "v3", "CYTHERA_LEVEL is 'v3', but the levels of this package are x86_64_v2, x86"),
    ],
    ids=["old", "asked-for-too-much", "no-level"],
)
def test_a_cpu_without_a_core_gets_one_sentence(
    tmp_path: Path, cpu: str, asked: str, words: str
) -> None:
    with pytest.raises(core_ext.NoCoreError, match=re.escape(words)):
        core_ext.choose_level(["x86_64_v2", "x86_64_v3"], cpu, asked)
    package_with_levels(tmp_path, "x86_64_v2", "x86_64_v3", cpu=cpu)
    for command in ([], ["perft", "1"], ["compiler"]):
        answer = run_python("-m", "uci_engine", *command, path=tmp_path, CYTHERA_LEVEL=asked)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert answer.stderr.startswith("cythera: ")
        assert words in answer.stderr
        assert answer.stderr.count("\n") == 1
    program = "import uci_engine\ntry: uci_engine.Board\nexcept ImportError as e: print(e)"
    assert words in run_python("-c", program, path=tmp_path, CYTHERA_LEVEL=asked).stdout


def test_the_level_of_the_cpu_runs(tmp_path: Path) -> None:
    package_with_levels(tmp_path, "x86_64", "x86_64_v2", "x86_64_v3", cpu=V2_CPU)
    for asked, level in (("", "x86_64_v2"), ("x86_64", "x86_64")):
        answer = run_python("-m", "uci_engine", "compiler", path=tmp_path, CYTHERA_LEVEL=asked)
        assert f"core: {tmp_path / 'core_ext' / 'levels' / level}/core." in answer.stdout


def test_sources_without_a_core_say_so(tmp_path: Path) -> None:
    package_with_levels(tmp_path, cpu="")
    answer = run_python("-m", "uci_engine", "perft", "1", path=tmp_path)
    assert answer.returncode == 2
    expected = f"cythera: {tmp_path}/core_ext has no core that is compiled for this Python: "
    assert answer.stderr.startswith(expected)
    assert answer.stderr.count("\n") == 1


def test_two_cores_in_one_process_are_refused(tmp_path: Path) -> None:
    other = shutil.copy(core.__file__, tmp_path)
    program = f"""
import importlib.util, core_ext.core as first
spec = importlib.util.spec_from_file_location("core_ext.core", {other!r})
try:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
except ImportError as error:
    print(error)
print(first.Board().perft(2))
"""
    answer = run_python("-c", program, path=tmp_path)
    refusal, count = answer.stdout.splitlines()
    assert refusal.startswith(f"{other} can't be loaded beside {core.__file__}: a process has one")
    assert count == "400"


def test_the_build_names_itself(tmp_path: Path) -> None:
    answer = run_python("-m", "uci_engine", "compiler", path=tmp_path).stdout
    assert f"level: {core.ARCH}; instructions: " in answer
    assert all(name in answer for name in core.INSTRUCTIONS)
    assert re.search(r"by (gcc|clang) \d+\.\d+", answer)
    assert ("profile-guided" in answer) == core.PROFILED


# ---- Memory


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system has no smaps")
@pytest.mark.parametrize("megabytes", [2, 64])
def test_the_table_asks_for_huge_pages(megabytes: int) -> None:
    """`hg` is the mark of memory for which they were asked; whether they come is the system's."""
    searcher = core.Searcher(megabytes)
    searcher.allocate()
    asked = 0
    for paragraph in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text()):
        found = re.search(r"^Size: +(\d+) kB", paragraph, re.MULTILINE)
        if found and re.search(r"^VmFlags:.* hg\b", paragraph, re.MULTILINE):
            asked += int(found[1]) << 10
    del searcher
    assert asked >= megabytes << 20 or not hasattr(mmap, "MADV_HUGEPAGE")


# ---- Building


@pytest.mark.release_only
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"CYTHERA_ARCH": "z80"}, "CYTHERA_ARCH='z80' is not an architecture that gcc knows"),
        ({"CYTHERA_ARCH": "x86-64 z80"}, "CYTHERA_ARCH lists 'z80', but a list may only hold"),
        ({"CYTHERA_PGO": "1", "CC": "clang"}, "CYTHERA_PGO=1 needs gcc, but clang is clang."),
    ],
    ids=["arch", "levels", "clang"],
)
def test_a_build_that_can_not_be_is_refused(
    tmp_path: Path, settings: dict[str, str], words: str
) -> None:
    pytest.importorskip("setuptools", minversion="77")
    compiler = settings.get("CC", "gcc")
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    folders = [f"--build-lib={tmp_path}", f"--build-temp={tmp_path}"]
    answer = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "build_ext", *folders],
        cwd=ROOT,
        env={**os.environ, "CC": compiler, **settings},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert answer.returncode == 1
    assert answer.stderr.strip().splitlines()[-1].startswith(words)


@pytest.mark.release_only
def test_names_of_builds() -> None:
    for name in ("native", "x86-64-v3+pgo", "native+clang"):
        assert Variant.parse(name).name == name
    assert Variant.parse("native+clang").environment["CC"] == "clang"
    for name in ("", "+pgo", "native+lto", "native+pgo+pgo"):
        with pytest.raises(ValueError, match=re.escape(repr(name))):
            Variant.parse(name)
    assert read_outcome("x\n12 nodes 7 nps\n").nodes == 12
    with pytest.raises(ValueError, match="bench ended with"):
        read_outcome("12 nodes")


@pytest.mark.release_only
def test_the_training_of_a_profile_runs(tmp_path: Path) -> None:
    """Which a build takes up only where it is asked for one."""
    answer = run_python(str(ROOT / "scripts" / "lib" / "train_profile.py"), path=tmp_path)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the sources as they are and the core that is here, as if it had been compiled for v2."""
    pytest.importorskip("setuptools", minversion="77")
    sources = tmp_path_factory.mktemp("wheel")
    unwanted = shutil.ignore_patterns("__pycache__", "*.so", "*.c")
    for name in ("core_ext", "docs", "uci_engine"):
        shutil.copytree(ROOT / name, sources / name, ignore=unwanted)
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*.toml"), ROOT / "LICENSE", ROOT / "setup.py"):
        shutil.copy(path, sources)
    run_setup(sources, "build_py")
    (built,) = (sources / "build").glob("lib*")
    level = built / "core_ext" / "levels" / "x86_64_v2"
    level.mkdir(parents=True)
    shutil.copy(core.__file__, level)
    run_setup(sources, "bdist_wheel", "--skip-build")
    (found,) = (sources / "dist").glob("*.whl")
    return found


def run_setup(sources: Path, *command: str) -> None:
    subprocess.run(
        [sys.executable, "setup.py", "--quiet", *command],
        cwd=sources,
        check=True,
        capture_output=True,
        timeout=TIMEOUT,
    )


@pytest.mark.release_only
def test_wheel_holds_what_is_on_the_list(wheel: Path, tmp_path: Path) -> None:
    assert compare_contents(wheel, ROOT, ["x86_64_v2"]) == []
    other = Path(shutil.copy(wheel, tmp_path))
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("core_ext/core.c", "")
    assert compare_contents(other, ROOT, ["x86_64_v2", "x86_64_v3"]) == [
        f"{wheel.name} lacks core for x86_64_v3",
        f"{wheel.name} should not have core_ext/core.c",
    ]
    with zipfile.ZipFile(other, "a") as archive:
        archive.writestr("core_ext/names", f"made in {tmp_path}/here")
    assert find_own_paths(other, [tmp_path]) == [f"{wheel.name}: core_ext/names names {tmp_path}"]


@pytest.mark.release_only
def test_wheel_works_alone_and_without_a_compiler(wheel: Path, tmp_path: Path) -> None:
    """Without numpy and python-chess, too, as far as it goes: the program, perft, Board, eval."""
    pytest.importorskip("pip")
    environment = tmp_path / "environment"
    install = ["-m", "pip", "--python", str(environment / "bin" / "python"), "install"]
    for command in (
        ["-m", "venv", "--without-pip", str(environment)],
        [*install, "--quiet", "--no-index", "--no-deps", str(wheel)],
    ):
        subprocess.run([sys.executable, *command], check=True, capture_output=True, timeout=TIMEOUT)
    binaries = environment / "bin"

    def answer(*command: str, text: str = "") -> str:
        return subprocess.run(
            [binaries / command[0], *command[1:]],
            env={"PATH": str(binaries), "HOME": str(tmp_path)},
            cwd=tmp_path,
            input=text,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        ).stdout

    assert "4865609 nodes" in answer("cythera", "perft", "5")
    assert "uciok\n" in answer("cythera", text="uci\nquit\n")
    assert "bestmove b1b8" in answer(
        "cythera", "go", "nodes", "2000", "--fen", "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"
    )
    core_place = Path(sysconfig.get_path("platlib", vars={"platbase": str(environment)}))
    assert str(core_place / "core_ext" / "levels" / "x86_64_v2") in answer("cythera", "compiler")
    program = "from uci_engine import Board; print(len(Board().legal_moves()))"
    assert answer("python", "-c", program) == "20\n"
