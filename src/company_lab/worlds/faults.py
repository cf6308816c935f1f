"""Scheduled faults: what goes wrong, where, and whether it really did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from company_lab.formats.canonical import Json, canonical
from company_lab.scenarios.fault_kinds import KINDS, TOOL_FAULTS
from company_lab.scenarios.model import Fault
from company_lab.worlds.department import Tool

FAULT_KINDS = frozenset(KINDS)
DEFAULT_TIMEOUT_MS = 30_000
"""How long somebody waits for an answer that does not come."""


def delay_ms(fault: Fault) -> int:
    """How long a fault takes or lasts: as written, else what its kind says."""
    if fault.by_ms is not None:
        return fault.by_ms
    kind = KINDS.get(fault.kind)
    return 0 if kind is None else kind.by_ms


@dataclass(slots=True)
class FaultState:
    """What has become of one scheduled fault."""

    fired: bool = False
    changed: bool = False
    """Whether it made a difference that somebody could notice."""


@dataclass(slots=True)
class Outage:
    """A tool or provider that is down."""

    on: str
    fault: int
    until_ms: int


@dataclass(slots=True)
class Faults:
    """The faults of one episode.

    A call is named by (tool, occurrence, attempt): a new value of the tool's target arguments is a new
    occurrence, a repeat of the same one an attempt. Calls that the guard did not let through are no attempts.
    """

    scheduled: tuple[Fault, ...] = ()
    states: list[FaultState] = field(default_factory=list)
    on: frozenset[str] = frozenset()
    """Tools and providers that something is scheduled for."""
    _seen: dict[str, dict[str, int]] = field(default_factory=dict)
    _operations: dict[str, int] = field(default_factory=dict)
    _outages: list[Outage] = field(default_factory=list)

    @classmethod
    def schedule(cls, scheduled: Iterable[Fault]) -> Faults:
        """Faults at the start of an episode."""
        listed = tuple(scheduled)
        return cls(
            scheduled=listed,
            states=[FaultState() for _ in listed],
            on=frozenset(fault.on for fault in listed if fault.kind in TOOL_FAULTS),
        )

    def point(self, tool: Tool, args: Mapping[str, Json]) -> tuple[int, int]:
        """Occurrence and attempt that a call would be, without counting it."""
        seen = self._seen.get(tool.name, {})
        about = _about(tool, args)
        if about not in seen:
            return len(seen) + 1, 1
        return list(seen).index(about) + 1, seen[about] + 1

    def count(self, tool: Tool, args: Mapping[str, Json]) -> tuple[int, int]:
        """Count a call; its occurrence and attempt."""
        point = self.point(tool, args)
        self._seen.setdefault(tool.name, {})[_about(tool, args)] = point[1]
        return point

    def due(self, tool: str, point: tuple[int, int]) -> Iterator[tuple[int, Fault]]:
        """The faults scheduled for a call that have not happened yet, by their position in the schedule."""
        for index, fault in enumerate(self.scheduled):
            if (
                fault.on == tool
                and (fault.occurrence, fault.attempt) == point
                and not self.states[index].fired
                and fault.kind in TOOL_FAULTS
            ):
                yield index, fault

    def crash_around(self, tool: Tool, args: Mapping[str, Json]) -> tuple[int, Fault] | None:
        """The crash scheduled around the call that is about to be attempted.

        Whoever lets the agent crash before the call reaches the world counts it with `count`, so that its repeat
        is the next attempt.
        """
        if tool.name not in self.on:
            return None
        due = self.due(tool.name, self.point(tool, args))
        return next(((index, fault) for index, fault in due if fault.kind == "crash"), None)

    def goes_down(self, index: int, now_ms: int) -> None:
        """From now on what the fault names is down, for as long as the fault says."""
        fault = self.scheduled[index]
        self._outages.append(Outage(fault.on, index, now_ms + delay_ms(fault)))

    def outage_of(self, name: str, now_ms: int) -> int | None:
        """The fault through which a tool or provider is down now, if it is."""
        for outage in self._outages:
            if outage.on == name and now_ms < outage.until_ms:
                return outage.fault
        return None

    def at_operation(self, provider: str, now_ms: int) -> int | None:
        """The fault through which a provider is down for the operation it is asked for; counts the operation."""
        self._operations[provider] = attempt = self._operations.get(provider, 0) + 1
        for index, _ in self.due(provider, (1, attempt)):
            self.goes_down(index, now_ms)
        return self.outage_of(provider, now_ms)


def _about(tool: Tool, args: Mapping[str, Json]) -> str:
    targets = [name for name, parameter in tool.signature.parameters.items() if parameter.shape.target]
    return canonical([args.get(name) for name in targets] if targets else args)
