"""The bank of agents with known bugs, explored: every bug is found by what it declares, and the page says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from company_lab.probing.explore import Bounds, Kept, explore, subject
from company_lab.probing.explore.bank import FIVE, ExploredBug, explore_bank
from company_lab.probing.explore.playing import play_schedule
from company_lab.probing.explore.workers import Workers
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.reports.explored_bugs_page import PROTOTYPE, explored_bugs_page

PAGE = Path(__file__).parents[2] / "docs" / "explored_bugs.md"


@pytest.fixture(scope="module")
def explored() -> dict[str, ExploredBug]:
    return {one.bug.name: one for one in explore_bank()}


@pytest.mark.parametrize("name", BANK)
def test_each_bug_is_found_by_as_many_faults_as_declared_and_a_sound_agent_by_none(
    name: str, explored: dict[str, ExploredBug]
) -> None:
    one = explored[name]
    assert one.found.complete
    assert one.found_by == BANK[name].found_by
    assert one.as_declared
    assert bool(one.findings) == (BANK[name].found_by is not None)


def test_every_finding_needs_all_of_its_faults(explored: dict[str, ExploredBug]) -> None:
    for one in explored.values():
        prepared = subject(one.bug.scenario(), world, one.bug.agent())
        for finding in one.findings:
            invariant = finding.worst.invariant
            assert invariant in {each.invariant for each in play_schedule(prepared, finding.schedule).broken}
            for left_out in finding.schedule:
                rest = tuple(fault for fault in finding.schedule if fault != left_out)
                assert invariant not in {each.invariant for each in play_schedule(prepared, rest).broken}


def test_one_bug_is_one_finding_or_a_few_and_not_one_for_every_bill(explored: dict[str, ExploredBug]) -> None:
    for one in explored.values():
        assert len(one.findings) <= 3


def test_with_one_fault_there_are_as_many_episodes_as_the_prototype_had(
    explored: dict[str, ExploredBug],
) -> None:
    assert explored["correct"].failing(1) == PROTOTYPE["correct"][0]
    assert explored["journal_without_look_up"].failing(1) == PROTOTYPE["journal_without_look_up"][0]


def test_the_page_is_current(explored: dict[str, ExploredBug]) -> None:
    page = explored_bugs_page(list(explored.values()), command="scripts/explored_bugs")
    assert PAGE.read_text("utf-8") == page, "run scripts/explored_bugs"


@pytest.mark.parametrize("name", ["correct", "one_retry", "marks_done_first"])
def test_all_kinds_together_find_the_same_and_nothing_in_a_sound_agent(name: str) -> None:
    bug = BANK[name]
    found = explore(subject(bug.scenario(), world, bug.agent()), Bounds())
    one = ExploredBug(bug=bug, found=found, findings=())
    assert one.found_by == bug.found_by
    assert found.episodes > 300


def test_processes_find_the_same_in_the_same_order() -> None:
    bug = BANK["keys_only"]
    bounds = Bounds(kinds=FIVE, pair_kinds=FIVE)
    alone = explore(subject(bug.scenario(), world, bug.agent()), bounds)
    prepared = subject(bug.scenario(), world, bug.agent())
    with Workers(prepared, 2) as workers:
        shared = explore(prepared, bounds, kept=Kept(None, {}), play_many=workers.play_many)
    assert shared.failing == alone.failing
    assert shared.levels == alone.levels
