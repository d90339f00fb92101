"""The manual page, in the language of man: made of what the commands say of themselves."""

from __future__ import annotations

from collections.abc import Iterator

from uci_engine import __version__
from uci_engine.shell.commands import Argument, Command, all_commands

EXIT_STATUS = {
    "0": "All went well.",
    "1": "A check failed: a perft count is wrong, a file is damaged; or nobody reads the output.",
    "2": "Something is wrong with what was asked for; one line on standard error says what.",
    "130": "Interrupted by Ctrl-C. What was done so far is kept.",
}
EXAMPLES = {
    "cythera perft 6": "Count the move sequences of length six.",
    "cythera go depth 20": "Search the start position.",
    "cythera match --engine cmd=cythera --engine cmd=stockfish --each tc=3+0.03 --games 100 "
    "--out vs": "Play a match; the report is vs.html.",
}


def manual_page() -> str:
    return "\n".join(lines()) + "\n"


def lines() -> Iterator[str]:
    yield '.\\" Made by scripts/make_manual; do not edit.'
    yield f'.TH CYTHERA 1 "" "Cythera {__version__}" "User Commands"'
    yield from section("NAME", "cythera \\- a UCI chess engine and chess toolkit")
    yield ".SH SYNOPSIS\n.B cythera\n.br\n.B cythera\n.I COMMAND\n[\\fIARGUMENT\\fR ...]"
    yield from section(
        "DESCRIPTION",
        escape(
            "Without arguments it is the engine: it speaks UCI on standard input and output, and a "
            "chess program starts it so. With a command it does one of the things below and ends."
        ),
    )
    yield ".SH COMMANDS"
    commands = all_commands()
    for command in commands:
        yield from item(command.name, command.purpose)
    yield from item("help [COMMAND]", "list the commands, or tell about one")
    yield from item("--version", "tell which version this is and how it was built")
    for command in commands:
        yield from command_section(command)
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_STATUS.items():
        yield from item(code, meaning)
    yield ".SH EXAMPLES"
    for example, meaning in EXAMPLES.items():
        yield from item(example, meaning)
    yield from section("AUTHORS", "The Cythera authors. GPL\\-3.0\\-or\\-later.")


def section(title: str, text: str) -> Iterator[str]:
    yield f".SH {title}"
    yield text


def item(term: str, text: str) -> Iterator[str]:
    yield ".TP"
    yield f"\\fB{escape(term)}\\fR"
    yield escape(text) if text else "\\&"


def command_section(command: Command) -> Iterator[str]:
    """A command's arguments; none is worth a section of its own that has only --help."""
    if any(argument.flags != ("-h", "--help") for argument in command.arguments) or command.parts:
        yield f".SH {escape('cythera ' + command.name).upper()}"
        yield escape(f"{command.purpose[:1].upper()}{command.purpose[1:]}.")
        yield from arguments(command)
        if command.epilog:
            yield ".PP\n.nf"
            yield from (escape(line) for line in command.epilog.rstrip().splitlines())
            yield ".fi"
    for part in command.parts:
        yield f'.SS "{escape("cythera " + part.name)}"'
        yield escape(part.purpose)
        yield from arguments(part)


def arguments(command: Command) -> Iterator[str]:
    for argument in (*command.places, *command.options):
        if "--help" not in argument.flags:
            yield ".TP"
            yield heading(argument)
            yield escape(argument.purpose) if argument.purpose else "\\&"


def heading(argument: Argument) -> str:
    value = f"\\fI{escape(argument.value)}\\fR" if argument.value else ""
    flags = ", ".join(f"\\fB{escape(flag)}\\fR" for flag in argument.flags)
    choices = escape(f" ({', '.join(argument.choices)})") if argument.choices else ""
    return " ".join(filter(None, (flags, value))) + choices


def escape(text: str) -> str:
    """Nothing in it may look like a request or an escape of the language."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = text.replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    return f"\\&{text}" if text[:1] in (".", "\\") else text
