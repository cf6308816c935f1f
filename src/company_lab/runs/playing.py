"""Playing one cell: everything that may happen elsewhere, in any order."""

from __future__ import annotations

from typing import NamedTuple

from company_lab.episodes import Episode, play
from company_lab.evaluation import judge
from company_lab.runs.casting import Casting
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import Cell


class Todo(NamedTuple):
    """A cell to be played, and the number its first attempt gets."""

    cell: Cell
    attempt: int = 1


def play_cell(casting: Casting, job: Todo, *, seed: int) -> StoredEpisode:
    """Play and judge one cell. What comes of it depends on casting, trial and seed alone."""
    return judged(casting, job, play(casting.fixture, casting.agent, trial=job.cell.trial, seed=seed))


def judged(casting: Casting, job: Todo, episode: Episode) -> StoredEpisode:
    """A played episode with its verdict, ready to be stored."""
    return StoredEpisode(
        scenario=casting.scenario.id,
        trial=job.cell.trial,
        trace=episode.trace,
        verdict=judge(casting.scenario, casting.world.spec, episode.trace, episode.timings),
        grading=casting.grading,
        timings=episode.timings,
        attempt=job.attempt,
    )
