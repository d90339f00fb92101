"""Builds the compiled core; everything else is declared in pyproject.toml.

Set in the environment:

CYTHERA_ARCH      what the core is compiled for: `native` (the default), any value that gcc's -march
                  takes, or several x86-64 levels ("x86-64-v2 x86-64-v3"), which makes one core
                  each for core_ext/__init__.py to choose from; release wheels are built so.
CYTHERA_PGO=1     each core is built twice: the first one counts which way it goes through what
                  scripts/lib/train_profile.py has it do, the second is made for going that way.
CYTHERA_DEBUG=1   the debug build: every position made is checked against a fresh computation.
CYTHERA_TUNE=1    the search's numbers become UCI options, for a tuner to try others.
CYTHERA_SANITIZE  gcc's sanitizers ("address,undefined" or "thread"), on top of the debug build.
CYTHERA_HOME      the address of the project's home, for the page that a package index shows.
"""

import copy
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.config.expand import read_attr

UNIT = "core_ext/core.pyx"
TRANSLATED = "core_ext/core.c"

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
}

TRAINING = "scripts/lib/train_profile.py"
X86_LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")

# In this project `cdef inline` is an order: the move generator is written once, and constant
# arguments (side to move, kind of moves) specialise it. Left to its own judgement, gcc finds the
# bodies too large and tests those constants at run time instead.
INLINE = "inline __attribute__((always_inline))"

# A unit without its counts is refused, and what the training never called is compiled as ever. What
# gcc does to loops once it has counts made the search slower: most of them are short.
PROFILE_USE = ["-fprofile-use", "-fprofile-partial-training", "-Werror=missing-profile"]
PROFILE_USE += ["-fno-tracer", "-fno-unroll-loops", "-fno-peel-loops"]


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "") not in ("", "0")


SANITIZERS = os.environ.get("CYTHERA_SANITIZE", "").strip()
DEBUG = is_set("CYTHERA_DEBUG") or bool(SANITIZERS)
PROFILED = is_set("CYTHERA_PGO") and not DEBUG


class CoreExtension(Extension):
    """The core compiled for one architecture."""

    def __init__(self, name: str, arch: str) -> None:
        parts = sorted(path.as_posix() for path in Path("core_ext").glob("*/*.pxi"))
        super().__init__(name, [UNIT], depends=parts)
        self.arch = arch


def make_extensions() -> list[CoreExtension]:
    archs = os.environ.get("CYTHERA_ARCH", "").split() or ["native"]
    if len(archs) == 1:
        return [CoreExtension("core_ext.core", archs[0])]
    for arch in archs:
        if arch not in X86_LEVELS:
            sys.exit(
                f"CYTHERA_ARCH lists '{arch}', but a list may only hold {', '.join(X86_LEVELS)}."
            )
    return [CoreExtension(f"core_ext.levels.{arch.replace('-', '_')}.core", arch) for arch in archs]


def arch_flags(arch: str) -> list[str]:
    if arch != "native" or platform.machine() == "x86_64":
        return [f"-march={arch}"]
    if platform.machine() == "aarch64":
        return ["-mcpu=native"]
    return []  # on a machine that was never tried the compiler's own choice is the safest


def compile_flags(arch: str) -> list[str]:
    flags = [*arch_flags(arch), f'-DCYTHERA_ARCH="{arch}"', f"-DCYTHON_INLINE={INLINE}"]
    # Nobody asks for the errno of a square root: without it gcc takes several at a time.
    flags += ["-fno-semantic-interposition", "-fno-math-errno", "-Wno-unused-function"]
    if DEBUG:
        flags += ["-O1", "-g1", "-UNDEBUG", "-DCYTHERA_DEBUG=1"]
    else:
        flags += ["-O3", "-g0"]
    if is_set("CYTHERA_TUNE"):
        flags += ["-DCYTHERA_TUNE=1"]
    if PROFILED:
        flags += ["-DCYTHERA_PGO=1"]
    if SANITIZERS:
        flags += ["-fno-omit-frame-pointer", *sanitizer_flags()]
    return flags


def sanitizer_flags() -> list[str]:
    return [f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all"] if SANITIZERS else []


def translate_unit() -> None:
    """Cython to C, once for all architectures, and only when the C file is out of date."""
    from Cython import __version__ as cython_version
    from Cython.Build import cythonize
    from Cython.Compiler.Errors import CompileError

    # cythonize follows the unit's includes by itself; what it can't see is a change of the
    # directives above or of Cython, and that an earlier translation was killed half-way.
    translated = Path(TRANSLATED)
    unfinished = translated.with_suffix(".unfinished")
    force = (
        not translated.exists()
        or unfinished.exists()
        or translated.stat().st_mtime < Path(__file__).stat().st_mtime
        or not first_line(translated).startswith(f"/* Generated by Cython {cython_version} ")
    )
    unfinished.touch()
    unit = Extension("core_ext.core", [UNIT])
    try:
        cythonize([unit], compiler_directives=DIRECTIVES, force=force, quiet=True)
    except CompileError:
        sys.exit(f"Cython could not translate {UNIT}: its words are above.")
    unfinished.unlink(missing_ok=True)  # another build may have been at it, too


def first_line(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as lines:
        return lines.readline()


class BuildCore(build_ext):
    def run(self) -> None:
        self.remove_other_cores(Path(self.build_lib))
        super().run()
        if self.inplace:
            self.remove_other_cores(Path())

    def copy_extensions_to_source(self) -> None:
        for ext in self.extensions:
            Path(*ext.name.split(".")).parent.mkdir(parents=True, exist_ok=True)
        super().copy_extensions_to_source()

    def remove_other_cores(self, base: Path) -> None:
        """A core left by a build for other architectures must not be packed or imported."""
        wanted = {base.joinpath(*ext.name.split(".")).parent for ext in self.extensions}
        package = base / "core_ext"
        cores = list(package.glob("**/core" + sysconfig.get_config_var("EXT_SUFFIX")))
        for core in cores:
            if core.parent not in wanted:
                core.unlink()
        for directory in (*package.glob("levels/*"), package / "levels"):
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()

    def build_extensions(self) -> None:
        for ext in self.extensions:
            ext.sources = [TRANSLATED]
            ext.extra_compile_args = compile_flags(ext.arch)
            ext.extra_link_args = sanitizer_flags()
            self.check_arch(ext)
        if PROFILED:
            self.check_profiler()
        translate_unit()
        if len(self.extensions) > 1:
            self.parallel = self.parallel or True
        # Cores built here before with other flags look up to date to setuptools.
        note = Path(self.build_temp, "flags.txt")
        flags = "\n".join(f"{ext.name} {ext.extra_compile_args}" for ext in self.extensions)
        if not note.is_file() or note.read_text(encoding="utf-8") != flags:
            self.force = True
            note.unlink(missing_ok=True)
        super().build_extensions()
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(flags, encoding="utf-8")

    def check_arch(self, ext: CoreExtension) -> None:
        """Refuses an unknown architecture in one sentence, before anything that takes long."""
        answer = self.ask_compiler(*arch_flags(ext.arch), "-E")
        if answer is not None and answer.returncode != 0:
            sys.exit(
                f"CYTHERA_ARCH='{ext.arch}' is not an architecture that {answer.args[0]} knows: "
                "use native, x86-64-v2 or another value of its -march option."
            )

    def check_profiler(self) -> None:
        answer = self.ask_compiler("-dM", "-E")
        if answer is not None and b"__clang__" in answer.stdout:
            sys.exit(f"CYTHERA_PGO=1 needs gcc, but {answer.args[0]} is clang.")

    def ask_compiler(self, *flags: str) -> subprocess.CompletedProcess[bytes] | None:
        """About an empty file; None when there is no compiler, as the compilation itself says."""
        command = [self.compiler.compiler_so[0], *flags, "-x", "c", os.devnull]
        try:
            return subprocess.run(command, capture_output=True, check=False)
        except OSError:
            return None

    def train(self, ext: CoreExtension) -> None:
        """Leaves the counts beside the object file, where gcc looks for them the next time."""
        trainer, trainee = copy.copy(self), copy.copy(ext)
        trainer.build_lib = os.path.join(self.build_temp, "training")
        trainee.name = trainee._full_name = "core_ext.core"
        trainee.extra_compile_args = [*ext.extra_compile_args, "-fprofile-generate"]
        trainee.extra_link_args = [*ext.extra_link_args, "-fprofile-generate"]
        for old in Path(self.build_temp).rglob("*.gcda"):
            old.unlink()  # or the new counts would be added to it
        super(BuildCore, trainer).build_extension(trainee)
        shutil.copy("core_ext/__init__.py", Path(trainer.build_lib, "core_ext"))
        places = os.pathsep.join(os.path.abspath(place) for place in (trainer.build_lib, "."))
        environment = {**os.environ, "PYTHONPATH": places, "PYTHONHASHSEED": "0"}
        status = subprocess.run([sys.executable, TRAINING], env=environment, check=False).returncode
        if status == -signal.SIGILL:
            sys.exit(f"CYTHERA_PGO=1 can't train the core for {ext.arch}: this CPU can't run it.")
        if status:
            sys.exit(f"CYTHERA_PGO=1: the training of the core for {ext.arch} has failed.")

    def build_extension(self, ext: CoreExtension) -> None:
        # The same C file makes every level, so each needs a place of its own for its object file,
        # in a copy of this command because the levels are compiled at the same time.
        command = copy.copy(self)
        command.build_temp = os.path.join(self.build_temp, ext.arch)
        if PROFILED:
            command.force = True
            command.train(ext)
            ext.extra_compile_args = [*ext.extra_compile_args, *PROFILE_USE]
        super(BuildCore, command).build_extension(ext)


# ---- The page on an index

LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)]+)\)")


def index_page() -> dict[str, object]:
    """README.md as it can be read outside a checkout: links lead to this version's files at the
    project's home. Without a home there are no pictures, and files are named without a link."""
    home = os.environ.get("CYTHERA_HOME", "").strip().rstrip("/")
    if home and not home.startswith("https://"):
        sys.exit(f"CYTHERA_HOME='{home}' is not an address that begins with https://.")
    version = read_attr("core_ext.__version__")

    def lead(link: re.Match[str]) -> str:
        mark, text, target = link.groups()
        if "://" in target or target.startswith("#"):
            return link.group()
        if not home:
            return "" if mark else text
        return f"{mark}[{text}]({home}/{'raw' if mark else 'blob'}/v{version}/{target})"

    readme = LINK.sub(lead, Path("README.md").read_text(encoding="utf-8"))
    urls = {
        "Homepage": home,
        "Documentation": f"{home}/tree/v{version}/docs",
        "Changelog": f"{home}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }
    return {
        "long_description": re.sub(r"\n{3,}", "\n\n", readme),
        "long_description_content_type": "text/markdown",
        "project_urls": urls if home else {},
    }


setup(ext_modules=make_extensions(), cmdclass={"build_ext": BuildCore}, **index_page())
