"""The compiled core of Cythera.

A source build holds one core, made for the machine that compiled it: `core_ext/core.*.so`.
A release wheel holds one for each CPU level, `core_ext/levels/<level>/core.*.so`. Putting the
best level that this CPU can run at the front of the package's path lets the ordinary import
system find it as `core_ext.core`. CYTHERA_LEVEL in the environment asks for another one.
"""

import os

__version__ = "0.2.0"

CPUINFO = "/proc/cpuinfo"

# What each x86-64 level adds to the one before it, by the names that /proc/cpuinfo uses.
_LEVEL_ADDS = {
    "x86_64": "",
    "x86_64_v2": "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3",
    "x86_64_v3": "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave",
    "x86_64_v4": "avx512bw avx512cd avx512dq avx512f avx512vl",
}
# From this family on (Zen 3) AMD's PEXT is one instruction; before, it is slow microcode, and the
# core without it is the faster one.
_AMD_FAMILY_WITH_FAST_PEXT = 0x19
_FIRST_LEVEL_WITH_PEXT = "x86_64_v3"


class NoCoreError(ImportError):
    """There is no compiled core that can run here; the message says why, in one sentence."""


def choose_level(available: list[str], cpuinfo: str, asked: str = "") -> str:
    """The level to run of those available, on the CPU that cpuinfo describes.

    That is the one asked for, else the highest that runs well; a CPU that can't be told apart gets
    the lowest. NoCoreError says why none will do.
    """
    levels = sorted(available)
    if asked and asked not in levels:
        raise NoCoreError(
            f"CYTHERA_LEVEL is {asked!r}, but the levels of this package are {', '.join(levels)}"
        )
    facts = dict(_split_fact(line) for line in cpuinfo.splitlines())
    if "flags" not in facts:
        return asked or levels[0]
    good = [level for level in levels if not _lacks(facts, level) and not _is_slow(facts, level)]
    level = asked or max(good, default=levels[0])
    if lacking := _lacks(facts, level):
        raise NoCoreError(
            f"the core for {level} needs a CPU with {', '.join(lacking)}, which this one lacks;"
            " a core built on this machine runs on it: pip install --no-binary cythera cythera"
        )
    return level


def _split_fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def _lacks(facts: dict[str, str], level: str) -> list[str]:
    needed = " ".join(adds for name, adds in _LEVEL_ADDS.items() if name <= level)
    flags = facts["flags"].split()
    return [flag for flag in needed.split() if flag not in flags]


def _is_slow(facts: dict[str, str], level: str) -> bool:
    if facts.get("vendor_id") not in ("AuthenticAMD", "HygonGenuine"):
        return False
    family = facts.get("cpu family", "")
    is_early = family.isdigit() and int(family) < _AMD_FAMILY_WITH_FAST_PEXT
    return is_early and level >= _FIRST_LEVEL_WITH_PEXT


def _read_first_cpu() -> str:
    """The first CPU's paragraph of /proc/cpuinfo, or nothing on a system without that file."""
    lines = []
    try:
        with open(CPUINFO, encoding="ascii", errors="replace") as cpuinfo:
            for line in cpuinfo:
                if not line.strip():
                    break
                lines.append(line)
    except OSError:
        return ""
    return "".join(lines)


def _find_levels(directory: str) -> list[str]:
    try:
        return [name for name in os.listdir(directory) if name in _LEVEL_ADDS]
    except OSError:
        return []  # a source build: this one look at the file system is all that it pays


def _prefer_best_level(package_path: list[str]) -> str:
    """Puts the level's folder in front; why there is none to put there, for core.py to say."""
    levels = os.path.join(package_path[0], "levels")
    if available := _find_levels(levels):
        try:
            level = choose_level(available, _read_first_cpu(), os.environ.get("CYTHERA_LEVEL", ""))
        except NoCoreError as error:
            return str(error)
        package_path.insert(0, os.path.join(levels, level))
    return (
        f"{package_path[-1]} has no core that is compiled for this Python:"
        " `pip install .` in the sources builds one"
    )


why_no_core = _prefer_best_level(__path__)
