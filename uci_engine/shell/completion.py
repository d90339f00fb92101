"""`cythera completion`: a script for a shell, which then completes commands and options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from uci_engine.arguments import Parser
from uci_engine.shell.commands import Argument, Command, all_commands

HELP = "help"
TOP_FLAGS = {"--help": "list the commands", "--version": "tell about the build"}
SUGGESTIONS = """\
bash:  cythera completion bash >~/.local/share/bash-completion/completions/cythera
zsh:   cythera completion zsh >DIR/_cythera, where DIR is one that fpath names before compinit
fish:  cythera completion fish >~/.config/fish/completions/cythera.fish
now:   eval "$(cythera completion bash)", the same for zsh; cythera completion fish | source
"""


def main(arguments: Sequence[str]) -> int:
    parser = Parser(
        prog="cythera completion",
        description="Print a script that completes cythera's commands in a shell.",
        epilog=SUGGESTIONS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=list(SHELLS), metavar="SHELL", help=", ".join(SHELLS))
    options = parser.parse_args(arguments)
    print("\n".join(SHELLS[options.shell](all_commands())))
    return 0


# ---- what all of them ask


def everything(commands: Sequence[Command]) -> Iterator[Command]:
    """Commands without commands of their own, and the others' commands."""
    for command in commands:
        yield from command.parts or (command,)


def names(commands: Sequence[Command]) -> list[str]:
    return [*(command.name for command in commands), HELP]


def with_choices(commands: Sequence[Command]) -> Iterator[tuple[str, str]]:
    """The last words before one that is chosen from some, and these."""
    for command in everything(commands):
        for option in command.options:
            if option.choices:
                yield patterns(command, [option]), " ".join(option.choices)


def with_values(commands: Sequence[Command], are_files: bool) -> Iterator[str]:
    """The last words before a file, or before what nobody can guess."""
    for command in everything(commands):
        options = [each for each in command.options if each.value and not each.choices]
        if found := [each for each in options if each.is_file == are_files]:
            yield patterns(command, found)


def patterns(command: Command, options: Sequence[Argument]) -> str:
    return "|".join(f'"{command.name} {flag}"' for option in options for flag in option.flags)


# ---- bash


def bash_script(commands: Sequence[Command]) -> Iterator[str]:
    yield "# bash completion of cythera, printed by `cythera completion bash`"
    yield "_cythera() {"
    yield "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}"
    yield "    local command=${COMP_WORDS[1]} words=''"
    yield "    if ((COMP_CWORD == 1)); then"
    yield f'        words="{" ".join([*names(commands), *TOP_FLAGS])}"'
    yield f"    elif [[ $command == {HELP} ]]; then"
    yield f'        words="{" ".join(command.name for command in commands)}"'
    yield "    else"
    yield from bash_parts(commands)
    yield '        case "$command $before" in'
    for before, choices in with_choices(commands):
        yield f'            {before}) words="{choices}" ;;'
    yield "            *=) compopt -o default; return ;;"
    for before in with_values(commands, are_files=True):
        yield f"            {before}) compopt -o default; return ;;"
    for before in with_values(commands, are_files=False):
        yield f"            {before}) return ;;"
    yield "            *) _cythera_words ;;"
    yield "        esac"
    yield "    fi"
    yield '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")'
    yield "}"
    yield ""
    yield from bash_words(commands)
    yield ""
    yield "complete -F _cythera cythera"


def bash_parts(commands: Sequence[Command]) -> Iterator[str]:
    """A command of a command counts as its name from then on."""
    having = [command.name for command in commands if command.parts]
    yield "        case $command in"
    yield f"            {'|'.join(having)})"
    yield '                ((COMP_CWORD == 2)) || command="$command ${COMP_WORDS[2]}" ;;'
    yield "        esac"


def bash_words(commands: Sequence[Command]) -> Iterator[str]:
    """Where no option waits for its value: options after a dash, else what has its place."""
    yield "_cythera_words() {"
    yield "    case $command in"
    for command in commands:
        for each in (command, *command.parts):
            yield from bash_case(each)
    yield "    esac"
    yield "}"


def bash_case(command: Command) -> Iterator[str]:
    flags = [] if command.parts else command.flags
    yield f'        "{command.name}")'
    if command.takes_files:
        yield "            [[ $word == -* ]] || { compopt -o default; return; }"
    if command.choices and flags:
        yield f'            words="{" ".join(command.choices)}"'
        yield f'            [[ $word != -* ]] || words="{" ".join(flags)}" ;;'
    else:
        yield f'            words="{" ".join(command.choices or flags)}" ;;'


# ---- zsh


def zsh_quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_list(pairs: Sequence[tuple[str, str]]) -> str:
    """Words and what they are for."""
    return " ".join(zsh_quote(f"{word}:{purpose}") for word, purpose in pairs)


def described(commands: Sequence[Command]) -> list[tuple[str, str]]:
    return [(command.words[-1], command.purpose) for command in commands]


def zsh_script(commands: Sequence[Command]) -> Iterator[str]:
    yield "#compdef cythera"
    yield "# zsh completion of cythera, printed by `cythera completion zsh`"
    yield "_cythera() {"
    yield "    local command=$words[2]"
    yield "    local -a known"
    yield "    if ((CURRENT == 2)); then"
    yield f"        known=({zsh_list([*described(commands), (HELP, 'tell about a command')])})"
    yield "        _describe command known"
    yield f"        known=({zsh_list([*TOP_FLAGS.items()])})"
    yield "        _describe -o option known"
    yield "        return"
    yield "    fi"
    yield "    case $command in"
    yield f"        {HELP}) known=({zsh_list(described(commands))}); _describe command known ;;"
    for command in commands:
        if command.parts:
            yield f"        {command.name})"
            yield "            if ((CURRENT == 3)); then"
            yield f"                known=({zsh_list(described(command.parts))})"
            yield "                _describe command known"
            yield "                return"
            yield "            fi"
            yield '            command+=" $words[3]" ;;'
    yield "    esac"
    yield '    case "$command $words[CURRENT-1]" in'
    for before, choices in with_choices(commands):
        yield f"        {before}) compadd {choices}; return ;;"
    for before in with_values(commands, are_files=True):
        yield f"        {before}) _files; return ;;"
    for before in with_values(commands, are_files=False):
        yield f"        {before}) _message value; return ;;"
    yield "    esac"
    yield "    case $command in"
    for command in everything(commands):
        pairs = [(flag, option.purpose) for option in command.options for flag in option.flags]
        yield f'        "{command.name}")'
        yield f"            known=({zsh_list(pairs)})"
        if command.choices:
            yield f"            [[ $PREFIX == -* ]] || compadd {' '.join(command.choices)}"
        if command.takes_files:
            yield "            [[ $PREFIX == -* ]] || _files"
        yield "            _describe -o option known ;;"
    yield "    esac"
    yield "}"
    yield "if [[ $funcstack[1] == _cythera ]]; then"
    yield '    _cythera "$@"'
    yield "else"
    yield "    compdef _cythera cythera"
    yield "fi"


# ---- fish


def fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_script(commands: Sequence[Command]) -> Iterator[str]:
    yield "# fish completion of cythera, printed by `cythera completion fish`"
    yield "function __cythera_said --description 'are these the words after cythera?'"
    yield "    set -l said (commandline -opc)"
    yield "    set -e said[1]"
    yield "    set -l count (count $argv)"
    yield "    test (count $said) -ge $count; or return 1"
    yield "    test $count -eq 0; and return (count $said)"
    yield '    test "$said[1..$count]" = "$argv"'
    yield "end"
    yield "complete -c cythera -f"
    for name, purpose in [*described(commands), (HELP, "tell about a command")]:
        yield f"complete -c cythera -n __cythera_said -a {name} -d {fish_quote(purpose)}"
    for flag, purpose in TOP_FLAGS.items():
        yield f"complete -c cythera -n __cythera_said -l {flag[2:]} -d {fish_quote(purpose)}"
    helped = " ".join(command.name for command in commands)
    yield f"complete -c cythera -n '__cythera_said {HELP}' -a '{helped}'"
    for command in commands:
        for part in command.parts:
            own = f"'__cythera_said {command.name}; and test (count (commandline -opc)) -eq 2'"
            purpose = fish_quote(part.purpose)
            yield f"complete -c cythera -n {own} -a {part.words[-1]} -d {purpose}"
    for command in everything(commands):
        yield from fish_command(command)


def fish_command(command: Command) -> Iterator[str]:
    own = f"complete -c cythera -n '__cythera_said {command.name}'"
    if command.takes_files:
        yield f"{own} -F"
    if command.choices:
        yield f"{own} -a '{' '.join(command.choices)}'"
    for option in command.options:
        flags = " ".join(
            f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags
        )
        value = ""
        if option.value:
            value = " -r -F" if option.is_file else " -x"
        if option.choices:
            value += f" -a '{' '.join(option.choices)}'"
        yield f"{own} {flags}{value} -d {fish_quote(option.purpose)}"


SHELLS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
