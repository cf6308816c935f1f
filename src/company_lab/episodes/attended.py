"""Attended: one turn of a program that is started for it, told its task, and replies with what it prints.

Meanwhile it uses the world by another way. It may hang, flood, crash, close its pipes or leave children behind: it is
watched until it ends, and it and everything it started are gone when the turn is.
"""

from __future__ import annotations

import os
import selectors
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from company_lab.episodes.acting import Outcome
from company_lab.episodes.captured import Captured
from company_lab.episodes.confined import Confinement
from company_lab.episodes.forkserver import Ended, ForkServer
from company_lab.episodes.piped import start_piped
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.hostile import printable

_READ = 1 << 16
_LOOK_S = 0.05
"""How often it is seen to that the episode has ended meanwhile."""
_FAREWELL_S = 1.0
_DETAIL = 2000
_TOLD = 300
WALL = ("wall_limit", "the program did not come back in time and was ended")
TRY_LATER = os.EX_TEMPFAIL
"""The exit code by which a program says that a host it needs is down."""


class Attended:
    """A program during one turn."""

    def __init__(self, server: ForkServer, job: str, text: bytes, confinement: Confinement) -> None:
        self._confinement = confinement
        self._left = memoryview(text)
        self._reply = bytearray()
        self._errors = Captured("stderr")
        self._replied = False
        self._ended: Ended | None = None
        self._process, (self._says, self._output, self._complains) = start_piped(server, job, reads=2)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._says, selectors.EVENT_WRITE)
        for readable in (self._output, self._complains, self._process.fileno()):
            self._selector.register(readable, selectors.EVENT_READ)
        self._closed: set[int] = set()

    def outcome(self, session: EpisodeSession, broken: Callable[[], bool]) -> Outcome:
        """Wait for the program, and say what its turn came to.

        `broken` says whether the way to the world has failed, so that there is nothing to wait for any more.
        """
        while self._ended is None:
            if session.stopped is not None or session.crash is not None or broken():
                return Outcome()  # the session has the reason
            left = session.seconds_left()
            if left <= 0:
                return Outcome(reason=WALL[0], detail=WALL[1])
            if len(self._reply) + self._errors.size > self._confinement.output_bytes:
                most = self._confinement.output_bytes
                detail = f"more than {most} bytes were written to standard output and standard error"
                return Outcome(reason="output_limit", detail=detail)
            self._exchange(min(left, _LOOK_S))
        self._drain()
        if session.stopped is not None or session.crash is not None:
            return Outcome()
        return self._judged(self._ended)

    def _judged(self, ended: Ended) -> Outcome:
        if ended.code == 0:
            self._replied = True
            return Outcome(reply=self._reply.decode("utf-8", "replace").rstrip())
        if ended.used_up(self._confinement.cpu_s):
            detail = f"the program used more than {self._confinement.cpu_s} s of processor time"
            return Outcome(reason="agent_error", detail=detail)
        said = last_line(self._errors.text())
        detail = f"the program {ended}{f': {said}' if said else ''}"[:_DETAIL]
        reason = "infrastructure_error" if ended.code == TRY_LATER else "agent_error"
        return Outcome(reason=reason, detail=detail)

    def _exchange(self, seconds: float) -> None:
        for key, _ in self._selector.select(seconds):
            if key.fd == self._says:
                self._tell()
            elif key.fd == self._output or key.fd == self._complains:
                self._hear(key.fd)
            else:
                self._ended = self._process.ended()

    def _tell(self) -> None:
        with suppress(BlockingIOError):
            try:
                self._left = self._left[os.write(self._says, self._left[:_READ]) :]
            except BrokenPipeError:
                self._left = memoryview(b"")
        if not self._left:
            self._shut(self._says)

    def _hear(self, descriptor: int) -> bool:
        """Take in what it has written; whether there may be more."""
        try:
            data = os.read(descriptor, _READ)
        except BlockingIOError:
            return False
        if not data:
            self._shut(descriptor)
            return False
        if descriptor == self._complains:
            self._errors.add(data)
        else:
            self._reply += data
        return True

    def _drain(self) -> None:
        for descriptor in (self._output, self._complains):
            while descriptor not in self._closed and self._hear(descriptor):
                if len(self._reply) + self._errors.size > 2 * self._confinement.output_bytes:
                    break

    def _shut(self, descriptor: int) -> None:
        self._closed.add(descriptor)
        self._selector.unregister(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        """End it with everything it started, and let go of it."""
        if self._ended is None:
            self._process.kill()
            self._ended = self._process.wait(_FAREWELL_S)
        self._drain()
        for descriptor in {self._says, self._output, self._complains} - self._closed:
            self._shut(descriptor)
        self._selector.close()
        self._process.close()

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def timings(self) -> dict[str, Any]:
        """What goes beside the trace: what it wrote besides its reply, cut, and its processor time where known."""
        output = Captured("stdout")
        if not self._replied:
            output.add(bytes(self._reply))
        found: dict[str, Any] = {
            stream.name: stream.text() for stream in (output, self._errors) if stream.size
        }
        if self._ended is not None:
            found["agent_cpu_ms"] = self._ended.cpu_s * 1000
        return found


def last_line(text: str) -> str:
    """The last line that says something, cut and without anything that could steer a terminal."""
    lines = [line.strip() for line in text.splitlines() if any(map(str.isalnum, line))]
    return printable(lines[-1][:_TOLD]) if lines else ""
