"""Faults from an episode through the store to the report, the timeline and the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.evaluation import judge
from company_lab.evaluation.figures import EpisodeSummary, figures
from company_lab.evaluation.summaries import summarise
from company_lab.reports import timeline
from company_lab.reports.console import to_text
from company_lab.reports.sections import sections_of
from company_lab.reports.terminal import render
from company_lab.runs import Store, begin, execute
from company_lab.runs.faults import fault_text, kinds_in
from company_lab.runs.rows import rows
from depot import world
from played_run import prepared

FAULTS: list[dict[str, Any]] = [
    {"on": "depot.ship", "kind": "lost_ack"},
    {"on": "depot.get", "kind": "stale_read"},
    {"on": "depot.find", "kind": "foreign_change", "change": {"parcels": {"P-2": {"weight": 31}}}},
    {"on": "depot.find", "kind": "partial_result"},
    {"on": "evt_1", "kind": "forged"},
]
EVENTS = [
    {
        "at": "+0s",
        "id": "evt_1",
        "type": "parcel.arrived",
        "data": {"parcel": "P-7", "receiver": "ida@holm.example.test"},
    }
]


def careful(task: Task, session: Session) -> str:
    """Sends under a key, and again where no answer came."""
    for _ in range(2):
        try:
            session.call("depot.ship", id="P-1", key="p1")
            break
        except ToolError:
            continue
    session.call("depot.get", id="P-1")
    session.call("depot.find", status="waiting")
    return "It is on its way."


def careless(task: Task, session: Session) -> str:
    """Sends once, and again without a key."""
    try:
        session.call("depot.ship", id="P-1")
    except ToolError:
        session.call("depot.ship", id="P-1")
    session.call("depot.get", id="P-1")
    session.call("depot.find", status="waiting")
    return "It is on its way."


EXPECTED = {
    "state": {"parcels": {"P-1": {"status": "sent"}}},
    "actions": [{"tool": "depot.ship", "args": {"id": "P-1", "key": {"any": True}}, "times": 1}],
    "effects": [{"provider": "carrier", "op": "ship", "times": 1}],
}


def ran(agent: Any, path: Path) -> tuple[Store, str, str]:
    plan, castings = prepared(
        agent, ids=("send_p1",), trials=2, faults=FAULTS, events=EVENTS, expected=EXPECTED
    )
    store = Store(path)
    begin(plan, castings, store)
    execute(plan, castings, store)
    sections = sections_of(plan, lambda: store.episodes(plan.run), why=lambda scenario, trial: "")
    return store, plan.run, to_text(render(plan, sections), width=140)


def test_faults_come_back_from_the_store_as_they_went_in(tmp_path: Path) -> None:
    store, run, _ = ran(careful, tmp_path / "runs.db")
    with store:
        _, castings = prepared(careful, faults=FAULTS, events=EVENTS, expected=EXPECTED)
        scenario = castings[0].fixture.scenario
        for summary in store.episodes(run):
            stored = store.episode(run, summary.scenario, summary.trial)
            assert summary == summarise(stored.trace, judge(scenario, world.spec, stored.trace))
            assert summary.fault_errors == ("lost_ack",)
            assert summary.fault_kinds == (
                "forged",
                "lost_ack",
                "stale_read",
                "foreign_change",
                "partial_result",
            )
        for row in rows(store, run):
            assert row["faults"] == list(summary.fault_kinds)
            assert row["failed_under"] == ["lost_ack"]


def test_a_report_says_of_each_kind_how_often_it_came_and_who_got_over_it(tmp_path: Path) -> None:
    store, run, text = ran(careful, tmp_path / "runs.db")
    with store:
        found = figures(store.episodes(run), {"send_p1": 2})
    assert found.recovered_by_fault == {"lost_ack": (2, 2)}
    assert found.fired_by_fault["forged"] == (2, 2)
    assert "fault lost_ack: 2 episodes, passed: 2, a call failed under it: 2, recovered: 2" in text
    assert "fault stale_read: 2 episodes, passed: 2\n" in text.replace(" \n", "\n").replace("  \n", "\n")
    assert "does not say that retrying caused it" in text


def test_a_report_says_so_where_nobody_got_over_it(tmp_path: Path) -> None:
    store, _, text = ran(careless, tmp_path / "runs.db")
    store.close()
    assert "fault lost_ack: 2 episodes, passed: 0, a call failed under it: 2, recovered: 0" in text


def test_a_timeline_tells_each_fault_where_it_happened(tmp_path: Path) -> None:
    store, run, _ = ran(careful, tmp_path / "runs.db")
    with store:
        stored = store.episode(run, "send_p1", 1)
    _, castings = prepared(careful, faults=FAULTS, events=EVENTS, expected=EXPECTED)
    text = to_text(
        timeline.render(castings[0].fixture.scenario, world.spec, stored.trace, stored.verdict), width=140
    )
    for words in (
        "FAULT lost_ack: c1 does its work, and the answer is lost",
        "FAULT stale_read: c3 answers from records as they were before",
        "the records it answers from are those of",
        "FAULT foreign_change: c4 meets records that someone else changed just before",
        "FAULT partial_result: c4 does its work, and part of the answer is missing",
        "what reaches the agent is incomplete",
        "what reached the agent:",
        "FAULT forged: evt_1 is made up",
    ):
        assert words in text, text


@pytest.mark.parametrize(
    ("kinds", "failed"),
    [((), ()), (("late",), ()), (("late", "lost_ack"), ("lost_ack",)), (("a", "b"), ("a", "b"))],
)
def test_kinds_survive_as_text(kinds: tuple[str, ...], failed: tuple[str, ...]) -> None:
    assert kinds_in(fault_text(_summary(kinds, failed))) == (kinds, failed)


@pytest.mark.parametrize("name", ["lost ack", "late!", "", " ", "a\nb", "!"])
def test_a_kind_that_somebody_else_made_up_stays_one_word(name: str) -> None:
    kinds, failed = kinds_in(fault_text(_summary((name, "late"), ())))
    assert (len(kinds), kinds[1], failed) == (2, "late", ())


def _summary(kinds: tuple[str, ...], failed: tuple[str, ...]) -> EpisodeSummary:
    return EpisodeSummary(
        scenario="s",
        trial=1,
        outcome="passed",
        stop="finished",
        layer=None,
        evidence="recorded elsewhere",
        fault_kinds=kinds,
        fault_errors=failed,
    )
