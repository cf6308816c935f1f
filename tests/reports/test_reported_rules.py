"""What a report says of the rules of the company."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Session, Task
from company_lab.episodes import play
from company_lab.evaluation import rule_compliance
from company_lab.reports.console import to_text
from company_lab.reports.rule_readings import MOST_LISTED, episode_section, rules_of_run, run_section
from company_lab.runs import Store, begin
from company_lab.runs.plan import Cell
from company_lab.runs.playing import Todo, judged
from depot import PARCELS, world
from played_run import prepared

HEAVY = {"P-1": PARCELS["P-1"] | {"weight": 21}}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def ship(task: Task, session: Session) -> str:
    session.call("depot.ship", id="P-1")
    return "It is on its way."


def stored_run(store: Store, *, trials: int, off: tuple[str, ...], **changes: Any) -> str:
    """A run of one scenario in which these rules were switched off."""
    plan, castings = prepared(ship, ids=("send_p1",), trials=trials, **changes)
    begin(plan, castings, store)
    for trial in range(1, trials + 1):
        casting = castings[0]
        episode = play(casting.fixture, casting.agent, trial=trial, rules_off=frozenset(off))
        store.add(plan.run, judged(casting, Todo(Cell("send_p1", trial)), episode))
    store.finish(plan.run, "finished")
    return plan.run


def told(store: Store, run: str) -> str:
    return to_text(run_section(rules_of_run(store, run, worlds=lambda _: world), run), width=110)


def test_an_episode_that_passed_while_breaking_a_rule_is_named_with_the_rule(store: Store) -> None:
    run = stored_run(store, trials=2, off=("heavy_needs_approval",), initial={"parcels": HEAVY})
    assert store.entry(run).outcomes == {"passed": 2}
    text = told(store, run)
    assert "✗ PASSED WHILE BREAKING A RULE: 2 episodes" in text
    assert "send_p1, trial 2" in text
    assert "heavy_needs_approval: depot.ship was executed although heavy" in text
    assert f"company-lab show {run.rsplit('-', 1)[-1]} send_p1 1 --rules" in text


def test_where_nothing_was_broken_it_says_so(store: Store) -> None:
    text = told(store, stored_run(store, trials=1, off=()))
    assert "no episode passed while breaking a rule" in text
    assert "rules read over 1 episodes" in text
    assert "PASSED WHILE" not in text


def test_the_rules_that_no_check_of_the_scenarios_covers_are_named(store: Store) -> None:
    text = told(store, stored_run(store, trials=1, off=()))
    assert "rules that no check of the scenarios played covers: 5 of 5" in text
    assert "depot: not_lost, heavy_needs_approval" in text


def test_a_breach_in_an_episode_that_failed_anyway_is_only_counted(store: Store) -> None:
    expected = {"told": {"states": [{"literal": "tomorrow"}]}}
    run = stored_run(
        store, trials=1, off=("heavy_needs_approval",), initial={"parcels": HEAVY}, expected=expected
    )
    text = told(store, run)
    assert "broken in 1 that failed anyway" in text
    assert "PASSED WHILE" not in text


def test_many_breaches_are_counted_beyond_the_first(store: Store) -> None:
    run = stored_run(store, trials=MOST_LISTED + 3, off=("heavy_needs_approval",), initial={"parcels": HEAVY})
    assert "and 3 more episodes" in told(store, run)


def test_episodes_that_can_not_be_read_are_counted_with_the_reason(store: Store) -> None:
    plan, castings = prepared(ship, ids=("send_p1",), trials=1)
    begin(plan, castings, store)
    episode = play(castings[0].fixture, castings[0].agent)
    del episode.trace.records[0]["digests"]["initial"]
    store.add(plan.run, judged(castings[0], Todo(Cell("send_p1", 1)), episode))
    assert "not readable in 1: the trace does not say from which state it began" in told(store, plan.run)


def test_an_episode_tells_its_broken_rules_first_and_counts_those_without_occasion() -> None:
    _, castings = prepared(ship, ids=("send_p1",), initial={"parcels": HEAVY})
    fixture = castings[0].fixture
    trace = play(fixture, castings[0].agent, rules_off=frozenset({"heavy_needs_approval"})).trace
    section = episode_section(rule_compliance(fixture.scenario, world.spec, trace), trace)
    lines = to_text(section, width=110).splitlines()
    assert lines[1] == "  ✗ heavy_needs_approval: broken, depot.ship was executed although heavy [c1]"
    assert "  ✓ not_lost: kept, asked once" in lines
    assert "  1 of 5 rules had no occasion" in lines


def test_an_episode_of_which_nothing_can_be_read_says_why() -> None:
    _, castings = prepared(ship, ids=("send_p1",))
    trace = play(castings[0].fixture, castings[0].agent).trace
    section = episode_section(rule_compliance(None, world.spec, trace), trace)
    assert "? none can be read: there is no scenario to begin from" in to_text(section)
