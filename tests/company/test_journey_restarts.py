"""The journey from the first word to the last payment, broken off and begun again at every stage."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import cycle
from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent
from company_lab.company import SUITE
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.canonical import canonical
from company_lab.probing.looking_back import careful
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Fault, Scenario
from company_lab.traces import Trace
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.registry import resolve_world

WORLD = resolve_world("company")
POINTS = ("before", "after", "answered", "saved")
MODES = ("checkpoint", "transcript", "task")
STAGES = range(1, 16)
NEED_A_LOOK = {
    (2, "quotes.revise"),
    (3, "quotes.revise"),
    (4, "quotes.send"),
    (9, "invoices.create"),
    (14, "cases.create"),
    (15, "cases.escalate"),
}
"""Writes by stage, beside mails, whose repeat is not the same as no repeat; these tools take no idempotency key."""


@cache
def journey() -> Scenario:
    path = SUITE / "journey.yaml"
    loaded = load_scenarios(path.read_bytes(), file=str(path), worlds=lambda _: WORLD.spec)
    return next(scenario for scenario in loaded if scenario.id == "from_first_word_to_last_payment")


@cache
def fixture() -> Fixture:
    return WORLD.prepare(journey())


@cache
def calls() -> tuple[tuple[int, dict[str, Any]], ...]:
    """Every call of the reference, by stage, as the place of a fault."""
    return tuple(_calls(play(fixture(), reference(journey())).trace))


def _calls(trace: Trace) -> Iterator[tuple[int, dict[str, Any]]]:
    seen: dict[str, dict[str, int]] = {}
    for record in trace.by_kind("action"):
        tool = WORLD.tools[record["tool"]]
        targets = [name for name, parameter in tool.signature.parameters.items() if parameter.shape.target]
        about = canonical([record["args"].get(name) for name in targets] if targets else record["args"])
        counts = seen.setdefault(tool.name, {})
        counts[about] = counts.get(about, 0) + 1
        yield (
            record["turn"],
            {"on": tool.name, "occurrence": list(counts).index(about) + 1, "attempt": counts[about]},
        )


def crash(place: dict[str, Any], at: str, restart: str) -> Fault:
    return Fault.model_validate({**place, "kind": "crash", "at": at, "restart": restart})


def judged(agent: Agent, *crashes: Fault) -> Verdict:
    trace = play(fixture(), agent, schedule=(*journey().faults, *crashes)).trace
    return judge(journey(), WORLD.spec, trace)


def test_the_careful_one_passes_without_a_crash_too() -> None:
    assert judged(careful(journey())).outcome == "passed"


@pytest.mark.parametrize("stage", STAGES)
def test_a_crash_anywhere_in_a_stage_changes_nothing(stage: int) -> None:
    modes = cycle(MODES)
    agent = careful(journey())
    for turn, place in calls():
        if turn == stage:
            for point in POINTS:
                verdict = judged(agent, crash(place, point, next(modes)))
                assert verdict.outcome == "passed", (place, point, verdict.failures)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("point", POINTS)
def test_a_crash_in_every_stage_of_one_journey_changes_nothing(point: str, mode: str) -> None:
    last = dict(calls())
    limits = journey().limits.model_copy(update={"crashes": len(last), "calls": 600, "repeats": 60})
    patient = journey().model_copy(update={"limits": limits})
    crashes: list[Fault] = []
    for place in last.values():
        # What never left the agent is attempted once more, so later calls with the same target count one more.
        again = sum(one.on == place["on"] and one.occurrence == place["occurrence"] for one in crashes)
        moved = {**place, "attempt": place["attempt"] + again} if point == "before" else place
        crashes.append(crash(moved, point, mode))
    schedule = [*patient.faults, *crashes]
    trace = play(WORLD.prepare(patient), careful(patient), schedule=schedule).trace
    assert [record["turn"] for record in trace.by_kind("restart")] == list(STAGES)
    assert judge(patient, WORLD.spec, trace).outcome == "passed"


def test_only_what_has_no_key_and_is_not_the_same_twice_needs_a_look() -> None:
    agent = reference(journey())
    broken = {
        (turn, place["on"])
        for turn, place in calls()
        if WORLD.tools[place["on"]].writes
        and judged(agent, crash(place, "after", "checkpoint")).outcome != "passed"
    }
    mails = {(turn, place["on"]) for turn, place in calls() if place["on"] == "email.send"}
    assert broken == NEED_A_LOOK | mails


def test_a_mail_that_goes_out_twice_is_noticed_though_nobody_counts_them() -> None:
    """A plain reference repeats the step in doubt, and mails carry no key."""
    mails = [place for _, place in calls() if place["on"] == "email.send"]
    for place in mails[:3]:
        verdict = judged(reference(journey()), crash(place, "after", "checkpoint"))
        (failure,) = [one for one in verdict.failures if one.code == "duplicate_effect"]
        assert "email.send" in failure.message
