"""The compiled core of Cythera.

A source build holds one core, made for the machine that compiled it: `core_ext/core.*.so`.
A release wheel holds one for each CPU level, `core_ext/levels/<level>/core.*.so`. Putting the
best level that this CPU can run at the front of the package's path lets the ordinary import
system find it as `core_ext.core`.
"""

import os

__version__ = "0.2.0"

# What each x86-64 level adds to the one before it, by the names that /proc/cpuinfo uses.
_LEVEL_ADDS = (
    ("x86_64", ""),
    ("x86_64_v2", "cx16 lahf_lm pni popcnt sse4_1 sse4_2 ssse3"),
    ("x86_64_v3", "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"),
    ("x86_64_v4", "avx512bw avx512cd avx512dq avx512f avx512vl"),
)
# From this family on (Zen 3) AMD's PEXT is one instruction; before, it is slow microcode, and the
# core without it is the faster one.
_AMD_FAMILY_WITH_FAST_PEXT = 0x19
_FIRST_LEVEL_WITH_PEXT = "x86_64_v3"


def best_level(available: list[str], cpuinfo: str) -> str | None:
    """The highest of the available levels that runs well on the CPU that cpuinfo describes.

    A CPU that can't be told apart gets the lowest one; None means that there is nothing to choose.
    """
    levels = sorted(available)
    if not levels:
        return None
    facts = dict(_split_fact(line) for line in cpuinfo.splitlines())
    runnable = _runnable_levels(facts)
    return max((level for level in levels if level in runnable), default=levels[0])


def _split_fact(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def _runnable_levels(facts: dict[str, str]) -> set[str]:
    flags = set(facts.get("flags", "").split())
    runnable = set()
    for level, needed in _LEVEL_ADDS:
        if not flags.issuperset(needed.split()):
            break
        if level == _FIRST_LEVEL_WITH_PEXT and _has_slow_pext(facts):
            break
        runnable.add(level)
    return runnable


def _has_slow_pext(facts: dict[str, str]) -> bool:
    if facts.get("vendor_id") not in ("AuthenticAMD", "HygonGenuine"):
        return False
    family = facts.get("cpu family", "")
    return family.isdigit() and int(family) < _AMD_FAMILY_WITH_FAST_PEXT


def _read_first_cpu() -> str:
    """The first CPU's paragraph of /proc/cpuinfo, or nothing on a system without that file."""
    lines = []
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
            for line in cpuinfo:
                if not line.strip():
                    break
                lines.append(line)
    except OSError:
        return ""
    return "".join(lines)


def _prefer_best_level(package_path: list[str]) -> None:
    levels = os.path.join(package_path[0], "levels")
    if not os.path.isdir(levels):
        return  # a source build: this one look at the file system is all that it pays
    level = best_level(os.listdir(levels), _read_first_cpu())
    if level is not None:
        package_path.insert(0, os.path.join(levels, level))


_prefer_best_level(__path__)
