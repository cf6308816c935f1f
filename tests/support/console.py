"""Runs the `console` blocks of the documentation.

A block holds commands, each after `$ ` (a trailing backslash goes on in the next line), each followed by what
it prints on either stream; nothing shown means that the output is not compared. `...` stands for anything. A
command that fails makes the example fail, unless the next command is `echo $?`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sybil import Example

from output import difference
from warm import warm_folder

_SET_UP = frozenset({"apt", "brew", "docker", "git", "make", "pip", "pip3", "pipx", "sudo", "uv"})
_HIDDEN = ("PYTEST_", "GITHUB_", "COV_")
_SHOW_STATUS = "echo $?"


@dataclass(frozen=True, slots=True)
class Command:
    line: str
    shown: str


def commands_of(block: str) -> Iterator[Command]:
    """The commands of a block, each with the output shown under it."""
    lines = iter(block.splitlines())
    command, shown = "", list[str]()
    for line in lines:
        if not line.startswith("$ "):
            shown.append(line)
            continue
        if command:
            yield Command(command, "\n".join(shown))
        elif any(shown):
            raise ValueError(f"a console block begins with '$ ' and a command, found {shown[0]!r}")
        command, shown = line.removeprefix("$ "), []
        while command.endswith("\\"):
            command = command[:-1] + next(lines, "").lstrip()
    if not command:
        raise ValueError(
            "a console block without a command; write '$ ' before the command, or use a text block"
        )
    yield Command(command, "\n".join(shown))


def run_console(example: Example) -> str | None:
    """Run a block in the current folder; the complaint, if a command fails or prints something else."""
    status = 0
    commands = [*commands_of(example.parsed), None]
    for command, following in pairwise(commands):
        if command is None:
            break
        program = command.line.split()[0]
        if program in _SET_UP:
            return (
                f"$ {command.line}\n{program} sets a machine up: write it in a sh block, which does not run"
            )
        finished = subprocess.run(
            ["bash", "-c", f"(exit {status}); {command.line}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=_environment(warm="company-lab " in command.line),
            encoding="utf-8",
            check=False,
        )
        status = finished.returncode
        if status and not (following and following.line == _SHOW_STATUS):
            return f"$ {command.line}\nfailed with status {status}:\n{finished.stdout}"
        complaint = difference(command.shown, finished.stdout) if command.shown.strip() else None
        if complaint:
            return f"$ {command.line}\n{complaint}"
    return None


def _environment(*, warm: bool) -> dict[str, str]:
    """What a reader has: this environment's commands on the path, a plain terminal of 100 columns, no CI."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(_HIDDEN) and name != "CI"
    }
    folders = [*([warm_folder()] if warm else []), str(Path(sys.executable).parent)]
    path = os.pathsep.join([*folders, kept.get("PATH", "")])
    plain = {
        "NO_COLOR": "1",
        "TERM": "dumb",
        "COLUMNS": "100",
        "PYTHONIOENCODING": "utf-8",
        "HOME": str(Path.cwd()),
        "PYTEST_ADDOPTS": "-p no:langsmith_plugin",  # takes a second to load
    }
    return kept | plain | {"PATH": path}
