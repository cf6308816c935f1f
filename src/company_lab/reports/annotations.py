"""A run as workflow commands of GitHub Actions: its worst failures stand beside the changes they came with.

A server takes a line of output that begins with `::` for a command. So everything that comes from an episode stands in
one line, after a command of ours, with what could end it written as the commands' own escapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import nsmallest
from typing import BinaryIO

from company_lab.formats.hostile import cut, one_line
from company_lab.reports.cases import Case, cases
from company_lab.reports.pointing import short
from company_lab.reports.terminal import EVIDENCE
from company_lab.runs.store import Store

MOST_ERRORS = 10
"""GitHub shows so many errors of a step, and so many warnings."""
LONGEST_MESSAGE = 500

_RANK = {"failed": 1, "invalid": 2, "unscored": 2, "lost": 3}


def write_annotations(store: Store, run: str, file: BinaryIO) -> None:
    """Write a stored run, by its whole id, as workflow commands, one a line; the worst first."""
    for line in _lines(store, run):
        file.write((line + "\n").encode("utf-8"))


def _lines(store: Store, run: str) -> Iterator[str]:
    plan = store.plan(run)
    outcomes = store.entry(run).outcomes
    planned, passed = len(plan.cells), outcomes.get("passed", 0)
    worst = nsmallest(
        MOST_ERRORS, (case for case in cases(store, run) if case.outcome != "passed"), key=_urgency
    )
    open_cells = planned - passed
    listed = worst if open_cells <= MOST_ERRORS else worst[: MOST_ERRORS - 1]
    for case in listed:
        yield _command("error", f"{case.scenario}, trial {case.trial}: {_kind(case)}", _said(case))
    if open_cells > len(listed):
        yield _command(
            "error",
            f"{open_cells - len(listed):,} more episodes did not pass",
            f"company-lab report {short(run)} tells them all",
        )
    kinds = "; ".join(EVIDENCE.get(kind, kind) for kind in plan.evidence)
    if plan.caveat:
        kinds = f"{kinds}; {plan.caveat}"
    yield _command("notice", "company-lab", f"{passed:,} of {planned:,} planned episodes passed. {kinds}.")


def _urgency(case: Case) -> tuple[int, int, str, int]:
    return (0 if case.critical else _RANK[case.outcome], case.trial, case.scenario, case.trial)


def _kind(case: Case) -> str:
    if case.critical:
        classes = dict.fromkeys(one.failure_class for one in case.failures if one.failure_class)
        return f"failed critically ({', '.join(classes)})"
    return case.outcome


def _said(case: Case) -> str:
    if case.outcome != "failed":
        return case.why
    return "; ".join(f"{one.code}: {one.message}" for one in case.failures[:3]) or "failed"


def _command(name: str, title: str, message: str) -> str:
    return f"::{name} title={property_text(title)}::{data_text(message)}"


def data_text(text: str) -> str:
    """Text for the message of a workflow command: one line, nothing invisible."""
    plain = one_line(cut(text, LONGEST_MESSAGE))
    return plain.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_text(text: str) -> str:
    """Text for a property of a workflow command, which a colon or a comma would end."""
    return data_text(text).replace(":", "%3A").replace(",", "%2C")
