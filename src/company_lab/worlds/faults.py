"""Scheduled faults: what goes wrong, where, and whether it really did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from company_lab.formats.canonical import Json, canonical
from company_lab.worlds.department import Tool
from company_lab.worlds.inbox import Delivery

TOOL_FAULTS = frozenset({"error", "lost_ack"})
EVENT_FAULTS = frozenset({"duplicate", "late", "reorder"})
FAULT_KINDS = TOOL_FAULTS | EVENT_FAULTS

DEFAULT_TIMEOUT_MS = 30_000
_DEFAULT_DELAY_MS = {"duplicate": 60_000, "late": 86_400_000, "reorder": 0}


class ScheduledFault(Protocol):
    """A fault as the scenario schedules it."""

    @property
    def on(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def occurrence(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def by_ms(self) -> int | None: ...
    @property
    def error(self) -> str | None: ...


@dataclass(slots=True)
class FaultState:
    """What has become of one scheduled fault."""

    fired: bool = False
    changed: bool = False


@dataclass(slots=True)
class Faults:
    """The faults of one episode.

    A call is named by (tool, occurrence, attempt): a new value of the tool's target arguments is a new
    occurrence, a repeat of the same one an attempt.
    """

    scheduled: tuple[ScheduledFault, ...] = ()
    states: list[FaultState] = field(default_factory=list)
    _tools: frozenset[str] = frozenset()
    _seen: dict[str, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def schedule(cls, scheduled: Iterable[ScheduledFault]) -> Faults:
        """Faults of a scenario at the start of an episode."""
        listed = tuple(scheduled)
        return cls(
            scheduled=listed,
            states=[FaultState() for _ in listed],
            _tools=frozenset(fault.on for fault in listed if fault.kind in TOOL_FAULTS),
        )

    def at_call(self, tool: Tool, args: Mapping[str, Json]) -> tuple[int, ScheduledFault] | None:
        """The fault scheduled for this call, if any; counts the call."""
        if tool.name not in self._tools:
            return None
        targets = [name for name, parameter in tool.signature.parameters.items() if parameter.shape.target]
        about = canonical([args.get(name) for name in targets] if targets else args)
        seen = self._seen.setdefault(tool.name, {})
        seen[about] = attempt = seen.get(about, 0) + 1
        occurrence = list(seen).index(about) + 1
        for index, fault in enumerate(self.scheduled):
            if (fault.on, fault.occurrence, fault.attempt) == (tool.name, occurrence, attempt) and (
                fault.kind in TOOL_FAULTS
            ):
                return index, fault
        return None

    def plan_deliveries(self, deliveries: list[Delivery]) -> list[Delivery]:
        """The deliveries with duplicates added and late or reordered ones moved."""
        planned = list(deliveries)
        for index, fault in enumerate(self.scheduled):
            if fault.kind not in EVENT_FAULTS:
                continue
            place = next((at for at, delivery in enumerate(planned) if delivery.id == fault.on), None)
            if place is None:
                continue
            delay = _DEFAULT_DELAY_MS[fault.kind] if fault.by_ms is None else fault.by_ms
            hit = planned[place]
            if fault.kind == "duplicate":
                again = _moved(hit, due_ms=hit.due_ms + delay, position=len(planned) + 1_000_000, fault=index)
                planned.append(again)
            elif fault.kind == "late":
                planned[place] = _moved(hit, due_ms=hit.due_ms + delay, position=hit.position, fault=index)
            else:
                later = [delivery for delivery in planned if delivery > hit]
                if later:
                    other = min(later)
                    other_place = planned.index(other)
                    planned[place] = _moved(hit, due_ms=other.due_ms, position=other.position, fault=index)
                    planned[other_place] = _moved(other, due_ms=hit.due_ms, position=hit.position, fault=None)
        return planned


def _moved(delivery: Delivery, *, due_ms: int, position: int, fault: int | None) -> Delivery:
    return Delivery(
        due_ms=due_ms,
        position=position,
        id=delivery.id,
        type=delivery.type,
        data=delivery.data,
        sender=delivery.sender,
        wakes=delivery.wakes,
        fault=delivery.fault if fault is None else fault,
    )
