"""Threads: several episodes at once in this process, for agents that spend their time waiting.

What an agent keeps outside its own calls is shared between the threads. Async agents share one event loop; isolated
ones have a process each, and the thread here keeps its world.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Protocol

from company_lab.episodes import Episode
from company_lab.episodes.acting import Act, in_place
from company_lab.episodes.confined import Confinement, work
from company_lab.episodes.forkserver import ForkServer
from company_lab.episodes.isolated import play_isolated
from company_lab.episodes.looping import Displaced, EventLoop, is_async
from company_lab.episodes.play import LiveEpisode, tool_offers
from company_lab.runs.casting import Casting
from company_lab.runs.crew import Done, NextJob, doze
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import Cell
from company_lab.runs.playing import Todo, judged, play_cell
from company_lab.runs.waiting import Later

_MOST_DISPLACEMENTS = 2
"""How often an async agent is played beside others that spoil its loop, before it gets a thread to itself."""
_DISPLACED = ("infrastructure_error", "another episode kept the event loop that both were on from going on")
_SCRIPTED = ("conduct", "request")


class Player(Protocol):
    """Plays one cell; may be called from several threads."""

    def __call__(self, job: Todo) -> StoredEpisode: ...

    def close(self) -> None:
        """Let go of whatever it plays with."""
        ...


class Threads:
    """Plays as many jobs at once as it has hands, each on a thread."""

    def __init__(self, player: Player, hands: int) -> None:
        self._player = player
        self._hands = hands
        self._jobs: queue.SimpleQueue[Todo | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[tuple[Todo, StoredEpisode | BaseException]] = queue.SimpleQueue()
        for _ in range(hands):
            threading.Thread(target=self._work, name="company-lab-player", daemon=True).start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._done.put((job, self._player(job)))
            except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
                self._done.put((job, error))

    def play(self, next_job: NextJob, done: Done) -> None:
        """See `Crew`."""
        under_way = 0
        while True:
            later: Later | None = None
            while under_way < self._hands and (job := next_job()) is not None:
                if isinstance(job, Later):
                    later = job
                    break
                self._jobs.put(job)
                under_way += 1
            if not under_way:
                if later is None:
                    return
                doze(later)
                continue
            with suppress(queue.Empty):
                job, played = self._done.get(timeout=None if later is None else later.seconds)
                under_way -= 1
                if isinstance(played, BaseException):
                    raise played
                done(job, played)

    def close(self) -> None:
        """See `Crew`."""
        for _ in range(self._hands):
            self._jobs.put(None)
        self._player.close()


class _Here:
    """Plays a cell with its agent in this process."""

    def __init__(self, castings: Mapping[str, Casting], seed: int) -> None:
        self._castings = castings
        self._seed = seed

    def __call__(self, job: Todo) -> StoredEpisode:
        return play_cell(self._castings[job.cell.scenario], job, seed=self._seed)

    def close(self) -> None:
        """See `Player`."""


class _Looping(_Here):
    """Plays async agents on one event loop."""

    def __init__(self, castings: Mapping[str, Casting], seed: int) -> None:
        super().__init__(castings, seed)
        self._loop = EventLoop()
        self._displaced: Counter[Cell] = Counter()

    def __call__(self, job: Todo) -> StoredEpisode:
        casting = self._castings[job.cell.scenario]
        if (
            casting.agent is None
            or not is_async(casting.agent.act)
            or self._displaced[job.cell] >= _MOST_DISPLACEMENTS
        ):
            return super().__call__(job)
        live = LiveEpisode(casting.fixture, casting.agent, trial=job.cell.trial, seed=self._seed)
        displaced = False
        try:
            live.run(self._loop.act)
        except Displaced:
            live.ended, displaced = _DISPLACED, True
            self._displaced[job.cell] += 1
        episode = live.finish()
        if displaced:
            episode.timings["displaced"] = True
        return judged(casting, job, episode)

    def close(self) -> None:
        """See `Player`."""
        self._loop.close()


class _Isolated(_Here):
    """Plays each cell with its agent in a process of its own."""

    def __init__(self, castings: Mapping[str, Casting], seed: int, confinement: Confinement) -> None:
        super().__init__(castings, seed)
        self._confinement = confinement

        def be_agent(scenario: str, descriptors: list[int]) -> None:
            casting = castings[scenario]
            assert casting.agent is not None
            work(casting.agent, tool_offers(casting.world), descriptors, confinement)

        self._server = ForkServer(be_agent)

    def __call__(self, job: Todo) -> StoredEpisode:
        casting = self._castings[job.cell.scenario]
        if casting.agent is not None and casting.agent.apart:
            return super().__call__(job)
        if casting.agent is None or casting.agent.kind in _SCRIPTED:
            return judged(casting, job, _played(casting, job, self._seed, in_place))
        episode = play_isolated(
            casting.fixture,
            casting.agent,
            self._server,
            casting.scenario.id,
            trial=job.cell.trial,
            seed=self._seed,
            confinement=self._confinement,
        )
        return judged(casting, job, episode)

    def close(self) -> None:
        """See `Player`."""
        self._server.close()


def _played(casting: Casting, job: Todo, seed: int, act: Act) -> Episode:
    live = LiveEpisode(casting.fixture, casting.agent, trial=job.cell.trial, seed=seed)
    live.run(act)
    return live.finish()


def player(castings: Mapping[str, Casting], seed: int, *, isolation: Confinement | None = None) -> Player:
    """The player that fits the agents: isolated where that is asked for, async ones on one event loop."""
    if isolation is not None:
        return _Isolated(castings, seed, isolation)
    return _Looping(castings, seed) if any_async(castings) else _Here(castings, seed)


def any_async(castings: Mapping[str, Casting]) -> bool:
    """Whether an agent among them is an async function."""
    return any(casting.agent is not None and is_async(casting.agent.act) for casting in castings.values())
