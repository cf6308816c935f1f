"""Points: the calls and events of an episode, named as faults name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from company_lab.formats.canonical import canonical
from company_lab.scenarios.spec import WorldSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPoint:
    """A call that a fault could be scheduled on: `{on: tool, occurrence: ..., attempt: ...}`."""

    call: str
    """The id of the call in this trace."""
    tool: str
    occurrence: int
    attempt: int
    writes: bool
    seq: int
    """The record of the action."""


def call_points(records: Sequence[Mapping[str, Any]], spec: WorldSpec) -> Iterator[CallPoint]:
    """The calls of an episode that count, in order: those the guard let through, and those a crash kept from it.

    A new value of the tool's target arguments is a new occurrence, a repeat of the same one an attempt. Tools that the
    world does not have and arguments nobody could read are no points.
    """
    counted = {
        record.get("call")
        for record in records
        if (record.get("kind") == "guard" and record.get("decision") == "allow") or _crashed_before(record)
    }
    seen: dict[str, dict[str, int]] = {}
    for record in records:
        name, args = record.get("tool"), record.get("args")
        tool = spec.tools.get(name) if isinstance(name, str) else None
        if record.get("kind") != "action" or tool is None or not isinstance(args, Mapping):
            continue
        if record.get("call") not in counted:
            continue
        parameters = tool.signature.parameters.items()
        targets = [key for key, parameter in parameters if parameter.shape.target]
        about = canonical([args.get(key) for key in targets] if targets else args)
        attempts = seen.setdefault(tool.name, {})
        attempts[about] = attempts.get(about, 0) + 1
        yield CallPoint(
            call=str(record["call"]),
            tool=tool.name,
            occurrence=list(attempts).index(about) + 1,
            attempt=attempts[about],
            writes=tool.writes,
            seq=int(record.get("seq", -1)),
        )


def _crashed_before(record: Mapping[str, Any]) -> bool:
    error = record.get("error")
    return (
        record.get("kind") == "result"
        and record.get("delivery") == "lost"
        and isinstance(error, Mapping)
        and error.get("reason") == "crashed"
    )
