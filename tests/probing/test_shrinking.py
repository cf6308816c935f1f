"""Shrinking: what comes out still breaks, and nothing can be left out of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from company_lab.probing.explore.explored import Schedule
from company_lab.probing.explore.kinds import kind_of
from company_lab.probing.explore.shrinking import earliest, one_minimal, simplest, without_detours
from company_lab.scenarios.model import Fault

FAULTS = tuple(Fault(on="bank.pay", kind="lost_ack", occurrence=number) for number in range(1, 8))


def pay(kind: str, *, occurrence: int = 1, attempt: int = 1, **more: str) -> Fault:
    return Fault.model_validate(
        {"on": "bank.pay", "kind": kind, "occurrence": occurrence, "attempt": attempt, **more}
    )


@given(
    faults=st.lists(st.sampled_from(FAULTS), min_size=1, unique=True),
    needed=st.sets(st.sampled_from(FAULTS)),
)
def test_the_faults_that_are_needed_remain_and_no_others(faults: list[Fault], needed: set[Fault]) -> None:
    schedule = tuple(faults)
    wanted = needed & set(schedule) or {schedule[0]}
    found = one_minimal(schedule, lambda tried: wanted <= set(tried))
    assert set(found) == wanted
    assert [fault for fault in schedule if fault in found] == list(found)


@given(faults=st.lists(st.sampled_from(FAULTS), min_size=2, unique=True))
def test_either_of_several_causes_is_enough(faults: list[Fault]) -> None:
    (found,) = one_minimal(tuple(faults), lambda tried: bool(tried))
    assert found in faults


def test_few_questions_are_asked() -> None:
    asked: list[Schedule] = []

    def breaks(tried: Schedule) -> bool:
        asked.append(tried)
        return {FAULTS[1], FAULTS[5]} <= set(tried)

    assert one_minimal(FAULTS, breaks) == (FAULTS[1], FAULTS[5])
    assert len(asked) <= len(FAULTS) * (len(FAULTS) + 1)


def test_a_fault_that_only_delays_another_is_a_detour() -> None:
    """The outage makes the second attempt the one whose answer is lost; the first attempt would do."""
    schedule = pay("outage", by="25h"), pay("lost_ack", attempt=2)

    def breaks(tried: Schedule) -> bool:
        lost = [fault for fault in tried if fault.kind == "lost_ack"]
        delayed = any(fault.kind == "outage" for fault in tried)
        return bool(lost) and lost[0].attempt == (2 if delayed else 1)

    assert one_minimal(schedule, breaks) == schedule
    assert without_detours(schedule, breaks) == (pay("lost_ack"),)


def test_faults_move_to_the_earliest_call_together() -> None:
    schedule = pay("lost_ack", occurrence=3), pay("outage", occurrence=3, attempt=2, by="25h")

    def breaks(tried: Schedule) -> bool:
        return len(tried) == 2 and len({fault.occurrence for fault in tried}) == 1

    assert earliest(schedule, breaks) == (pay("lost_ack"), pay("outage", attempt=2, by="25h"))


def test_the_simplest_kind_that_still_needs_all_faults_is_taken() -> None:
    schedule = pay("crash", at="after"), pay("outage", attempt=2, by="25h")

    def breaks(tried: Schedule) -> bool:
        kinds = [kind_of(fault) for fault in tried]
        return kinds == ["error"] or (len(kinds) == 2 and kinds[1] == "outage")

    # An error alone breaks it, so an error with an outage is not 1-minimal; a server error with one is.
    assert [kind_of(fault) for fault in simplest(schedule, breaks)] == ["server_error", "outage"]
