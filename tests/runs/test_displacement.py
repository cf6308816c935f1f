"""Attempts that the lab itself ended: stored with the one that takes their place, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from company_lab.agents.protocol import Session, Task
from company_lab.episodes.acting import in_place
from company_lab.episodes.play import LiveEpisode
from company_lab.runs import Casting, Store, begin
from company_lab.runs.budget import Budget
from company_lab.runs.crew import Done, NextJob
from company_lab.runs.interruption import Interruption
from company_lab.runs.playing import Todo, judged, play_cell
from company_lab.runs.under_way import UnderWay
from company_lab.runs.waiting import Patience
from played_run import prepared


def ships(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


class Displacing:
    """Plays every cell, of which the first attempts are displaced; stops after so many attempts."""

    def __init__(self, casting: Casting, *, displaced: int, stops_after: int) -> None:
        self._casting = casting
        self._displaced = displaced
        self._left = stops_after

    def play(self, next_job: NextJob, done: Done) -> None:
        while isinstance(job := next_job(), Todo):
            if self._left == 0:
                raise KeyboardInterrupt
            self._left -= 1
            if job.attempt > self._displaced:
                done(job, play_cell(self._casting, job, seed=7))
                continue
            live = LiveEpisode(self._casting.fixture, self._casting.agent, trial=job.cell.trial, seed=7)
            live.run(in_place)
            live.ended = ("infrastructure_error", "another episode kept the event loop")
            episode = live.finish()
            episode.timings["displaced"] = True
            done(job, judged(self._casting, job, episode))

    def close(self) -> None:
        pass


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def played(store: Store, *, displaced: int, stops_after: int) -> tuple[str, str]:
    plan, castings = prepared(ships, ids=["send_p1"], trials=1)
    begin(plan, castings, store)
    with Interruption() as interruption:
        ending = UnderWay(
            plan,
            map(Todo, plan.cells),
            store,
            interruption,
            budget=Budget(),
            patience=Patience(),
            redacting=None,
            progress=None,
        ).by(Displacing(castings[0], displaced=displaced, stops_after=stops_after))
    return plan.run, ending.status


@pytest.mark.fault("A24")
def test_displaced_attempts_are_kept_beside_the_one_that_counts(store: Store) -> None:
    run, status = played(store, displaced=2, stops_after=9)
    assert (status, store.entry(run).outcomes, store.superseded(run)) == ("finished", {"passed": 1}, 2)
    assert store.episode(run, "send_p1", 1).attempt == 3


def test_a_run_that_ends_before_the_repeat_has_a_missing_cell_and_no_outage(store: Store) -> None:
    run, status = played(store, displaced=1, stops_after=1)
    assert status == "interrupted"
    assert store.attempts(run) == {}
    assert len(store.missing(run)) == 1
