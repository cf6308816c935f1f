"""The bank of agents with known bugs: each shows under the faults its entry names, and under no fewer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.canonical import canonical
from company_lab.probing.rehearse import rehearse
from company_lab.probing.seeded_bugs import BANK, SeededBug, world
from company_lab.scenarios.model import Fault
from company_lab.traces import Trace
from company_lab.worlds.registry import resolve_world

Schedule = tuple[Fault, ...]
SINGLE = [name for name, bug in BANK.items() if bug.found_by == "single"]
PAIR = [name for name, bug in BANK.items() if bug.found_by == "pair"]
SOUND = [name for name, bug in BANK.items() if bug.found_by is None]


def fault(on: str, kind: str, **keys: object) -> Fault:
    return Fault.model_validate({"on": on, "kind": kind, **keys})


class Trial:
    """Plays one agent of the bank under schedules."""

    def __init__(self, bug: SeededBug) -> None:
        self.scenario = bug.scenario()
        self.agent = bug.agent()
        self.fixture = world.prepare(self.scenario)

    def play(self, *schedule: Fault) -> tuple[Trace, Verdict]:
        trace = play(self.fixture, self.agent, schedule=schedule).trace
        return trace, judge(self.scenario, world.spec, trace)

    def fails(self, *schedule: Fault) -> bool:
        return self.play(*schedule)[1].outcome == "failed"

    def events(self) -> list[Fault]:
        kinds = ("duplicate", "late", "reorder", "dropped", "forged")
        return [fault(event.id, kind) for event in self.scenario.events for kind in kinds]

    def singles(self) -> list[Fault]:
        return [*(one for _, one in points(self.play()[0])), *self.events()]

    def pairs(self) -> Iterator[Schedule]:
        """Each single with every fault at a call that came after it, also calls that it brought about."""
        for first in self.singles():
            trace, _ = self.play(first)
            fired = next((record["seq"] for record in trace.by_kind("fault")), None)
            for seq, second in points(trace):
                elsewhere = (first.on, first.attempt) != (second.on, second.attempt)
                if (
                    fired is not None
                    and seq >= fired
                    and (elsewhere or first.occurrence != second.occurrence)
                ):
                    yield first, second


def points(trace: Trace) -> Iterator[tuple[int, Fault]]:
    """What may happen at each call of an episode: five things to a write, one to a read; with the call's place."""
    seen: dict[str, dict[str, int]] = {}
    for record in trace.by_kind("action"):
        tool = world.tools[record["tool"]]
        if tool.name == "clock.wait":
            continue
        targets = [name for name, parameter in tool.signature.parameters.items() if parameter.shape.target]
        about = canonical([record["args"].get(name) for name in targets] if targets else record["args"])
        counts = seen.setdefault(tool.name, {})
        counts[about] = counts.get(about, 0) + 1
        at = {"on": tool.name, "occurrence": list(counts).index(about) + 1, "attempt": counts[about]}
        if not tool.writes:
            yield record["seq"], Fault.model_validate({**at, "kind": "stale_read"})
            continue
        for point in ("before", "after", "saved"):
            yield record["seq"], Fault.model_validate({**at, "kind": "crash", "at": point})
        yield record["seq"], Fault.model_validate({**at, "kind": "lost_ack"})
        yield record["seq"], Fault.model_validate({**at, "kind": "outage", "by": "25h"})


@pytest.mark.parametrize("name", BANK)
def test_nothing_shows_while_nothing_goes_wrong(name: str) -> None:
    trace, verdict = Trial(BANK[name]).play()
    assert verdict.outcome == "passed"
    assert len(list(trace.by_kind("memory"))) >= 4  # each of the four writes is followed by a save


@pytest.mark.parametrize("name", SINGLE)
def test_one_fault_shows_the_bug(name: str) -> None:
    trial = Trial(BANK[name])
    assert any(trial.fails(single) for single in trial.singles())


@pytest.mark.parametrize("name", PAIR)
def test_no_single_fault_shows_it_and_some_pair_does(name: str) -> None:
    trial = Trial(BANK[name])
    assert not any(trial.fails(single) for single in trial.singles())
    assert any(trial.fails(*pair) for pair in trial.pairs())


@pytest.mark.parametrize("name", SOUND)
def test_no_single_fault_and_no_pair_shows_anything_in_a_sound_agent(name: str) -> None:
    trial = Trial(BANK[name])
    failing = [pair for pair in trial.pairs() if trial.fails(*pair)]
    assert not failing
    assert not [single for single in trial.singles() if trial.fails(single)]


def kinds_that_show(name: str) -> set[str]:
    """Kinds of single faults an agent fails under; a crash with where it comes."""
    trial = Trial(BANK[name])
    shown = [single for single in trial.singles() if trial.fails(single)]
    return {f"{single.kind} {single.at}" if single.at else single.kind for single in shown}


def test_each_bug_shows_under_what_it_says() -> None:
    assert kinds_that_show("no_keys") == {"crash after", "lost_ack"}
    assert kinds_that_show("new_key_after_restart") == {"crash after"}
    assert kinds_that_show("marks_done_first") == {"crash before"}
    assert kinds_that_show("looks_then_acts") == {"stale_read"}
    assert kinds_that_show("webhook_memory_only") == {"crash after", "lost_ack", "forged"}
    assert "reorder" in kinds_that_show("order_ignored")


PAY: dict[str, Any] = {"on": "bank.pay"}
LATER: dict[str, Any] = {"on": "bank.pay", "attempt": 2}


@pytest.mark.fault("D12")
@pytest.mark.parametrize("name", ["keys_only", "journal_without_look_up"])
def test_keys_do_not_outlast_an_outage(name: str) -> None:
    lost, down = fault(**PAY, kind="lost_ack"), fault(**LATER, kind="outage", by="25h")
    trial = Trial(BANK[name])
    codes = {failure.code for failure in trial.play(lost, down)[1].failures}
    assert "duplicate_effect" in codes
    assert not trial.fails(lost, fault(**LATER, kind="outage", by="2h"))


@pytest.mark.parametrize("first", ["lost_ack", "lost_request"])
@pytest.mark.parametrize("second", ["lost_ack", "lost_request"])
def test_after_two_timeouts_nobody_knows_that_nothing_was_done(first: str, second: str) -> None:
    trial = Trial(BANK["one_retry"])
    schedule = fault(**PAY, kind=first), fault(**LATER, kind=second)
    assert {failure.code for failure in trial.play(*schedule)[1].failures} == {"false_claim"}


def test_where_it_was_turned_away_one_may_say_that_nothing_was_done() -> None:
    schedule = fault(**PAY, kind="server_error"), fault(**LATER, kind="rate_limited")
    assert not Trial(BANK["one_retry"]).fails(*schedule)


def test_the_sound_agent_says_unknown_where_nobody_can_tell() -> None:
    """The bank is gone for good after a payment whose answer was lost."""
    schedule = (
        fault(**PAY, kind="lost_ack"),
        fault("bank.find_transfers", "outage", by="80d"),
    )
    trace, verdict = Trial(BANK["correct"]).play(*schedule)
    (reply,) = trace.by_kind("reply")
    assert reply["text"].startswith("Whether B-1 went out I do not know.")
    assert verdict.outcome == "passed"


@pytest.mark.parametrize("name", ["correct", "correct_events"])
def test_the_scenarios_of_the_bank_rehearse_as_declared(name: str) -> None:
    assert all(rehearsal.as_declared for rehearsal in rehearse(BANK[name].scenario(), world))


def test_the_references_of_the_bank_survive_every_single_fault() -> None:
    """They hold keys, and conducts go on after the last saved step."""
    trial = Trial(BANK["correct"])
    trial.agent = reference(trial.scenario)
    crashes = [single for single in trial.singles() if single.kind == "crash"]
    assert len(crashes) == 12
    assert not [single for single in crashes if trial.fails(single)]


def test_the_world_can_be_named() -> None:
    assert resolve_world(BANK["correct"].scenario().world) is world
