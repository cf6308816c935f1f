"""Launching: becoming somebody else's program, in a process that is confined and looked after.

Run as a module this is the process that starts programs for the lab: small, with one thread, and responsible for
whatever they leave behind (see `forkserver`).
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from company_lab.episodes.confined import Confinement, confine
from company_lab.episodes.forkserver import serve
from company_lab.formats.canonical import canonical, parse_own

_NOT_STARTED = 127
_RESET = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What it takes to start a program."""

    argv: Sequence[str]
    """Its file and its arguments."""
    env: Mapping[str, str]
    """All of its environment."""
    folder: str
    """Where it is started."""
    confinement: Confinement

    def write(self, path: Path) -> str:
        """Leave this in a file that nobody else can read; its name is the job of a process."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            document: dict[str, Any] = asdict(self)
            document |= {"argv": list(self.argv), "env": dict(self.env)}
            file.write(canonical(document))
        return str(path)


def launch(job: str, descriptors: Sequence[int]) -> None:
    """Become the program of a job. Never returns.

    The first descriptor becomes standard input, the second standard output, the last standard error; one between
    is let go of.
    """
    path = Path(job)
    document: dict[str, Any] = parse_own(path.read_text(encoding="ascii"))  # type: ignore[assignment]
    path.unlink()
    # Behind the three standard ones first, so that none is overwritten before it is in its place.
    moved = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
        for descriptor in (*descriptors[:2], descriptors[-1])
    ]
    for place, descriptor in enumerate(moved):
        os.dup2(descriptor, place)
    os.closerange(3, max(*moved, *descriptors) + 1)
    for number in _RESET:
        signal.signal(number, signal.SIG_DFL)
    argv: list[str] = document["argv"]
    try:
        os.chdir(document["folder"])
        confine(Confinement(**document["confinement"]))
        os.execve(argv[0], argv, document["env"])
    except OSError as error:
        os.write(2, f"company-lab: {argv[0]} can not be started: {error.strerror}\n".encode())
        os._exit(_NOT_STARTED)


def main() -> None:
    """Start programs until the lab is gone."""
    serve(launch)
    sys.exit(1)


if __name__ == "__main__":
    main()
