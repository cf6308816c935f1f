"""No adapter changes a verdict: a conduct of each failure class through each of them.

`benchmarks/adapter_verdicts.py` does the same with all conducts of the suite.
"""

from __future__ import annotations

import pytest

from company_lab.company import company
from framework_agents import FRAMEWORKS
from replaying_adapters import ADAPTERS, PROGRAM_ADAPTERS
from suite_conducts import Conduct, sample_of_classes, seen, suite_conducts

SHARING = (
    ("function",),
    ("decision",),
    ("mcp",),
    tuple(FRAMEWORKS),
    ("openai-chat", "openai-responses"),
    ("openai-chat, streamed", "openai-responses, streamed"),
    PROGRAM_ADAPTERS,
)
"""Adapters that are alike share the failure classes among themselves, for this to be quick."""
SAMPLES = {
    name: sample_of_classes(shift)[place :: len(alike)]
    for shift, alike in enumerate(SHARING)
    for place, name in enumerate(alike)
}


@pytest.mark.loopback
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_what_is_done_through_an_adapter_is_judged_as_if_it_were_done_without(adapter: str) -> None:
    with ADAPTERS[adapter]() as through:
        for one in SAMPLES[adapter]:
            fixture = company.prepare(one.scenario)
            expected = seen(one, one.plain, fixture)
            found = seen(one, through(one.turns), fixture)
            assert found in (expected, expected.unfinished() if _is_silent(one) else expected), one


def _is_silent(conduct: Conduct) -> bool:
    """Whether an empty reply comes up, which not every framework accepts from its model."""
    return not all(turn.reply for turn in conduct.turns)


def test_the_samples_hold_every_failure_class_and_right_and_wrong_conducts() -> None:
    classes = {one.scenario.failure_class for one in suite_conducts()} - {None}
    assert len(classes) > 40
    assert SAMPLES.keys() == ADAPTERS.keys()
    for alike in SHARING:
        together = [one for name in alike for one in SAMPLES[name]]
        assert {one.scenario.failure_class for one in together} == classes
        assert max(len(one.turns) for one in together) > 1
    for sample in SAMPLES.values():
        assert {one.id == "reference" for one in sample} == {True, False}


def steps(conduct: Conduct) -> int:
    return sum(len(turn.do) for turn in conduct.turns)


# What an adapter keeps and shows of a conversation is no output of the agent's, however long it becomes; and what a
# scripted model used costs nothing, also at a price nobody knows.
LONGEST = max(suite_conducts(), key=steps)
KEEPING = ("mcp", *FRAMEWORKS, "openai-chat", "openai-responses", "decision")
BOUND_IN_COST = next(one for one in suite_conducts() if one.scenario.expected.limits.cost_usd is not None)


@pytest.mark.loopback
@pytest.mark.parametrize("conduct", [LONGEST, BOUND_IN_COST], ids=["longest", "bound in cost"])
@pytest.mark.parametrize("adapter", KEEPING)
def test_no_limit_is_reached_that_is_not_reached_without(adapter: str, conduct: Conduct) -> None:
    fixture = company.prepare(conduct.scenario)
    with ADAPTERS[adapter]() as through:
        assert seen(conduct, through(conduct.turns), fixture) == seen(conduct, conduct.plain, fixture)


@pytest.mark.loopback
@pytest.mark.parametrize("adapter", ["function", "openai-chat", "decision"])
def test_an_agent_that_does_something_else_is_noticed(adapter: str) -> None:
    right, other = suite_conducts()[:2]
    assert right.scenario is other.scenario
    fixture = company.prepare(right.scenario)
    with ADAPTERS[adapter]() as through:
        assert seen(right, through(other.turns), fixture) != seen(right, right.plain, fixture)
