"""Recorded traces, brought into the shape that scoring judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from company_lab.evaluation.figures import summarise
from company_lab.evaluation.verdicts import PASSED
from company_lab.formats.canonical import Json
from company_lab.formats.errors import Problem, Problems, nearest
from company_lab.interop.short_form import EVIDENCE, Recorded
from company_lab.traces.files import read_traces
from company_lab.traces.record import Trace


def whole_traces(path: Path) -> Iterator[tuple[Trace, str]]:
    """The episodes of a trace file, each with its file and line. One that has no end raises `Problems`."""
    line = 1
    for trace in read_traces(path):
        where = f"{path}:{line}"
        _refuse_unless_whole(trace, str(path), line)
        yield trace, where
        line += len(trace)


def recorded(trace: Trace, where: str) -> Recorded:
    """What scoring needs of a trace. Its final is `final_changes`, its reply the last one."""
    header = trace.header
    replies = [record.get("text") for record in trace.by_kind("reply")]
    results = list(trace.by_kind("result"))
    reply = replies[-1] if replies else None
    return Recorded(
        task=header["scenario"],
        trial=header["trial"],
        final=final_changes(trace),
        reply=reply if isinstance(reply, str) else None,
        stop=str(trace.stop),
        calls=sum(1 for _ in trace.by_kind("action")),
        error=any(map(_went_wrong, results)),
        evidence=header["evidence"],
        where=where,
        trajectory=summarise(trace, PASSED).trajectory,
    )


def final_changes(trace: Trace) -> Json:
    """What the episode left changed, as {table: {id: {field: value}}}; a deleted record is null.

    A field that went away is {"is": "absent"}. Records of another tenant stand under "tenant/table".
    """
    final: dict[str, dict[str, Json]] = {}
    for change in next(trace.by_kind("settled"))["changes"]:
        tenant = change.get("tenant")
        table = f"{tenant}/{change['table']}" if tenant else str(change["table"])
        fields: Mapping[str, Any] = change.get("fields") or {}
        after = {name: pair[1] for name, pair in fields.items()}
        final.setdefault(table, {})[str(change["id"])] = None if change["op"] == "delete" else after
    return dict(final)


def _went_wrong(result: Mapping[str, Any]) -> bool:
    return result.get("outcome") in ("failed", "malformed") or result.get("delivery") == "timed_out"


def _refuse_unless_whole(trace: Trace, file: str, line: int) -> None:
    header = trace.header
    scenario, trial, evidence = header.get("scenario"), header.get("trial"), header.get("evidence")
    problems: list[Problem] = []
    if not isinstance(scenario, str) or not scenario:
        problems.append(Problem(message="the started record names no scenario", file=file, line=line))
    if type(trial) is not int or trial < 0:
        problems.append(
            Problem(message="the started record names no trial", file=file, line=line, found=repr(trial))
        )
    if evidence not in EVIDENCE:
        problems.append(
            Problem(
                message="the started record names no kind of evidence",
                file=file,
                line=line,
                found=repr(evidence),
                expected=f"one of {', '.join(EVIDENCE)}",
                nearest=nearest(str(evidence), EVIDENCE),
            )
        )
    last = line + len(trace) - 1
    name = f"{scenario} trial {trial}"
    if trace.stop is None:
        problems.append(
            Problem(message=f"{name} ends without a stopped record: cut off", file=file, line=last)
        )
    elif next(trace.by_kind("settled"), None) is None:
        problems.append(
            Problem(message=f"{name} has no settled record: its final state is unknown", file=file, line=last)
        )
    if problems:
        raise Problems(problems)
