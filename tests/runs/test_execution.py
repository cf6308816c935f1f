from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Infrastructure, Session, Task
from company_lab.evaluation.figures import figures
from company_lab.runs import Progress, RunPlan, Store, begin, execute
from company_lab.runs.failures import StoreFailed
from company_lab.runs.playing import Todo
from company_lab.runs.resume import still_to_play
from played_run import prepared


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def sends(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


def idle(task: Task, session: Session) -> str:
    return "It is on its way."


def played(store: Store, act: Any = sends, **options: Any) -> RunPlan:
    plan, castings = prepared(act, **options)
    begin(plan, castings, store)
    assert execute(plan, castings, store).status == "finished"
    return plan


def test_every_planned_cell_is_played_judged_and_stored_once(store: Store) -> None:
    plan = played(store, trials=3)
    assert [(summary.scenario, summary.trial) for summary in store.episodes(plan.run)] == [
        (id, trial) for id in ("send_again", "send_p1") for trial in (1, 2, 3)
    ]
    assert store.entry(plan.run).outcomes == {"passed": 6}
    assert store.entry(plan.run).status == "finished"
    assert store.missing(plan.run) == ()


def test_without_an_agent_the_references_play(store: Store) -> None:
    plan = played(store, None)
    assert store.entry(plan.run).outcomes == {"passed": 6}
    assert (plan.agent.name, plan.evidence) == ("reference", ("deterministic simulation",))


@pytest.mark.fault("A35")
def test_results_do_not_depend_on_the_order(store: Store) -> None:
    plan = played(store, trials=4)
    again, castings = prepared(sends, trials=4)
    begin(again, castings, store)
    cells = [Todo(cell) for cell in again.cells]
    random.Random(3).shuffle(cells)
    execute(again, castings, store, cells=cells)
    before, after = ([stored.trace.bytes() for stored in store.stored(run.run)] for run in (plan, again))
    assert before == after
    assert figures(store.episodes(plan.run), plan.planned()) == figures(
        store.episodes(again.run), again.planned()
    )


def test_progress_tells_after_every_episode(store: Store) -> None:
    plan, castings = prepared(idle, trials=2)
    begin(plan, castings, store)
    seen: list[Progress] = []
    execute(plan, castings, store, progress=seen.append)
    assert [(progress.done, progress.planned, progress.failed) for progress in seen] == [
        (1, 4, 1),
        (2, 4, 2),
        (3, 4, 3),
        (4, 4, 4),
    ]
    assert seen[-1].unpriced == 4


@pytest.mark.fault("A26")
def test_an_agent_that_breaks_has_failed_and_is_not_played_again(store: Store) -> None:
    calls = 0

    def broken(task: Task, session: Session) -> str:
        nonlocal calls
        calls += 1
        raise ValueError("no idea")

    plan = played(store, broken, ids=["send_p1"], trials=2, attempts=3)
    assert calls == 2
    assert {(summary.outcome, summary.stop) for summary in store.episodes(plan.run)} == {
        ("failed", "agent_error")
    }


def outage_until(attempt: int, *, first: str | None = None) -> Any:
    calls = 0

    def act(task: Task, session: Session) -> str:
        nonlocal calls
        calls += 1
        if calls < attempt:
            if first is not None:
                session.call("depot.remove", id=first)
            raise Infrastructure("the model's host is down")
        return sends(task, session)

    return act


@pytest.mark.fault("A37")
def test_an_outage_is_played_again_and_every_attempt_is_kept(store: Store) -> None:
    plan = played(store, outage_until(3), ids=["send_p1"], trials=1, attempts=3)
    (summary,) = store.episodes(plan.run)
    assert summary.outcome == "passed"
    assert store.attempts(plan.run)[plan.cells[0]].attempt == 3


def test_an_outage_that_does_not_end_leaves_the_cell_without_a_score(store: Store) -> None:
    plan = played(store, outage_until(9), ids=["send_p1"], trials=1, attempts=2)
    assert [(summary.outcome, summary.stop) for summary in store.episodes(plan.run)] == [
        ("unscored", "infrastructure_error")
    ]


def test_harm_done_before_an_outage_is_not_played_away(store: Store) -> None:
    forbidden = {
        "expected": {
            "state": {"parcels": {"P-1": {"status": "sent"}}},
            "forbidden": [{"tool": "depot.remove"}],
        }
    }
    plan = played(store, outage_until(2, first="P-2"), ids=["send_p1"], trials=1, attempts=3, **forbidden)
    assert [(summary.outcome, summary.stop) for summary in store.episodes(plan.run)] == [
        ("failed", "infrastructure_error")
    ]


def test_resuming_plays_what_is_missing_or_was_an_outage_and_never_a_finished_failure(store: Store) -> None:
    plan, castings = prepared(idle, ids=["send_p1"], trials=4, attempts=2)
    begin(plan, castings, store)
    execute(plan, castings, store, cells=[Todo(plan.cells[0])])
    _, down = prepared(outage_until(9), ids=["send_p1"], trials=4)
    single = RunPlan.from_json(plan.to_json() | {"attempts": 1})
    execute(single, down, store, cells=[Todo(plan.cells[1])])
    assert still_to_play(store, plan) == [
        Todo(plan.cells[1], 2),
        Todo(plan.cells[2], 1),
        Todo(plan.cells[3], 1),
    ]


def test_a_store_that_takes_no_more_breaks_the_run_and_keeps_what_it_has(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, castings = prepared(sends, ids=["send_p1"], trials=5)
    begin(plan, castings, store)
    with Store(store.path) as other:

        def fill(progress: Progress) -> None:
            if progress.done == 2:
                assert store._writer is not None
                store._writer.close()
                raise StoreFailed("no space")

        with pytest.raises(StoreFailed):
            execute(plan, castings, store, progress=fill)
        assert other.entry(plan.run).status == "broken"
        assert other.entry(plan.run).outcomes == {"passed": 2}


def test_a_signal_during_an_episode_throws_that_episode_away(store: Store) -> None:
    calls = 0

    def interrupted(task: Task, session: Session) -> str:
        nonlocal calls
        calls += 1
        if calls == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.5)
        return sends(task, session)

    before = signal.getsignal(signal.SIGTERM)
    plan, castings = prepared(interrupted, ids=["send_p1"], trials=5)
    begin(plan, castings, store)
    assert execute(plan, castings, store).status == "interrupted"
    assert signal.getsignal(signal.SIGTERM) is before
    assert store.entry(plan.run).outcomes == {"passed": 2}
    assert execute(plan, castings, store, cells=still_to_play(store, plan)).status == "finished"
    assert store.entry(plan.run).outcomes == {"passed": 5}


GROWTH = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from played_run import prepared
from company_lab.library import figures_of
from company_lab.runs import Store, begin, execute
def peak(trials):
    plan, castings = prepared(None, ids=["send_p1"], trials=trials)
    with Store(sys.argv[1]) as store:
        begin(plan, castings, store)
        execute(plan, castings, store)
        assert figures_of(store, plan).passed == trials
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(-peak(500) + peak(5000))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is counted in kilobytes there")
@pytest.mark.fault("E12")
def test_memory_does_not_grow_with_the_episodes(tmp_path: Path) -> None:
    support = Path(__file__).parents[1] / "support"
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, str(tmp_path / "runs.db"), str(support)],
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=True,
    )
    assert int(done.stdout) < 4 * 1024
