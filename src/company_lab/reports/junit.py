"""A run as JUnit XML, which every build server reads: a suite for each scenario, a case for each trial.

Nothing passes by default. A failed episode is a failure; one that could not be scored, does not count or was lost is
an error. Nothing is ever reported as skipped, since most servers show a skipped case as green.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import BinaryIO
from xml.parsers import expat
from xml.sax.saxutils import escape

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.hostile import cut, one_line, printable
from company_lab.reports.cases import Case, cases
from company_lab.reports.pointing import show_line
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store

LONGEST_MESSAGE = 300
LONGEST_TEXT = 2_000
MOST_FAILURES = 10
SUITE_IN_MEMORY = 4_000_000
"""Bytes of one scenario's cases that are kept in memory; more go to a temporary file."""


def write_junit(store: Store, run: str, file: BinaryIO) -> None:
    """Write a stored run, by its whole id, as JUnit XML.

    What is written is parsed while it is written, so that no file is left that a build server can not read. Control
    characters and whatever else XML can not hold are spelled out.
    """
    plan = store.plan(run)
    outcomes = store.entry(run).outcomes
    planned = len(plan.cells)
    failed, passed = outcomes.get("failed", 0), outcomes.get("passed", 0)
    out = _Checked(file)
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    totals: dict[str, str | int] = {
        "name": f"company-lab run {run}",
        "tests": planned,
        "failures": failed,
        "errors": planned - failed - passed,
    }
    out.write(f"<testsuites{_attributes(totals)}>\n")
    for number, (scenario, group) in enumerate(groupby(cases(store, run), key=lambda case: case.scenario)):
        _write_suite(plan, number, scenario, group, out)
    out.write("</testsuites>\n")
    out.close()


class _Checked:
    """Writes text and parses it on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._parser = expat.ParserCreate("UTF-8")

    def write(self, text: str) -> None:
        self.write_bytes(text.encode("utf-8"))

    def write_bytes(self, data: bytes) -> None:
        self._parser.Parse(data, False)
        self._file.write(data)

    def close(self) -> None:
        self._parser.Parse(b"", True)


def _write_suite(plan: RunPlan, number: int, scenario: str, group: Iterator[Case], out: _Checked) -> None:
    counts: Counter[str] = Counter()
    kinds: dict[str, None] = {}
    took: list[float] = []
    with tempfile.SpooledTemporaryFile(SUITE_IN_MEMORY) as spool:
        for case in group:
            counts[case.outcome] += 1
            if case.summary is not None:
                layer = f", {case.summary.layer} layer" if case.summary.layer else ""
                kinds[f"{case.summary.evidence}{layer}"] = None
            if case.wall_ms is not None:
                took.append(case.wall_ms)
            spool.write(_case(plan, case).encode("utf-8"))
        tests = counts.total()
        out.write(
            f"<testsuite{_attributes(_suite_attributes(plan, number, scenario, counts, took))}>\n"
            + _properties(
                {
                    "run": plan.run,
                    "agent": f"{plan.agent.name} ({plan.agent.kind})",
                    "seed": str(plan.seed),
                    "evidence": "; ".join(kinds) or "none",
                    **({"caveat": plan.caveat} if plan.caveat else {}),
                    "passed": f"{counts['passed']} of {tests}",
                }
            )
        )
        spool.seek(0)
        while piece := spool.read(1 << 20):
            out.write_bytes(piece)
        out.write("</testsuite>\n")


def _suite_attributes(
    plan: RunPlan, number: int, scenario: str, counts: Counter[str], took: list[float]
) -> dict[str, str | int]:
    tests = counts.total()
    found: dict[str, str | int] = {
        "name": scenario,
        "package": "company_lab",
        "id": number,
        "tests": tests,
        "failures": counts["failed"],
        "errors": tests - counts["failed"] - counts["passed"],
        "skipped": 0,
        "timestamp": _moment(plan.created),
        "hostname": "localhost",
    }
    if took:
        found["time"] = _seconds(sum(took))
    return found


def _case(plan: RunPlan, case: Case) -> str:
    attributes: dict[str, str | int] = {"name": f"trial {case.trial}", "classname": case.scenario}
    if case.wall_ms is not None:
        attributes["time"] = _seconds(case.wall_ms)
    opening = f"<testcase{_attributes(attributes)}"
    if case.outcome == "passed":
        return f"{opening}/>\n"
    return (
        f"{opening}>{_failure(plan, case) if case.outcome == 'failed' else _error(plan, case)}</testcase>\n"
    )


def _failure(plan: RunPlan, case: Case) -> str:
    worst = next(iter(case.failures), None)
    shown = {
        "message": "failed" if worst is None else f"{worst.code}: {worst.message}",
        "type": "failed" if worst is None else worst.failure_class or worst.code,
    }
    lines: list[str] = []
    for one in case.failures[:MOST_FAILURES]:
        named = f", class {one.failure_class}" if one.failure_class else ""
        lines += [
            f"{one.code} ({one.severity}{named}): {cut(one.message, LONGEST_TEXT)}",
            f"  expectation {one.check}",
        ]
        lines += [
            f"  {name}: {cut(_plain(item), LONGEST_MESSAGE)}"
            for name, item in (("found", one.found), ("expected", one.expected))
            if item is not None
        ]
        if one.evidence:
            lines.append(f"  evidence: records {', '.join(map(str, one.evidence[:6]))} of its trace")
    if len(case.failures) > MOST_FAILURES:
        lines.append(f"and {len(case.failures) - MOST_FAILURES} more failures")
    return _element("failure", shown, lines, plan, case)


def _error(plan: RunPlan, case: Case) -> str:
    shown = {"message": f"{case.outcome}: {case.why}", "type": case.outcome}
    lines = [f"{note.check}: {cut(note.message, LONGEST_TEXT)}" for note in case.open[:MOST_FAILURES]]
    return _element("error", shown, lines or [case.why], plan, case)


def _element(tag: str, shown: Mapping[str, str], lines: list[str], plan: RunPlan, case: Case) -> str:
    if case.summary is not None:
        lines = [*lines, f"stopped: {case.summary.stop or 'unknown'}", _look(plan, case)]
    text = printable("\n".join(lines))
    return f"<{tag}{_attributes(shown)}>{escape(text)}</{tag}>"


def _look(plan: RunPlan, case: Case) -> str:
    return f"look at it: {show_line(plan.run, case.scenario, case.trial)}"


def _plain(item: Json) -> str:
    return item if isinstance(item, str) else canonical(item)


def _properties(named: Mapping[str, str]) -> str:
    inner = "".join(
        f"<property{_attributes({'name': name, 'value': value})}/>" for name, value in named.items()
    )
    return f"<properties>{inner}</properties>\n"


def _attributes(named: Mapping[str, str | int]) -> str:
    return "".join(f' {name}="{_attribute(str(value))}"' for name, value in named.items())


def _attribute(text: str) -> str:
    return escape(one_line(cut(text, LONGEST_MESSAGE)), {'"': "&quot;"})


def _seconds(ms: float) -> str:
    return f"{ms / 1000:.3f}"


def _moment(created: str) -> str:
    """To the second, in UTC and without a zone, as the schemas of the format have it."""
    try:
        return datetime.fromisoformat(created).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return "1970-01-01T00:00:00"
