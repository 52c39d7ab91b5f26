#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
"""Writes man pages and shell completions out of what a program's --help says, so that they cannot differ from it.

    packaging/shell_docs.py OUT PROGRAM...

OUT/man1 gets a page of each program and of each of its commands; OUT/bash, OUT/zsh and OUT/fish get completions.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

OPTION = re.compile(r"^ {2}((?:-\w,)?(?:--[\w-]+)(?:,--[\w-]+)*)(?: ([^ ].*?))?(?: {2,}(.*))?$")
ENTRY = re.compile(r"^ {2}(\S+(?: REQUIRED| \.\.\.)*)(?: {2,}(.*))?$")


@dataclass
class Option:
    """A flag: its names, the word for its value (empty: none) and what it does."""

    names: list[str]
    value: str
    text: str

    @property
    def choices(self) -> list[str]:
        """The values of a flag that accepts only some."""
        found = re.search(r"; one of ([\w.@, -]+)$", self.text)
        return [word.strip() for word in found.group(1).split(",")] if found else []

    @property
    def takes_file(self) -> bool:
        return self.value.split(".")[0] in ("FILE", "DIR", "PATH", "FOLDER")


@dataclass
class Command:
    """A program or one of its commands, as its --help describes it."""

    words: list[str]
    what: str = ""
    usage: str = ""
    positionals: list[tuple[str, str]] = field(default_factory=list)
    groups: list[tuple[str, list[Option]]] = field(default_factory=list)
    commands: list[tuple[str, str]] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)

    @property
    def options(self) -> list[Option]:
        return [option for _, options in self.groups for option in options]


def help_of(program: str, words: list[str]) -> Command:
    """Runs `PROGRAM WORDS --help` and reads what it prints."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    text = subprocess.run(
        [program, *words, "--help"], capture_output=True, text=True, check=True, env=environment
    ).stdout
    return parsed(text, [Path(program).name, *words])


def parsed(text: str, words: list[str]) -> Command:
    command = Command(words)
    section, last = "", None
    for line in text.splitlines():
        heading = re.match(r"^([\w][\w &-]*):$", line)
        if line.startswith("Usage: "):
            command.usage = line.removeprefix("Usage: ")
        elif heading and heading.group(1) != "Examples" and heading.group(1) != "Example" and not command.footer:
            section, last = heading.group(1), None
            if section not in ("Positionals", "Subcommands"):
                command.groups.append((section, []))
        elif not command.usage:
            command.what += (" " if command.what else "") + line.strip()
        elif section and line.startswith("  ") and not command.footer:
            last = add_entry(command, section, line, last)
        elif line.strip() or command.footer:
            command.footer.append(line)
    return command


def add_entry(command: Command, section: str, line: str, last: object) -> object:
    """One line below a heading: an entry, or more words of the last one."""
    if line.startswith(" " * 20):
        if isinstance(last, Option):
            last.text = f"{last.text} {line.strip()}".strip()
        elif isinstance(last, list) and last:
            last[-1] = (last[-1][0], f"{last[-1][1]} {line.strip()}".strip())
        return last
    option = OPTION.match(line)
    if option and section not in ("Positionals", "Subcommands"):
        names, value, text = option.groups()
        found = Option(names.split(","), (value or "").strip(), text or "")
        command.groups[-1][1].append(found)
        return found
    entry = ENTRY.match(line)
    if entry:
        entries = command.positionals if section == "Positionals" else command.commands
        entries.append((entry.group(1), entry.group(2) or ""))
        return entries
    return last


# --- Man pages ------------------------------------------------------------------------------------------------------


def roff(text: str) -> str:
    """Text as roff: no character of it is a command."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def man_page(command: Command, version: str, others: list[str]) -> str:
    name = "-".join(command.words)
    what = command.what.rstrip(".")
    lines = [
        f'.TH "{roff(name.upper())}" "1" "" "Slipway {version}" "User Commands"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(what[:1].lower() + what[1:])}",
        ".SH SYNOPSIS",
        f".B {roff(' '.join(command.words))}",
        roff(command.usage.removeprefix(" ".join(command.words)).strip()),
        ".SH DESCRIPTION",
        roff(command.what if command.what.endswith(".") else command.what + "."),
    ]
    for title, entries in (("ARGUMENTS", command.positionals), ("COMMANDS", command.commands)):
        if entries:
            lines.append(f".SH {title}")
            for word, text in entries:
                lines += [".TP", f".B {roff(word.removesuffix(' REQUIRED'))}", roff(text)]
    lines.append(".SH OPTIONS")
    for title, options in command.groups:
        if title != "Options":
            lines.append(f'.SS "{roff(title[:1].upper() + title[1:])}"')
        for option in options:
            names = ", ".join(f"\\fB{roff(one)}\\fR" for one in option.names)
            lines += [".TP", f"{names} \\fI{roff(option.value)}\\fR" if option.value else names, roff(option.text)]
    lines += footer_of(command)
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in others)]
    return "\n".join(line for line in lines if line) + "\n"


def footer_of(command: Command) -> list[str]:
    lines: list[str] = []
    examples = False
    for line in command.footer:
        if line in ("Example:", "Examples:"):
            lines += [".SH EXAMPLES", ".nf"]
            examples = True
        elif examples and line.startswith("  "):
            lines.append(roff(line.strip()))
        elif line.startswith("Exit status: "):
            lines += [".fi"] if examples else []
            examples = False
            lines += [".SH EXIT STATUS", roff(line.removeprefix("Exit status: "))]
        elif line.strip() and not examples:
            lines += [".PP", roff(line.strip())]
    return lines + ([".fi"] if examples else [])


# --- Completions ----------------------------------------------------------------------------------------------------

NOTE = "# Written by packaging/shell_docs.py out of --help."


def flags_of(command: Command) -> list[str]:
    return [name for option in command.options for name in option.names if name.startswith("--")]


def bash_completion(program: str, commands: list[Command]) -> str:
    function = "_" + program.replace("-", "_")
    top, rest = commands[0], commands[1:]
    lines = [NOTE, f"{function}() {{", "    local word=$2 before=$3 command='' i"]
    lines += ["    COMPREPLY=()", "    for ((i = 1; i < COMP_CWORD; ++i)); do", "        case ${COMP_WORDS[i]} in"]
    if rest:
        lines.append(f"            {'|'.join(c.words[-1] for c in rest)}) command=${{COMP_WORDS[i]}}; break ;;")
    lines += ["        esac", "    done", "    case $command:$before in"]
    for command in commands:
        key = command.words[-1] if command is not top else ""
        for option in command.options:
            names = [name for name in option.names if option.value]
            pattern = "|".join(f"{key}:{name}" for name in names)
            if names and option.choices:
                lines.append(
                    f"        {pattern}) mapfile -t COMPREPLY < <(compgen -W '{' '.join(option.choices)}' -- \"$word\");"
                    " return ;;"
                )
            elif names and option.takes_file:
                lines.append(f"        {pattern}) compopt -o default; return ;;")
            elif names:
                lines.append(f"        {pattern}) return ;;")
    lines += ["    esac", "    case $command:$word in"]
    for command in rest:
        lines.append(
            f"        {command.words[-1]}:-*) mapfile -t COMPREPLY < <(compgen -W '{' '.join(flags_of(command))}'"
            ' -- "$word") ;;'
        )
    lines.append(f"        :-*) mapfile -t COMPREPLY < <(compgen -W '{' '.join(flags_of(top))}' -- \"$word\") ;;")
    if rest:
        names = " ".join(c.words[-1] for c in rest)
        lines.append(f"        :*) mapfile -t COMPREPLY < <(compgen -W '{names}' -- \"$word\") ;;")
    lines += ["        *) compopt -o default ;;", "    esac", "}", f"complete -F {function} {program}"]
    return "\n".join(lines) + "\n"


def zsh_text(text: str) -> str:
    for character in "\\[]:":
        text = text.replace(character, "\\" + character)
    return text.replace("'", "'\\''")


def zsh_flags(command: Command) -> list[str]:
    specs = []
    for option in command.options:
        value = ""
        if option.choices:
            value = f":{zsh_text(option.value)}:({' '.join(option.choices)})"
        elif option.value:
            value = f":{zsh_text(option.value)}:{'_files' if option.takes_file else ' '}"
        specs += [f"'{name}[{zsh_text(option.text)}]{value}'" for name in option.names]
    return specs


def zsh_completion(program: str, commands: list[Command]) -> str:
    function = "_" + program.replace("-", "_")
    top, rest = commands[0], commands[1:]
    lines = [f"#compdef {program}", NOTE, f"{function}() {{"]
    if rest:
        lines += ["    local -a commands=("]
        lines += [f"        '{c.words[-1]}:{zsh_text(c.what)}'" for c in rest]
        lines += ["    )", "    local line state", "    _arguments -C \\"]
        lines += [f"        {spec} \\" for spec in zsh_flags(top)]
        lines += ["        '1: :->command' '*:: :->arguments'", "    case $state in"]
        lines += ["        command) _describe 'command' commands ;;", "        arguments) case ${line[1]} in"]
        for command in rest:
            lines.append(f"            {command.words[-1]}) _arguments \\")
            lines += [f"                {spec} \\" for spec in zsh_flags(command)]
            lines.append("                '*:file:_files' ;;")
        lines += ["        esac ;;", "    esac"]
    else:
        lines.append("    _arguments \\")
        lines += [f"        {spec} \\" for spec in zsh_flags(top)]
        lines.append("        '*:file:_files'")
    # zsh calls the file itself where it is loaded by name, and only defines the function where it is sourced.
    lines += [
        "}",
        f'if [ "$funcstack[1]" = "{function}" ]; then {function} "$@"; else compdef {function} {program}; fi',
    ]
    return "\n".join(lines) + "\n"


def fish_completion(program: str, commands: list[Command]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    top, rest = commands[0], commands[1:]
    lines = [NOTE]
    if rest:
        names = " ".join(c.words[-1] for c in rest)
        for command in rest:
            lines.append(
                f"complete -c {program} -f -n {quoted(f'not __fish_seen_subcommand_from {names}')}"
                f" -a {command.words[-1]} -d {quoted(command.what)}"
            )
    for command in commands:
        where = "" if command is top else f" -n {quoted(f'__fish_seen_subcommand_from {command.words[-1]}')}"
        for option in command.options:
            names_of = "".join(
                f" -l {name[2:]}" if name.startswith("--") else f" -s {name[1:]}" for name in option.names
            )
            value = " -x -a " + quoted(" ".join(option.choices)) if option.choices else ""
            if option.value and not value:
                value = " -r" if option.takes_file else " -x"
            lines.append(f"complete -c {program}{where}{names_of}{value} -d {quoted(option.text)}")
    return "\n".join(lines) + "\n"


# --- Files ----------------------------------------------------------------------------------------------------------


def version_of(program: str) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.split()
    return said[-1] if said else ""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    version = version_of(sys.argv[2])
    for program in sys.argv[2:]:
        top = help_of(program, [])
        commands = [top] + [help_of(program, [name]) for name, _ in top.commands]
        names = ["-".join(command.words) for command in commands]
        for command, name in zip(commands, names):
            others = [other for other in (names if command is top else names[:1]) if other != name]
            write(out / "man1" / f"{name}.1", man_page(command, version, others or ["slipway"]))
        base = Path(program).name
        write(out / "bash" / base, bash_completion(base, commands))
        write(out / "zsh" / f"_{base}", zsh_completion(base, commands))
        write(out / "fish" / f"{base}.fish", fish_completion(base, commands))


if __name__ == "__main__":
    main()
