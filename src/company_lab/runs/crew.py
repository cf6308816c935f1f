"""Crews: who plays the cells of a run. Alone, on threads, or in processes; the results are the same.

A crew asks for the next job when it has a hand free and hands over what was played as it comes, one episode
at a time. No more episodes are under way than there are hands, so memory stays bounded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from company_lab.episodes import Episode
from company_lab.episodes.confined import Confinement
from company_lab.episodes.player import Job, play_each
from company_lab.formats.errors import WrongUse
from company_lab.runs.casting import Casting
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.playing import Todo, judged
from company_lab.runs.waiting import Later

NextJob: TypeAlias = Callable[[], "Todo | Later | None"]
"""The next job; None where there is none, or none before something that is under way is done."""


@dataclass(frozen=True, slots=True)
class Lost:
    """An episode that went with the process that played it, and how that ended."""

    how: str


Done: TypeAlias = Callable[[Todo, "StoredEpisode | Lost"], None]

MOST_HANDS = 1000
_NAP_S = 0.05


class Crew(Protocol):
    """Plays jobs until there are none left."""

    def play(self, next_job: NextJob, done: Done) -> None:
        """Play until there is no job left; `next_job` is asked again after every `done`.

        Raises what `done` raises.
        """
        ...

    def close(self) -> None:
        """Let go of threads and processes; whatever they are playing is thrown away."""
        ...


def doze(later: Later) -> None:
    """Sleep for a moment while there is nothing to play and nothing under way."""
    time.sleep(min(later.seconds, _NAP_S))


class Alone:
    """Plays one job after another, on a thread that is left behind where an agent does not come back."""

    def __init__(self, castings: Mapping[str, Casting], seed: int) -> None:
        self._castings = castings
        self._seed = seed

    def play(self, next_job: NextJob, done: Done) -> None:
        """See `Crew`."""

        def played(job: Job[Todo], episode: Episode) -> None:
            done(job.tag, judged(self._castings[job.tag.cell.scenario], job.tag, episode))

        def next_or_none() -> Todo | None:
            while isinstance(job := next_job(), Later):
                doze(job)
            return job

        play_each(map(self._job, iter(next_or_none, None)), played)

    def _job(self, todo: Todo) -> Job[Todo]:
        casting = self._castings[todo.cell.scenario]
        return Job(
            tag=todo,
            fixture=casting.fixture,
            agent=casting.agent,
            trial=todo.cell.trial,
            seed=self._seed,
        )

    def close(self) -> None:
        """See `Crew`."""


def crew(
    castings: Mapping[str, Casting],
    seed: int,
    *,
    workers: int = 1,
    processes: int | None = None,
    isolation: Confinement | None = None,
) -> Crew:
    """The crew of that size. With `isolation` each episode's agent gets a process of its own.

    Raises `WrongUse` for sizes that make no sense.
    """
    hands = workers if processes is None else processes
    if not 1 <= hands <= MOST_HANDS:
        raise WrongUse(f"{hands} at once: give a whole number from 1 to {MOST_HANDS}")
    if processes is not None and workers != 1:
        raise WrongUse(
            "give either workers or processes: threads for agents that wait, processes for busy ones"
        )
    if processes is not None and isolation is not None:
        raise WrongUse("isolated episodes have processes of their own: say with workers how many at once")
    if processes is not None:
        from company_lab.runs.processes import Processes

        return Processes(castings, seed, processes)
    from company_lab.runs.threads import Threads, any_async, player

    if isolation is None and workers == 1 and not any_async(castings):
        return Alone(castings, seed)
    return Threads(player(castings, seed, isolation=isolation), workers)
