"""The package as it is built, shipped, set up and started."""

from __future__ import annotations

import email
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import core_ext
from core_ext import core
from lib import ROOT

# What /proc/cpuinfo says of some CPUs; only the lines and flags that matter.
V2_FLAGS = "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3"
V3_FLAGS = f"{V2_FLAGS} abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"
V4_FLAGS = f"{V3_FLAGS} avx512bw avx512cd avx512dq avx512f avx512vl"
LEVELS = ["x86_64", "x86_64_v2", "x86_64_v3"]
SOURCES = ("LICENSE", "MANIFEST.in", "setup.py")


def describe_cpu(vendor: str, family: int, flags: str) -> str:
    return (
        f"vendor_id\t: {vendor}\ncpu family\t: {family}\nflags\t\t: fpu {flags} sse2\nbugs\t\t: x"
    )


def test_the_core_is_the_build_that_was_asked_for() -> None:
    asked_for_debug = os.environ.get("CYTHERA_DEBUG", "") not in ("", "0")
    assert asked_for_debug == core.DEBUG, core.__file__


@pytest.mark.release_only
@pytest.mark.parametrize(
    ("cpu", "level"),
    [
        pytest.param(describe_cpu("GenuineIntel", 6, ""), "x86_64", id="old"),
        pytest.param(describe_cpu("GenuineIntel", 6, V2_FLAGS), "x86_64_v2", id="v2"),
        pytest.param(describe_cpu("GenuineIntel", 6, V3_FLAGS), "x86_64_v3", id="v3"),
        pytest.param(describe_cpu("GenuineIntel", 6, V4_FLAGS), "x86_64_v3", id="v4-not-built"),
        pytest.param(
            describe_cpu("GenuineIntel", 6, V3_FLAGS.replace("popcnt", "")), "x86_64", id="gap"
        ),
        pytest.param(describe_cpu("AuthenticAMD", 0x17, V3_FLAGS), "x86_64_v2", id="zen2"),
        pytest.param(describe_cpu("HygonGenuine", 0x18, V3_FLAGS), "x86_64_v2", id="hygon"),
        pytest.param(describe_cpu("AuthenticAMD", 0x19, V3_FLAGS), "x86_64_v3", id="zen3"),
        pytest.param("Features : fp asimd", "x86_64", id="another-kind"),
        pytest.param("", "x86_64", id="unknown"),
    ],
)
def test_level_suits_the_cpu(cpu: str, level: str) -> None:
    assert core_ext.choose_level(list(reversed(LEVELS)), cpu) == level


@pytest.mark.release_only
def test_starting_imports_neither_numpy_nor_chess() -> None:
    program = "import sys, uci_engine; print(sorted({'numpy', 'chess'} & sys.modules.keys()))"
    assert run_python(program, cwd=ROOT) == "[]"


def run_python(program: str, cwd: Path) -> str:
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True)
    return answer.stdout.strip()


@pytest.mark.release_only
def test_sdist_holds_what_a_build_needs(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")
    sources = tmp_path / "sources"
    unwanted = shutil.ignore_patterns("__pycache__")
    sources.mkdir()
    for name in (".ci", ".github", "core_ext", "docs", "uci_engine", "scripts", "tests"):
        shutil.copytree(ROOT / name, sources / name, ignore=unwanted)
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *map(ROOT.joinpath, SOURCES)):
        shutil.copy(path, sources)
    (sources / "core_ext" / "core.c").touch()
    command = [sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", str(tmp_path)]
    subprocess.run(command, cwd=sources, capture_output=True, check=True)

    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    kinds = ("*.py", "*.py[ix]", "*.pxi", "*.epd", "*.bash", "*.md", "*.svg", "*.webp", "*.yml")
    files = {path for kind in kinds for path in sources.rglob(kind)}
    needed = {path.relative_to(sources).as_posix() for path in files}
    assert needed | {"pyproject.toml", "LICENSE", "scripts/engine", "docs/cythera.1"} <= packed
    assert not [name for name in packed if name.endswith((".c", ".so", ".pyc"))]


# ---- the page on an index


def make_metadata(tmp_path: Path, **environment: str) -> email.message.Message:
    """What an index is given, by the build itself."""
    pytest.importorskip("setuptools", minversion="77")
    command = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(tmp_path)]
    settings = {**os.environ, "CYTHERA_HOME": "", **environment}
    subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, check=True)
    (place,) = tmp_path.glob("*.egg-info")
    return email.message_from_bytes((place / "PKG-INFO").read_bytes())


def links_of(metadata: email.message.Message) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", str(metadata.get_payload()))


@pytest.mark.release_only
def test_links_of_the_index_page_lead_to_this_version_at_home(tmp_path: Path) -> None:
    home = "https://code.example/someone/cythera"
    metadata = make_metadata(tmp_path, CYTHERA_HOME=f"{home}/")
    version = metadata["Version"]
    links = [link for link in links_of(metadata) if link.startswith(home)]
    assert {kind for kind in ("raw", "blob") if any(f"/{kind}/" in link for link in links)} == {
        "raw",
        "blob",
    }
    for link in links_of(metadata):
        assert link.startswith("https://"), link
    for link in links:
        name = link.partition(f"/v{version}/")[2].partition("#")[0]
        assert (ROOT / name).is_file(), link
    urls = dict(value.split(", ") for value in metadata.get_all("Project-URL", []))
    assert urls["Homepage"] == home
    assert urls["Changelog"] == f"{home}/blob/v{version}/CHANGELOG.md"


@pytest.mark.release_only
def test_an_index_page_without_a_home_has_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    metadata = make_metadata(tmp_path)
    assert all(link.startswith("https://") for link in links_of(metadata))
    assert metadata.get_all("Project-URL") is None
    assert "docs/GUIS.md" in str(metadata.get_payload())
    assert metadata["Author"] == "The Cythera authors"


@pytest.mark.release_only
def test_a_home_that_is_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        make_metadata(tmp_path, CYTHERA_HOME="somewhere")
    complaint = b"CYTHERA_HOME='somewhere' is not an address that begins with https://."
    assert refused.value.stderr.strip() == complaint


@pytest.mark.release_only
def test_each_kind_of_build_has_its_own_stamp() -> None:
    """Or scripts/engine would go on with the core that is there."""
    stamps = {
        subprocess.run(
            [
                "bash",
                "-c",
                'source "$0" && describe_build',
                ROOT / "scripts" / "lib" / "setup.bash",
            ],
            env={"PATH": os.environ["PATH"], **kind},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kind in (
            {},
            {"CYTHERA_DEBUG": "1"},
            {"CYTHERA_TUNE": "1"},
            {"CYTHERA_ARCH": "x86-64"},
            {"CYTHERA_PGO": "1"},
        )
    }
    assert len(stamps) == 5


# ---- scripts/engine on machines that lack something

# Enough of a Python for the set-up's questions, which it answers as a machine of that kind would.
FAKE_PYTHON = """\
#!{bash}
case "$*" in
    *Python.h*) {probe} ;;
    *'"CC"'*) echo absent-gcc ;;
    *) exit 9 ;;
esac
"""
FAKE_GCC = "#!{bash}\nexit {status}\n"


@pytest.fixture
def bare_checkout(tmp_path: Path) -> Path:
    """The scripts alone, and a directory `bin` with neither a Python nor a compiler in it."""
    checkout = tmp_path / "a checkout"
    shutil.copytree(ROOT / "scripts", checkout / "scripts")
    tools = checkout / "bin"
    tools.mkdir()
    for tool in ("bash", "env", "flock", "readlink"):
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    return checkout


def add_tool(checkout: Path, name: str, text: str, **values: object) -> None:
    path = checkout / "bin" / name
    path.write_text(text.format(bash=shutil.which("bash"), **values))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def run_script(checkout: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env={"PATH": str(checkout / "bin")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.release_only
@pytest.mark.parametrize(
    ("probe", "gcc_status", "packages"),
    [
        pytest.param(None, 0, "python3", id="no-python"),
        pytest.param("exit 1", 0, "python3", id="old-python"),
        pytest.param("echo", None, "gcc", id="no-compiler"),
        pytest.param("echo", 1, "libc6-dev", id="no-c-library"),
        pytest.param("echo python3-dev", 0, "python3-dev", id="no-headers"),
        pytest.param("echo python3-venv", 0, "python3-venv", id="no-venv"),
        pytest.param("echo python3-dev", None, "python3-dev gcc", id="two-things"),
    ],
)
def test_engine_names_what_the_machine_lacks(
    bare_checkout: Path, probe: str | None, gcc_status: int | None, packages: str
) -> None:
    if probe is not None:
        add_tool(bare_checkout, "python3", FAKE_PYTHON, probe=probe)
    if gcc_status is not None:
        add_tool(bare_checkout, "gcc", FAKE_GCC, status=gcc_status)
    answer = run_script(bare_checkout, bare_checkout / "scripts" / "engine", "perft", "1")
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.endswith(f": sudo apt install {packages}\n")


def python_scripts() -> list[str]:
    """All but those that make do with any Python."""
    scripts = [path for path in sorted(ROOT.glob("scripts/*")) if path.is_file()]
    names = [path.name for path in scripts if "python" in path.read_text().partition("\n")[0]]
    return [name for name in names if name not in ("cutechess_engines", "make_perft_suite")]


# Remembers what it installs, and has no Toga.
FAKE_APT = """\
#!{bash}
[[ $1 == install ]] || exit 0
[[ " $* " != *" toga2 "* ]] || {{ echo "E: Unable to locate package toga2"; exit 100; }}
for word; do echo "$word"; done >>"${{0%/*}}/installed"
"""
FAKE_DPKG = """\
#!{bash}
while read -r package; do
    [[ $package != "${{!#}}" ]] || echo -n installed
done <"${{0%/*}}/installed"
"""


@pytest.mark.release_only
def test_integration_installs_what_it_can_and_names_the_rest(bare_checkout: Path) -> None:
    shutil.copytree(ROOT / ".ci", bare_checkout / ".ci")
    (bare_checkout / "scripts" / "test").write_text("echo tested\n")
    for tool in ("dirname", "mktemp", "rm", "tail"):
        (bare_checkout / "bin" / tool).symlink_to(str(shutil.which(tool)))
    add_tool(bare_checkout, "apt-get", FAKE_APT)
    add_tool(bare_checkout, "dpkg-query", FAKE_DPKG)
    add_tool(bare_checkout, "id", "#!{bash}\necho 0\n")
    installed = bare_checkout / "bin" / "installed"
    installed.write_text("gcc\n")
    answer = run_script(bare_checkout, bare_checkout / ".ci" / "run")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [
        "E: Unable to locate package toga2",  # all at once
        "E: Unable to locate package toga2",  # alone
        "Not installed: toga2",
        "tested",
    ]
    packages = installed.read_text().split()
    assert {"stockfish", "phalanx"} <= set(packages)
    assert packages.count("gcc") == 1


@pytest.mark.release_only
@pytest.mark.parametrize("name", python_scripts())
def test_a_python_script_sets_up_what_it_needs(bare_checkout: Path, name: str) -> None:
    """Before it imports what only the environment has."""
    answer = run_script(bare_checkout, sys.executable, "-S", bare_checkout / "scripts" / name)
    assert answer.returncode == 2
    assert answer.stderr.startswith("Cythera can't be built before this machine has Python")
