"""Keeping what was explored in a file of JSON lines, so that a killed exploration goes on where it was."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.errors import WrongUse
from company_lab.probing.explore.explored import Explored, Schedule, same_faults

FORMAT = 1


class Kept:
    """What is known about schedules; with a file, what earlier processes have found out too.

    A line that was being written when a process was killed is dropped. Raises `WrongUse` where the file holds another
    exploration, or another process is writing to it.
    """

    def __init__(self, file: Path | None, about: Mapping[str, Json]) -> None:
        self._known: dict[tuple[str, int], Explored] = {}
        self._out: BinaryIO | None = None
        self._file = file
        self.from_file = 0
        """How many schedules the file knew at the beginning."""
        if file is not None:
            try:
                self._open(file, {"format": FORMAT, "kind": "exploration", **about})
            except BaseException:
                self.close()
                raise

    def _open(self, file: Path, head: dict[str, Json]) -> None:
        if file.exists() and not file.is_file():
            # Reading from a device or a pipe may never end.
            raise WrongUse(f"{file} is no ordinary file: name another for --state")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        self._out = out = file.open("r+b")
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WrongUse(f"{file}: another exploration is writing to it") from None
        content = out.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        # A first line that is not whole has to be the beginning of ours; all else is somebody's, and is left alone.
        if not content.startswith(b"{") if lines else not _line(head).startswith(content):
            raise WrongUse(f"{file} is no file of an exploration: name another")
        if lines:
            self._read(file, lines, head)
        out.seek(len(whole))
        out.truncate()
        if not lines:
            self._write(head)

    def _read(self, file: Path, lines: list[bytes], head: Mapping[str, Json]) -> None:
        try:
            first, *rest = map(json.loads, lines)
            if first != head:
                raise WrongUse(
                    f"{file} was explored {_difference(first, head)}: name another file or remove it"
                )
            for line in rest:
                self._note(int(line["trial"]), Explored.from_json(line))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise WrongUse(f"{file} does not hold what an exploration wrote: {error!r}") from error
        self.from_file = len(rest)

    def find(self, schedule: Schedule, *, trial: int = 1) -> Explored | None:
        """What is known about these faults, in whichever order they are listed."""
        return self._known.get((same_faults(schedule), trial))

    def add(self, trial: int, explored: Explored) -> None:
        """Keep what came of a schedule."""
        self._note(trial, explored)
        if self._out is not None:
            self._write({"trial": trial, **explored.to_json()})

    def _note(self, trial: int, explored: Explored) -> None:
        self._known[same_faults(explored.schedule), trial] = explored

    def _write(self, line: dict[str, Json]) -> None:
        assert self._out is not None
        try:
            self._out.write(_line(line))
            self._out.flush()
        except OSError as error:
            raise WrongUse(
                f"{self._file} can not be written ({error.strerror}): "
                "make room, and the same command goes on from there"
            ) from error

    def close(self) -> None:
        """Let go of the file."""
        if self._out is not None:
            # What could not be written stays in a buffer, and would fail once more.
            with suppress(OSError):
                self._out.close()


def _line(data: Mapping[str, Json]) -> bytes:
    return canonical(dict(data)).encode() + b"\n"


def _difference(found: Mapping[str, Json], now: Mapping[str, Json]) -> str:
    names = [name for name in now if found.get(name) != now[name]]
    return f"with another {', '.join(names)}" if names else "in another way"
