"""Processes: several episodes at once in processes of their own, for agents that keep a processor busy.

An agent that ends its process takes its episode with it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait

from company_lab.episodes.forkserver import Forked, ForkServer
from company_lab.formats.errors import CompanyLabError
from company_lab.runs.casting import Casting
from company_lab.runs.crew import Done, Lost, NextJob, doze
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.playing import Todo
from company_lab.runs.threads import player
from company_lab.runs.waiting import Later

_END_S = 5.0


class WorkerError(CompanyLabError):
    """The lab itself failed in another process."""


class Processes:
    """Plays as many jobs at once as it has hands, each in a process that plays one after another."""

    def __init__(self, castings: Mapping[str, Casting], seed: int, hands: int) -> None:
        self._hands = hands

        def take_jobs(_: str, descriptors: list[int]) -> None:
            _work(Connection(descriptors[0]), castings, seed)

        self._server = ForkServer(take_jobs)
        self._idle: list[_Worker] = []
        self._busy: dict[Connection, tuple[_Worker, Todo]] = {}

    def play(self, next_job: NextJob, done: Done) -> None:
        """See `Crew`."""
        while True:
            later: Later | None = None
            while len(self._busy) < self._hands and (job := next_job()) is not None:
                if isinstance(job, Later):
                    later = job
                    break
                worker = self._idle.pop() if self._idle else _Worker(self._server)
                self._busy[worker.pipe] = (worker, job)
                worker.send(job)
            if not self._busy:
                if later is None:
                    return
                doze(later)
                continue
            ends = [worker.process.fileno() for worker, _ in self._busy.values()]
            ready = set(wait([*self._busy, *ends], None if later is None else later.seconds))
            for pipe, (worker, _) in list(self._busy.items()):
                if pipe in ready or worker.process.fileno() in ready:
                    done(*self._received(pipe))

    def _received(self, pipe: Connection) -> tuple[Todo, StoredEpisode | Lost]:
        worker, job = self._busy.pop(pipe)
        try:
            played = pipe.recv() if pipe.poll() else None
        except (EOFError, OSError):  # it may have ended in the middle of what it sent
            played = None
        if played is None:
            return job, Lost(worker.end())
        self._idle.append(worker)
        if isinstance(played, str):
            raise WorkerError(played)
        return job, played

    def close(self) -> None:
        """See `Crew`."""
        self._server.close()
        for worker in (*self._idle, *(worker for worker, _ in self._busy.values())):
            worker.close()


class _Worker:
    """A process that plays, and the pipe to it."""

    def __init__(self, server: ForkServer) -> None:
        self.pipe, theirs = Pipe()
        with theirs:
            self.process: Forked = server.start("", [theirs.fileno()])

    def send(self, job: Todo) -> None:
        with suppress(ConnectionError):  # where it has ended meanwhile, that shows when its answer is read
            self.pipe.send(job)

    def end(self) -> str:
        """How it ended; it is ended where it only closed its pipe."""
        ended = self.process.wait(_END_S / 10)
        if ended is None:
            self.process.kill()
            self.process.wait(_END_S)
        self.close()
        return (
            "the process that played it closed its pipe"
            if ended is None
            else f"the process that played it {ended}"
        )

    def close(self) -> None:
        self.pipe.close()
        self.process.close()


def _work(asked: Connection, castings: Mapping[str, Casting], seed: int) -> None:
    play_cell = player(castings, seed)
    while True:
        try:
            job = asked.recv()
        except EOFError:
            return
        try:
            asked.send(play_cell(job))
        except Exception as error:  # noqa: BLE001 - told to the process that stores, which raises it
            asked.send(f"{type(error).__name__}: {error}")
