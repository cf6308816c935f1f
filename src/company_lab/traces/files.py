"""Traces as JSON lines on disk; several episodes may follow one another in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType

from company_lab.formats.canonical import Json, NotJson, parse, same
from company_lab.formats.errors import Problem, Problems
from company_lab.formats.shapes import shown
from company_lab.formats.whole_files import whole_file
from company_lab.traces.record import FORMAT, Trace

_KINDS = frozenset(
    (
        "started",
        "turn",
        "observation",
        "choice",
        "model",
        "action",
        "guard",
        "result",
        "effect",
        "event",
        "fault",
    )
).union(("memory", "crash", "restart", "approval", "reply", "usage", "stopped", "settled"))
_NAMES = ("call", "tool", "outcome", "decision", "reason", "rule", "provider", "op")
"""Fields that hold a name wherever they stand."""


def read_traces(path: Path) -> Iterator[Trace]:
    """The episodes of a file, one at a time. A line that is damaged, or no record, raises `Problems` with its number.

    A new episode begins with each `started` record. Record kinds this version does not know are kept.
    """
    current: Trace | None = None
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = parse(line)
            except NotJson as error:
                whole = line.endswith(b"\n")
                reason = str(error) if whole else f"the last line is cut off ({error})"
                raise Problems([Problem(message=reason, file=str(path), line=number)]) from None
            if not isinstance(record, dict) or not isinstance(record.get("kind"), str):
                raise _wrong(path, number, "a record needs the key kind")
            if record["kind"] == "started":
                if not same(record.get("format"), FORMAT):
                    raise _wrong(path, number, f"format {record.get('format')!r} is not format {FORMAT}")
                if current is not None:
                    yield current
                current = Trace()
            elif current is None:
                raise _wrong(path, number, "a trace begins with a started record")
            misfit = _misfit(record)
            if misfit is not None:
                raise _wrong(path, number, misfit)
            due = len(current.records)
            if not same(record.get("seq"), due):
                message = f"seq {record.get('seq')!r} where {due} was due: records are missing"
                raise _wrong(path, number, message)
            current.records.append(record)
    if current is not None:
        yield current


def _misfit(record: Mapping[str, Json]) -> str | None:
    """What in a record of a known kind is not what whoever reads traces takes for granted; None where all fits."""
    kind = record["kind"]
    if kind not in _KINDS:
        return None
    for name in _NAMES:
        if not isinstance(record.get(name), (str, NoneType)):
            return f"{name} of a record is a text or null; found {shown(record[name])}"
    if not isinstance(record.get("delivery"), (str, int, NoneType)):
        return f"delivery of a record is a text or a number; found {shown(record['delivery'])}"
    if kind == "stopped" and record.get("reason") is None:
        return "a stopped record needs the key reason"
    changes = record.get("changes")
    if changes is not None and not (isinstance(changes, list) and all(map(_is_change, changes))):
        return f"changes are objects with table and id; found {shown(changes)}"
    return None


def _is_change(change: Json) -> bool:
    return isinstance(change, dict) and all(isinstance(change.get(name), str) for name in ("table", "id"))


def _wrong(path: Path, line: int, message: str) -> Problems:
    return Problems([Problem(message=message, file=str(path), line=line)])


def write_traces(path: Path, traces: Iterable[Trace]) -> None:
    """Write episodes one after another; the file appears whole or not at all."""
    with whole_file(path) as target:
        for trace in traces:
            target.write(trace.bytes())
