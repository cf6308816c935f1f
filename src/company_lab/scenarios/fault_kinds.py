"""Kinds of fault: to what each happens, which keys it takes, and what it means. One table for all who read faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Target: TypeAlias = Literal["tools", "events"]

KEYS = ("occurrence", "attempt", "by", "error", "at", "restart", "change")
"""Keys of a fault beside `on` and `kind`, in the order in which they are written."""
_POINT = frozenset({"occurrence", "attempt"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultKind:
    """One kind of scheduled misbehaviour."""

    name: str
    happens_to: Target
    meaning: str
    """What happens, in one sentence."""
    takes: frozenset[str]
    """Keys it may carry."""
    needs: frozenset[str] = frozenset()
    """Keys it can not do without."""
    by_ms: int = 0
    """What `by` is where it is not written, in simulated milliseconds."""
    reads_only: bool = False
    """Whether it can only happen to a tool that reads."""
    providers_too: bool = False
    """Whether `on` may also name a provider."""


def _tool(
    name: str,
    meaning: str,
    *takes: str,
    needs: str = "",
    by_ms: int = 0,
    reads_only: bool = False,
    providers_too: bool = False,
) -> FaultKind:
    return FaultKind(
        name=name,
        happens_to="tools",
        meaning=meaning,
        takes=_POINT.union(takes),
        needs=frozenset(needs.split()),
        by_ms=by_ms,
        reads_only=reads_only,
        providers_too=providers_too,
    )


def _event(name: str, meaning: str, *takes: str, by_ms: int = 0) -> FaultKind:
    return FaultKind(name=name, happens_to="events", meaning=meaning, takes=frozenset(takes), by_ms=by_ms)


_DAY_MS = 86_400_000

KINDS: Mapping[str, FaultKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            _tool("error", "fails with `error` before anything happens", "by", "error"),
            _tool("lost_ack", "happens, but the answer never comes: a timeout"),
            _tool("lost_request", "never happens, and no answer comes: the same timeout"),
            _tool("late_answer", "happens, and the answer takes as long as `by`", "by", by_ms=600_000),
            _tool("rate_limited", "is turned away with 429 before anything happens", "by"),
            _tool("rate_limited_after", "happens, and still answers 429", "by"),
            _tool("server_error", "answers 500 before anything happens", "by"),
            _tool("server_error_after", "happens, and still answers 500", "by"),
            _tool("malformed_result", "happens, and the answer arrives cut off, as text that is no JSON"),
            _tool("partial_result", "happens, and part of the answer is missing"),
            _tool(
                "stale_read",
                "answers from the records before the last change it would show, or as they were `by` ago",
                "by",
                reads_only=True,
            ),
            _tool(
                "foreign_change",
                "meets records that somebody else changed just before",
                "change",
                needs="change",
            ),
            _tool(
                "outage",
                "is down from here for as long as `by`",
                "by",
                needs="by",
                providers_too=True,
            ),
            _tool("approval_expires", "comes after the approval it would have used ran out"),
            _tool("lease_expires", "comes after the lease it would have worked under ran out"),
            _tool(
                "crash",
                "kills the agent, which is then restarted, `by` later",
                "at",
                "by",
                "restart",
                needs="at",
            ),
            _event("duplicate", "arrives a second time, `by` later", "by", by_ms=60_000),
            _event("late", "arrives `by` later than it should", "by", by_ms=_DAY_MS),
            _event("reorder", "changes places with the event after it"),
            _event("forged", "is not what its provider knows: somebody else made it up", "change"),
            _event("dropped", "is lost, and sent again `by` later", "by", by_ms=3_600_000),
        )
    }
)
"""Every kind by name."""

TOOL_FAULTS = frozenset(name for name, kind in KINDS.items() if kind.happens_to == "tools")
"""Kinds that happen to a call of a tool."""
EVENT_FAULTS = frozenset(name for name, kind in KINDS.items() if kind.happens_to == "events")
"""Kinds that happen to the delivery of an event."""
