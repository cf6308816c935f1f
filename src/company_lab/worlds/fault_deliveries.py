"""Faults of deliveries: events that come twice, late, out of order, made up, or only when they are sent again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from company_lab.scenarios.fault_kinds import EVENT_FAULTS
from company_lab.scenarios.model import Fault
from company_lab.worlds.faults import delay_ms
from company_lab.worlds.inbox import Delivery

_AFTER_ALL = 1_000_000
"""Added to the position of what is sent again, so that it comes after everything due at the same moment."""


def plan_deliveries(scheduled: Sequence[Fault], deliveries: Sequence[Delivery]) -> list[Delivery]:
    """The deliveries as the faults leave them. A fault of an event that never comes changes nothing."""
    planned = list(deliveries)
    for index, fault in enumerate(scheduled):
        if fault.kind not in EVENT_FAULTS:
            continue
        place = next(
            (at for at, one in enumerate(planned) if one.id == fault.on and one.treatment != "lost"), None
        )
        if place is not None:
            _disturb(planned, place, index, fault)
    return planned


def _disturb(planned: list[Delivery], place: int, index: int, fault: Fault) -> None:
    hit, later_ms = planned[place], planned[place].due_ms + delay_ms(fault)
    again = replace(hit, due_ms=later_ms, position=len(planned) + _AFTER_ALL, faults=(), due_before_ms=None)
    if fault.kind == "duplicate":
        planned.append(_under(index, again))
    elif fault.kind == "late":
        planned[place] = _under(index, replace(hit, due_ms=later_ms, due_before_ms=hit.due_ms))
    elif fault.kind == "dropped":
        planned[place] = _under(index, replace(hit, treatment="lost", wakes=False))
        planned.append(again)
    elif fault.kind == "forged":
        data = {**hit.data, **(fault.change or {})}
        planned[place] = _under(index, replace(hit, treatment="forged", data=data))
    else:
        _swap(planned, place, index)


def _swap(planned: list[Delivery], place: int, index: int) -> None:
    hit = planned[place]
    later = [delivery for delivery in planned if delivery > hit]
    if later:
        other = min(later)
        other_place = planned.index(other)
        planned[place] = _under(index, replace(hit, due_ms=other.due_ms, position=other.position))
        planned[other_place] = replace(other, due_ms=hit.due_ms, position=hit.position)


def _under(index: int, delivery: Delivery) -> Delivery:
    return replace(delivery, faults=(*delivery.faults, index))
