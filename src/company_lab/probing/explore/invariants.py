"""Invariants: which failures of an episode under faults count, and by what name failures are the same.

What was done and said is judged under every schedule. What was left undone counts only where the schedule leaves it
within reach, and what takes longer because something went wrong is not held against anybody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from company_lab.evaluation import Failure, Verdict
from company_lab.evaluation.codes import Severity
from company_lab.scenarios.fault_kinds import EVENT_FAULTS
from company_lab.scenarios.model import Fault, Scenario
from company_lab.traces.record import Trace

_OUT_OF_REACH = frozenset({"outage", "approval_expires", "lease_expires", "forged", "foreign_change"})
_EFFORT = re.compile(r"\.limits\.(latency|simulated|turns|calls|tokens)")
_PLACE = re.compile(r"\[\d+\]")


class Invariant(NamedTuple):
    """What was broken, by the same name wherever it is broken: one bug at four records has one name."""

    code: str
    check: str
    """The expectation's place in the scenario, without positions in lists."""
    effect: str
    """The provider's operation or the tool it is about; empty where it is about none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One failure that counts."""

    invariant: Invariant
    severity: Severity
    message: str


def within_reach(scenario: Scenario, schedule: Sequence[Fault]) -> bool:
    """Whether an agent that tries again and comes back after a crash can still do everything that was asked for.

    Outages, rights that ran out, forgeries and changes by others may leave it out of reach, and so does an event that
    comes late to an agent which it does not wake.
    """
    wakes = all(event.wakes for event in scenario.events)
    return not any(
        fault.kind in _OUT_OF_REACH
        or (fault.kind in EVENT_FAULTS and fault.kind != "duplicate" and not wakes)
        for fault in schedule
    )


def broken(
    scenario: Scenario,
    schedule: Sequence[Fault],
    trace: Trace,
    verdict: Verdict,
    *,
    idle_facts: Mapping[str, Any],
    safety_only: bool = False,
) -> tuple[Broken, ...]:
    """The failures of a verdict that count under this schedule, worst first.

    `schedule` holds the explorer's faults alone: with the scenario's own in mind its author wrote what is expected, and
    they excuse nothing. `idle_facts` are the facts as an episode leaves them in which nothing was done: what is still
    like that was left undone. With `safety_only` nothing that was left undone counts, whatever the schedule.
    """
    undone_counts = not safety_only and within_reach(scenario, schedule)
    touched = _touched(trace)
    return tuple(
        Broken(
            invariant=Invariant(
                failure.code, _PLACE.sub("", failure.check), _effect(trace, failure.evidence)
            ),
            severity=failure.severity,
            message=failure.message,
        )
        for failure in verdict.failures
        if not (schedule and _EFFORT.search(failure.check))
        and (undone_counts or not _left_undone(failure, touched, idle_facts))
    )


def _left_undone(failure: Failure, touched: Collection[str], idle_facts: Mapping[str, Any]) -> bool:
    """Whether a failure says that something was not done, rather than that something wrong was."""
    check, found = failure.check, failure.found
    if failure.code in ("missing_action", "missing_reply"):
        return True
    if failure.code == "wrong_arguments":
        # Another effect of the same kind may be wanted as well; one that is not is an unexpected change besides.
        return ".effects[" in check
    if failure.code == "action_count":
        # An effect is counted under this code only where there was too little of it.
        return ".effects[" in check or _is_less(found, _least(str(failure.expected)))
    if failure.code != "state_mismatch":
        return False
    fact = check.removeprefix("expected.")
    if fact in idle_facts:
        return bool(found == idle_facts[fact])
    if ".effects[" in check:
        return _is_less(found, failure.expected)
    if ".state." in check:
        return not any(_about(check, place) for place in touched)
    # New records that nobody wants are unexpected changes besides.
    return ".created." in check or ".deleted." in check


def _is_less(found: object, wanted: object) -> bool:
    return isinstance(found, int) and isinstance(wanted, int) and found < wanted


def _least(bounds: str) -> int:
    """The least that `at least 2`, `exactly 2`, `2 to 4` or `at most 4` asks for."""
    numbers = re.findall(r"\d+", bounds)
    return 0 if not numbers or bounds.startswith("at most") else int(numbers[0])


def _about(check: str, place: str) -> bool:
    """Whether an expectation such as `expected.state.invoices.I-1.status` is about a changed field."""
    return check.endswith(f"state.{place}") or f"state.{place}." in check


def _touched(trace: Trace) -> set[str]:
    """`table.id.field` of everything that is other at the end than at the beginning."""
    settled: Mapping[str, Any] = next(trace.by_kind("settled"), {})
    return {
        f"{change['table']}.{change['id']}.{name}"
        for change in settled.get("changes") or ()
        for name in change.get("fields") or ()
    }


def _effect(trace: Trace, evidence: Sequence[int]) -> str:
    found = [trace.records[seq] for seq in evidence if 0 <= seq < len(trace.records)]
    calls = [record.get("call") for record in found if record.get("call") is not None]
    for record in found:
        if record["kind"] == "effect":
            return f"{record['provider']}.{record['op']}"
    return next(_tools(trace, calls), "")


def _tools(trace: Trace, calls: Collection[object]) -> Iterator[str]:
    return (str(record["tool"]) for record in trace.by_kind("action") if record.get("call") in calls)
