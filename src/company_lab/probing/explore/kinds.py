"""Kinds of fault an exploration schedules at a call or an event, from the simplest to the most involved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from company_lab.agents.protocol import RestartMode
from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.time import format_duration
from company_lab.scenarios.fault_kinds import EVENT_FAULTS, KINDS
from company_lab.scenarios.model import Fault
from company_lab.worlds.providers import KEY_RETENTION_MS

POINTS = ("before", "after", "answered", "saved")
"""Where around a call a crash comes."""
_CRASHES = tuple(f"crash:{point}" for point in POINTS)
OF_CALLS = (
    "error",
    "server_error",
    "rate_limited",
    "lost_request",
    "lost_ack",
    "server_error_after",
    "rate_limited_after",
    "late_answer",
    "malformed_result",
    "partial_result",
    *_CRASHES,
    "outage",
    "approval_expires",
    "lease_expires",
)
"""What may happen to a call that writes."""
OF_READS = (
    "error",
    "server_error",
    "rate_limited",
    "lost_request",
    "late_answer",
    "malformed_result",
    "partial_result",
    "stale_read",
)
"""What may happen to a read. A crash around it leaves what the crash after the write before it leaves."""
OF_EVENTS = tuple(name for name in KINDS if name in EVENT_FAULTS)
ALL = tuple(dict.fromkeys((*OF_CALLS, *OF_READS, *OF_EVENTS)))
"""Every kind an exploration schedules by itself, simplest first."""
ESSENTIAL = (
    "lost_ack",
    *_CRASHES,
    "outage",
    "stale_read",
    *OF_EVENTS,
)
"""One kind of each sort: an answer that is lost, a crash at each point, an outage that outlasts keys, an old answer."""
OUTAGE = format_duration(KEY_RETENTION_MS + 3_600_000)
"""How long a scheduled outage is: longer than providers remember keys."""
_WAITING = "clock.wait"
_SETS = {"all": ALL, "essential": ESSENTIAL, "crash": _CRASHES}


def read_kinds(words: Iterable[str]) -> tuple[str, ...]:
    """Kinds by name; `all`, `essential` and `crash` stand for several. Raises `WrongUse` naming the nearest."""
    chosen: list[str] = []
    for word in (part.strip() for text in words for part in text.split(",")):
        if word in _SETS:
            chosen.extend(_SETS[word])
        elif word in ALL:
            chosen.append(word)
        elif word in KINDS:
            raise WrongUse(f"{word} needs to be told what changes: write it into the scenario's faults")
        else:
            known = (*_SETS, *ALL)
            close = nearest(word, known)
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"there is no kind of fault {word!r}{hint} (known: {', '.join(known)})")
    return tuple(kind for kind in ALL if kind in chosen)


def kind_of(fault: Fault) -> str:
    """The kind of a fault; of a crash with the point where it comes."""
    return f"crash:{fault.at}" if fault.kind == "crash" else fault.kind


def faults_of_call(
    tool: str,
    occurrence: int,
    attempt: int,
    *,
    writes: bool,
    kinds: Collection[str],
    restarts: Collection[RestartMode],
) -> Iterator[Fault]:
    """The faults of these kinds at one call. Nothing happens to waiting."""
    if tool == _WAITING:
        return
    for kind in OF_CALLS if writes else OF_READS:
        if kind in kinds:
            yield from _of_kind(kind, tool, occurrence, attempt, restarts)


def faults_of_event(event: str, *, kinds: Collection[str]) -> Iterator[Fault]:
    """The faults of these kinds at one event."""
    return (Fault(on=event, kind=kind) for kind in OF_EVENTS if kind in kinds)


def _of_kind(
    kind: str, tool: str, occurrence: int, attempt: int, restarts: Collection[RestartMode]
) -> Iterator[Fault]:
    name, _, point = kind.partition(":")
    place = {"on": tool, "kind": name, "occurrence": occurrence, "attempt": attempt}
    if name == "outage":
        yield Fault.model_validate({**place, "by": OUTAGE})
    elif not point:
        yield Fault.model_validate(place)
    else:
        for mode in restarts:
            told = {} if mode == "checkpoint" else {"restart": mode}
            yield Fault.model_validate({**place, "at": point, **told})


def of_kind(fault: Fault, kind: str) -> Fault:
    """The same place under another kind."""
    (other,) = _of_kind(kind, fault.on, fault.occurrence, fault.attempt, [fault.restart or "checkpoint"])
    return other
