"""Command: the command line of a program that is to be evaluated, made ready to be started anywhere."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.secrets import SECRET, SHORTEST, conceal, without_secrets

Speaks = Literal["mcp-http", "mcp-stdio", "lines"]
"""How a program uses the world: as an MCP client over HTTP or of a command it starts, or by our line protocol."""
SPEAKS: tuple[Speaks, ...] = get_args(Speaks)
PLACES = ("{task}", "{task_file}", "{mcp_url}", "{mcp_config}")
"""What a command may leave open; each turn fills it in."""
_PASSED = frozenset(["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TZ", "USER"])
_LARGEST = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A program with its arguments and the part of the environment it is given."""

    words: tuple[str, ...]
    """As they were given, secrets replaced: what is stored."""
    argv: tuple[str, ...]
    """As they are started: the program and files it names by their full paths."""
    env: Mapping[str, str]
    passed: tuple[str, ...]
    """The names of variables that were asked for."""

    @property
    def name(self) -> str:
        """A short name for reports: the program and the files it is given."""
        first, *rest = self.words
        named = [Path(word).name for word in rest if Path(word).suffix and not word.startswith("-")]
        return " ".join([Path(first).name, *named])

    @property
    def files(self) -> dict[str, str]:
        """SHA-256 of each file it names, by the word that names it, without an interpreter found by its name."""
        found: dict[str, str] = {}
        for word, path in zip(self.words, self.argv, strict=True):
            file = Path(path)
            by_name_alone = path == self.argv[0] and "/" not in word
            if (
                not by_name_alone
                and file.is_absolute()
                and file.is_file()
                and file.stat().st_size <= _LARGEST
            ):
                found[word] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values handed on that are secrets, by their names or by what they look like; the longest first."""
        values = {
            value
            for name in self.passed
            if len(value := self.env[name].strip()) >= SHORTEST
            and without_secrets({name: value}) != {name: value}
        }
        return tuple(sorted(values, key=len, reverse=True))

    def filled(self, values: Mapping[str, str]) -> list[str]:
        """The arguments with everything filled in that was left open."""
        return [self.argv[0], *(_filled(word, values) for word in self.argv[1:])]

    def leaves_open(self, place: str) -> bool:
        """Whether the command wants this filled in."""
        return any(place in word for word in self.words[1:])


def read_command(command: str | Sequence[str], *, env: Sequence[str] = ()) -> Command:
    """Read a command line. `env` has names of variables to hand on, or `NAME=VALUE`.

    A relative path to a file that is there is meant from the current folder, since the program is started in another.
    Raises `WrongUse` where the program can not be found.
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise WrongUse(f"the command {command!r} can not be read: {error}") from None
    if not words:
        raise WrongUse("the command is empty: give a program and its arguments, such as 'python agent.py'")
    given = dict(_variables(env))
    return Command(
        words=tuple(_shown(words)),
        argv=(_program(words[0]), *(_from_here(word) for word in words[1:])),
        env={**_inherited(), **given},
        passed=tuple(sorted(given)),
    )


def read_speaks(name: str) -> Speaks:
    """The protocol of a name. Raises `WrongUse`."""
    for known in SPEAKS:
        if name == known:
            return known
    close = nearest(name, SPEAKS)
    hint = f"; did you mean {close}?" if close else ""
    raise WrongUse(f"there is no protocol {name}{hint} (known: {', '.join(SPEAKS)})")


def _filled(word: str, values: Mapping[str, str]) -> str:
    # One pass over the word, so that a value that looks like such a place stays what it is.
    for place in PLACES:
        if place in word and place[1:-1] in values:
            before, _, after = word.partition(place)
            return _filled(before, values) + values[place[1:-1]] + _filled(after, values)
    return word


def _program(word: str) -> str:
    if "/" in word:
        path = Path(word).expanduser().absolute()
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
        why = "can not be executed" if path.exists() else "is not there"
        raise WrongUse(f"the program {word} {why}")
    found = shutil.which(word)
    if found is None:
        here = Path(word).is_file()
        hint = f"; for the file in this folder write ./{word}" if here else ""
        raise WrongUse(f"there is no program {word} on the PATH{hint}")
    return str(Path(found).absolute())


def _from_here(word: str) -> str:
    path = Path(word)
    is_path = bool(word) and not word.startswith("-") and "\0" not in word and len(word) < 4096
    return str(path.absolute()) if is_path and not path.is_absolute() and path.is_file() else word


def _variables(given: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in given:
        name, equals, value = one.partition("=")
        if not name or name.startswith("COMPANY_LAB_"):
            raise WrongUse(f"the variable {one!r}: give a name of your own, or NAME=VALUE")
        if not equals:
            if name not in os.environ:
                raise WrongUse(f"the variable {name} is to be handed on, but it is not set here")
            value = os.environ[name]
        yield name, value


def _inherited() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name in _PASSED or name.startswith("LC_")}


def _shown(words: Sequence[str]) -> Iterator[str]:
    """The words with secrets replaced: what looks like a key, and what stands under a name such as --api-key."""
    option = ""
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("-") and equals:
            yield f"{name}={_concealed(name, value)}"
        else:
            yield _concealed(option, word) if option and not word.startswith("-") else conceal(word)
        option = word if word.startswith("--") and not equals else ""


def _concealed(option: str, value: str) -> str:
    named = without_secrets({option.strip("-").replace("-", "_"): value})
    assert isinstance(named, dict)
    return SECRET if SECRET in named.values() else conceal(value)
