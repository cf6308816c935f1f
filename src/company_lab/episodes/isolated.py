"""Isolated: the lab's side of an episode whose agent runs in a process of its own.

The world, the session and the trace stay here, so whatever becomes of the process, what it did until then is in
the trace and is judged. The process may crash, hang, flood, close its pipes or talk nonsense; it and everything it
started are gone when the episode is.
"""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from company_lab.agents import wire
from company_lab.agents.protocol import Agent, Crashed, Task
from company_lab.agents.retry_after import seconds_to_wait
from company_lab.episodes.acting import GRACE_S, Outcome
from company_lab.episodes.captured import Captured
from company_lab.episodes.confined import Confinement
from company_lab.episodes.forkserver import Ended, ForkServer
from company_lab.episodes.piped import start_piped
from company_lab.episodes.play import Episode, LiveEpisode
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.canonical import Json
from company_lab.formats.hostile import printable
from company_lab.scenarios.model import Fault
from company_lab.worlds.fixture import Fixture

_READ = 1 << 16
_HELD_BACK = 1 << 20
"""Answers waiting to be read by a process; while there are more, it is not listened to."""
_DETAIL = 2000
_FAREWELL_S = 1.0
"""How long a process may go on after the last turn, to flush and to clean up."""
_WALL = ("wall_limit", "the agent did not come back in time and its process was ended")


def play_isolated(
    fixture: Fixture,
    agent: Agent,
    server: ForkServer,
    job: str,
    *,
    trial: int,
    seed: int,
    confinement: Confinement,
    tell_tools: bool = False,
    schedule: Sequence[Fault] | None = None,
) -> Episode:
    """Play one episode; the process that `server` starts for `job` is its agent (see `confined.work`).

    `tell_tools`: say with the first task which tools there are, for a process that does not know them. `schedule` takes
    the place of the scenario's own faults, as in `play`.

    At a crash point the process is killed (SIGKILL, with every process it started), and a new one takes its place; the
    numbers of those that were killed are in the timings under `killed`.

    What the processes wrote to standard output and standard error lies, cut, in the timings under `stdout` and
    `stderr`, their processor time under `agent_cpu_ms`. Raises `ForkServerLost` where no process can be started.
    """
    live = LiveEpisode(fixture, agent, trial=trial, seed=seed, schedule=schedule)
    output_bytes = fixture.scenario.limits.output_bytes

    def start() -> Program:
        return Program(server, job, confinement, output_bytes=output_bytes, tell_tools=tell_tools)

    lives = Lives(start)
    try:
        live.run(lambda agent, task, session: lives.turn(task, session))
        if live.ended[0] == "finished":
            lives.bid_farewell()
    finally:
        lives.close()
    live.session.reported.update(lives.timings())
    return live.finish()


class Lives:
    """The processes that act for one episode, one after another: each until it crashes."""

    def __init__(self, start: Callable[[], Program]) -> None:
        self._start = start
        self._programs = [start()]
        self._killed: list[int] = []

    def turn(self, task: Task, session: EpisodeSession) -> Outcome:
        """One turn, or the part of it until a crash."""
        if len(self._killed) == len(self._programs):
            self._programs.append(self._start())
        program = self._programs[-1]
        outcome = program.turn(task, session)
        if session.crash is not None:
            program.close()
            self._killed.append(program.pid)
        return outcome

    def bid_farewell(self) -> None:
        """Give the last process a moment to end by itself."""
        self._programs[-1].bid_farewell()

    def close(self) -> None:
        """End the last process with everything it started."""
        if len(self._killed) < len(self._programs):
            self._programs[-1].close()

    def timings(self) -> dict[str, Any]:
        """What goes beside the trace: what they printed, their processor time, which of them were killed."""
        found = put_together(program.timings() for program in self._programs)
        return found | ({"killed": list(self._killed)} if self._killed else {})


def put_together(timings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The timings of processes that acted one after another: texts and lists in this order, times added up."""
    found: dict[str, Any] = {}
    for one in timings:
        for name, told in one.items():
            found[name] = found[name] + told if name in found else told
    return found


class Program:
    """A process that acts for one episode, and the line to it."""

    def __init__(
        self,
        server: ForkServer,
        job: str,
        confinement: Confinement,
        *,
        output_bytes: int,
        tell_tools: bool,
    ) -> None:
        self._confinement = confinement
        # Whatever the session would let through fits: JSON spells a byte with six characters at most.
        self._lines = wire.Lines(longest=(1 << 20) + 6 * output_bytes)
        self._waiting: list[bytes] = []
        self._answers = bytearray()
        self._tell_tools = tell_tools
        self._asked: Json = None
        self._ended: Ended | None = None
        self._process, (self._says, self._hears, output, errors) = start_piped(server, job, reads=3)
        self._captured = {output: Captured("stdout"), errors: Captured("stderr")}
        self._selector = selectors.DefaultSelector()
        for readable in (self._hears, output, errors, self._process.fileno()):
            self._selector.register(readable, selectors.EVENT_READ)
        self._closed: set[int] = set()

    def turn(self, task: Task, session: EpisodeSession) -> Outcome:
        """One turn."""
        self._answer(wire.task_message(task, with_tools=self._tell_tools))
        self._tell_tools = False
        while True:
            try:
                outcome = self._read_waiting(session)
            except Crashed:
                self._farewell_answer(session)
                return Outcome()  # the session has the crash
            if outcome is not None:
                return outcome
            if session.stopped is not None:
                return Outcome()  # the session has the reason
            left = session.seconds_left() + GRACE_S
            if left <= 0:
                session.close(*_WALL)
                return Outcome(reason=_WALL[0], detail=_WALL[1])
            if self._hears in self._closed:
                return self._silenced()
            try:
                self._exchange(left)
            except wire.LineTooLong:
                limit = "more bytes than are allowed were sent in one line"
                return Outcome(reason="output_limit", detail=limit)
            if self._written() > self._confinement.output_bytes:
                return Outcome(
                    reason="output_limit",
                    detail=f"more than {self._confinement.output_bytes} bytes were written "
                    "to standard output and standard error",
                )

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def _farewell_answer(self, session: EpisodeSession) -> None:
        """Send the answer that leaves for the process right before it is killed, where the crash comes after that."""
        crash = session.crash
        if crash is None or crash.scheduled.point not in ("answered", "saved"):
            return
        if crash.error is not None:
            self._answer(wire.error(self._asked, crash.error))
        else:
            self._answer({"kind": "result", "id": self._asked, "value": crash.value})

    def _read_waiting(self, session: EpisodeSession) -> Outcome | None:
        while self._waiting and len(self._answers) < _HELD_BACK:
            line = self._waiting.pop(0)
            try:
                message = wire.read(line)
            except wire.BadMessage as error:
                return Outcome(reason="agent_error", detail=printable(f"its process sent {error}"[:_DETAIL]))
            if message["kind"] in wire.ENDINGS:
                return _outcome(message)
            self._asked = message["id"]
            self._answer(wire.answer(session, message))
            if session.stopped is not None:
                return None
        return None

    def _answer(self, message: wire.Message) -> None:
        if self._says not in self._closed:
            self._answers += wire.spell(message)
            self._write()

    def _write(self) -> None:
        with suppress(BlockingIOError):
            while self._answers:
                try:
                    written = os.write(self._says, self._answers[:_READ])
                except BrokenPipeError:
                    self._shut(self._says)
                    self._answers.clear()
                    return
                del self._answers[:written]
        wanted = self._says in self._selector.get_map()
        if bool(self._answers) != wanted:
            if wanted:
                self._selector.unregister(self._says)
            else:
                self._selector.register(self._says, selectors.EVENT_WRITE)

    def _exchange(self, seconds: float) -> None:
        """Wait for the process to do something, and take it in."""
        for key, _ in self._selector.select(min(seconds, 1.0)):
            if key.fd in self._closed:  # with the end of the process, which the same look has found
                continue
            if key.fd == self._hears:
                if len(self._answers) < _HELD_BACK:
                    self._hear()
                else:
                    time.sleep(0.001)
            elif key.fd == self._says:
                self._write()
            elif key.fd in self._captured:
                self._capture(key.fd)
            elif self._process.ended() is not None:
                self._take_end()

    def _hear(self) -> bool:
        """Take in what the process says; whether there may be more."""
        try:
            data = os.read(self._hears, _READ)
        except BlockingIOError:
            return False
        if not data:
            self._shut(self._hears)
            return False
        self._waiting += self._lines.feed(data)
        return True

    def _capture(self, descriptor: int) -> bool:
        try:
            data = os.read(descriptor, _READ)
        except BlockingIOError:
            return False
        if not data:
            self._shut(descriptor)
            return False
        self._captured[descriptor].add(data)
        return True

    def _take_end(self) -> None:
        """The process is gone: everything that is ever going to come has come."""
        self._ended = self._process.ended()
        self._selector.unregister(self._process.fileno())
        while self._hears not in self._closed and self._hear():
            pass
        if self._hears not in self._closed:
            self._shut(self._hears)

    def _shut(self, descriptor: int) -> None:
        self._closed.add(descriptor)
        with suppress(KeyError):
            self._selector.unregister(descriptor)
        os.close(descriptor)

    def _silenced(self) -> Outcome:
        """What it means that nothing more can come."""
        if self._ended is None:
            self._ended = self._process.wait(_FAREWELL_S)
        half = " in the middle of a message" if self._lines.rest else ""
        if self._ended is None:
            return Outcome(reason="agent_error", detail=f"its process closed the line{half}")
        if self._ended.used_up(self._confinement.cpu_s):
            detail = f"its process used more than {self._confinement.cpu_s} s of processor time"
            return Outcome(reason="agent_error", detail=detail)
        return Outcome(reason="agent_error", detail=f"its process {self._ended}{half}")

    def _written(self) -> int:
        return sum(captured.size for captured in self._captured.values())

    def bid_farewell(self) -> None:
        """Close the line and give the process a moment to end by itself."""
        if self._says not in self._closed:
            self._shut(self._says)
        deadline = time.monotonic() + _FAREWELL_S
        while self._ended is None and (left := deadline - time.monotonic()) > 0:
            with suppress(wire.LineTooLong):
                self._exchange(left)
            if self._written() > self._confinement.output_bytes:
                return

    def close(self) -> None:
        """End the process with everything it started, and let go of it."""
        if self._ended is None:
            self._process.kill()
            self._ended = self._process.wait(_FAREWELL_S)
        for descriptor in self._captured:
            while descriptor not in self._closed and self._capture(descriptor):
                if self._written() > 2 * self._confinement.output_bytes:
                    break
        for descriptor in {self._says, self._hears, *self._captured} - self._closed:
            self._shut(descriptor)
        self._selector.close()
        self._process.close()

    def timings(self) -> dict[str, Any]:
        """What goes beside the trace: what it printed, and its processor time where it is known."""
        found: dict[str, Any] = {
            captured.name: captured.text() for captured in self._captured.values() if captured.size
        }
        if self._ended is not None:
            found["agent_cpu_ms"] = self._ended.cpu_s * 1000
        return found


def _outcome(message: wire.Message) -> Outcome:
    detail = printable(str(message.get("detail", ""))[:_DETAIL])
    if message["kind"] == "outage":
        waits = seconds_to_wait(message.get("retry_after"))
        return Outcome(reason="infrastructure_error", detail=detail, retry_after=waits)
    if message["kind"] == "failed":
        return Outcome(reason="agent_error", detail=detail)
    if "other" in message:
        return Outcome(
            reason="agent_error", detail=f"the reply is a {printable(str(message['other'])[:100])}, not text"
        )
    return Outcome(reply=message.get("text"))
