"""Workers: schedules played in several processes at once; what came of them comes in the order of asking."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection, Pipe, wait
from types import TracebackType
from typing import Self

from company_lab.episodes.forkserver import Forked, ForkServer
from company_lab.formats.errors import CompanyLabError
from company_lab.probing.explore.explored import Explored, Schedule, schedule_text
from company_lab.probing.explore.playing import Subject
from company_lab.probing.explore.row import play_in_a_row

_BATCH = 8
"""Schedules sent to a process at once."""
_END_S = 5.0


class WorkerLost(CompanyLabError):
    """A process that played schedules ended: the agent took it with it, or the lab itself failed in it."""


class Workers:
    """Plays schedules in so many processes. To be made before anything starts a thread, and left with `with`."""

    def __init__(self, subject: Subject, hands: int) -> None:
        self._hands = hands
        self._server = ForkServer(
            lambda _, descriptors: _work(Connection(descriptors[0]), subject),
        )
        self._hired: list[_Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for worker in self._hired:
            worker.close()

    def play_many(self, schedules: Iterator[Schedule], states: Collection[str]) -> Iterator[Explored]:
        """What came of each schedule, in order. Raises `WorkerLost` where a process ends."""
        while len(self._hired) < self._hands:
            self._hired.append(_Worker(self._server))
        idle, busy = [*self._hired], dict[Connection, tuple[_Worker, int]]()
        ready: dict[int, list[Explored]] = {}
        sent = told = 0
        more = True
        while more or busy or ready:
            # Nobody runs far ahead of what is waited for, so that a search that is ended loses little.
            while more and idle and sent - told < 4 * self._hands:
                batch = list(islice(schedules, _BATCH))
                more = len(batch) == _BATCH
                if batch:
                    worker = idle.pop()
                    worker.send(batch)
                    busy[worker.pipe] = (worker, sent)
                    sent += 1
            if told in ready:
                yield from ready.pop(told)
                told += 1
                continue
            for pipe in wait(list(busy)) if busy else ():
                assert isinstance(pipe, Connection)
                worker, number = busy.pop(pipe)
                ready[number] = worker.receive()
                idle.append(worker)


class _Worker:
    """A process that plays, and the pipe to it."""

    def __init__(self, server: ForkServer) -> None:
        self.pipe, theirs = Pipe()
        with theirs:
            self._process: Forked = server.start("", [theirs.fileno()])
        self._asked: list[Schedule] = []

    def send(self, batch: list[Schedule]) -> None:
        self._asked = batch
        with suppress(ConnectionError):  # where it has ended, that shows when its answer is read
            self.pipe.send(batch)

    def receive(self) -> list[Explored]:
        try:
            answer = self.pipe.recv()
        except (EOFError, ConnectionError):
            ended = self._process.wait(_END_S) or "closed its pipe"
            first, last = schedule_text(self._asked[0]), schedule_text(self._asked[-1])
            raise WorkerLost(
                f"the process that played the schedules {first} to {last} {ended}; "
                "--schedule plays one of them alone"
            ) from None
        if isinstance(answer, str):
            raise WorkerLost(answer)
        played: list[Explored] = answer
        return played

    def close(self) -> None:
        self.pipe.close()
        self._process.close()


def _work(asked: Connection, subject: Subject) -> None:
    while True:
        try:
            batch: list[Schedule] = asked.recv()
        except EOFError:
            return
        try:
            asked.send(list(play_in_a_row(subject, iter(batch), ())))
        except Exception as error:  # noqa: BLE001 - told to the process that searches, which raises it
            asked.send(f"{type(error).__name__}: {error}")
