"""The options, each declared once: its `option` line, its parsing and its refusals follow.

An option is a descriptor, so that `options.hash_mb` is the value of `Hash`, with its type.
"""

from __future__ import annotations

from core_ext import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FULL_SKILL = 20
LONGEST_NUMBER = 20  # digits
NOTHING = "<empty>"  # how UCI writes an empty string


def parse_number(text: str) -> int | None:
    """A whole number in plain digits. int() alone would take `1_6` for 16, and the digits of all
    the world's scripts."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > LONGEST_NUMBER:
        return None
    return int(text)


class Option:
    """One option. Each kind is a descriptor for values of its type, which an Options holds."""

    kind = ""

    def __init__(self, name: str, default: object) -> None:
        self.name = name
        self.default = default
        self.attribute = ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    def parse(self, text: str | None) -> object:
        """The value that a text stands for; a ValueError says what is wrong with it."""
        raise NotImplementedError

    def describe(self) -> str:
        """The line that tells a GUI about this option."""
        return f"option name {self.name} type {self.kind} {self.facts()}".rstrip()

    def facts(self) -> str:
        """The part of that line which is about values."""
        return f"default {self.default}"

    def refusal(self, text: str | None, wanted: str) -> ValueError:
        given = "no value" if text is None else repr(text)
        return ValueError(f"{self.name} takes {wanted}, not {given}")


class Check(Option):
    kind = "check"

    def __get__(self, options: Options, owner: type) -> bool:
        value: bool = options.values[self.attribute]
        return value

    def parse(self, text: str | None) -> bool:
        values = {"true": True, "false": False}
        if text is None or text.lower() not in values:
            raise self.refusal(text, "true or false")
        return values[text.lower()]

    def facts(self) -> str:
        return super().facts().lower()


class Spin(Option):
    kind = "spin"

    def __init__(self, name: str, default: int, low: int, high: int) -> None:
        super().__init__(name, default)
        self.low = low
        self.high = high

    def __get__(self, options: Options, owner: type) -> int:
        value: int = options.values[self.attribute]
        return value

    def parse(self, text: str | None) -> int:
        value = parse_number(text or "")
        if value is None or not self.low <= value <= self.high:
            raise self.refusal(text, f"a whole number from {self.low} to {self.high}")
        return value

    def facts(self) -> str:
        return f"{super().facts()} min {self.low} max {self.high}"


class String(Option):
    kind = "string"

    def __get__(self, options: Options, owner: type) -> str:
        value: str = options.values[self.attribute]
        return value

    def parse(self, text: str | None) -> str:
        return "" if text is None or text == NOTHING else text

    def facts(self) -> str:
        return f"default {self.default or NOTHING}"


class Combo(String):
    kind = "combo"

    def __init__(self, name: str, default: str, *others: str) -> None:
        super().__init__(name, default)
        self.choices = (default, *others)

    def parse(self, text: str | None) -> str:
        for choice in self.choices:
            if text is not None and choice.lower() == text.lower():
                return choice
        raise self.refusal(text, " or ".join(self.choices))

    def facts(self) -> str:
        return " ".join([f"default {self.default}", *(f"var {choice}" for choice in self.choices)])


class Button(Option):
    kind = "button"

    def __init__(self, name: str) -> None:
        super().__init__(name, None)

    def parse(self, text: str | None) -> None:
        """A value is passed over: a button has none."""

    def facts(self) -> str:
        return ""


class Options:
    """The values of all options."""

    hash_mb = Spin("Hash", 16, 1, 65536)
    threads = Spin("Threads", 1, 1, 256)
    ponder = Check("Ponder", False)  # tells that the GUI may ponder; nothing depends on it
    multipv = Spin("MultiPV", 1, 1, 256)
    clear_hash = Button("Clear Hash")
    move_overhead = Spin("Move Overhead", 10, 0, 10_000)
    nodestime = Spin("nodestime", 0, 0, 10_000)
    chess960 = Check("UCI_Chess960", False)
    show_wdl = Check("UCI_ShowWDL", False)
    analyse_mode = Check("UCI_AnalyseMode", False)
    limit_strength = Check("UCI_LimitStrength", False)
    elo = Spin("UCI_Elo", 1500, 800, 2800)
    skill_level = Spin("Skill Level", FULL_SKILL, 0, FULL_SKILL)
    opponent = String("UCI_Opponent", "")
    about = String(
        "UCI_EngineAbout", "Cythera, a chess engine in Python and Cython, GPL-3.0-or-later"
    )
    syzygy_path = String("SyzygyPath", "")
    syzygy_probe_depth = Spin("SyzygyProbeDepth", 1, 1, 100)
    syzygy_probe_limit = Spin("SyzygyProbeLimit", 7, 0, 7)
    syzygy_50_move_rule = Check("Syzygy50MoveRule", True)
    own_book = Check("OwnBook", False)
    book_file = String("BookFile", "")
    book_depth = Spin("Book Depth", 255, 1, 1000)  # the last move number to look up
    evaluation = Combo("Evaluation", "nnue", "classical", "material", "turing")
    eval_file = String("EvalFile", "")
    algorithm = Combo("Algorithm", "pvs", "minimax", "alphabeta", "alphabeta-quiescence", "mcts")
    mcts_c = Spin("MCTS C", 141, 0, 10_000)  # of UCB1, in hundredths
    mcts_simulation = Combo("MCTS Simulation", "evaluation", "random")
    mcts_priors = Check("MCTS Priors", True)
    debug_log_file = String("Debug Log File", "")

    def __init__(self) -> None:
        self.values: dict[str, Any] = {option.attribute: option.default for option in ALL_OPTIONS}

    @property
    def is_limited(self) -> bool:
        """Is less than full strength asked for?"""
        return self.limit_strength or self.skill_level < FULL_SKILL

    def copy(self) -> Options:
        """The values of now, which stay as they are while a search uses them."""
        copy = Options()
        copy.values.update(self.values)
        return copy


def declare_tunables() -> list[str]:
    """In a build for tuning, each number of the search is an option of its own name."""
    if not core.TUNING:
        return []
    for name, (value, low, high, _) in core.tunables().items():
        option = Spin(name, value, low, high)
        option.__set_name__(Options, name)
        setattr(Options, name, option)
    return list(core.tunables())


TUNABLES = declare_tunables()
ALL_OPTIONS: list[Option] = [
    option for option in vars(Options).values() if isinstance(option, Option)
]
_BY_NAME = {option.name.lower(): option for option in ALL_OPTIONS}


def find_option(name: str) -> Option:
    """The option of this name, whatever its case."""
    option = _BY_NAME.get(name.lower())
    if option is None:
        raise ValueError(f"there is no option {name!r}")
    return option
