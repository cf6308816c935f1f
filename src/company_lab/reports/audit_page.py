"""What an audit of a suite found, as lines and as a page."""

from __future__ import annotations

from collections.abc import Iterator

from company_lab.probing.audit import AUDITS, AuditReport, Finding
from company_lab.release.decision import counted

_ESCAPED = str.maketrans({"|": "\\|", "\n": " ", "<": "&lt;", ">": "&gt;", "`": "'"})
FIRST_LINE = "Deterministic simulation: references, scripted agents and mutants of what is expected; no model"


def audit_lines(report: AuditReport, *, verbose: bool = False) -> Iterator[str]:
    """The findings one by one, then how many there are. What is only worth knowing is told where `verbose`."""
    yield FIRST_LINE
    for finding in report.findings:
        if finding.level == "info" and not verbose and finding.counts:
            continue
        yield f"{_level(finding)} {finding.audit} {_where(finding)}: {finding.evidence}"
        yield f"    {finding.accepted}" if finding.accepted is not None else f"    {finding.remedy}"
    hidden = not verbose and any(one.level == "info" and one.counts for one in report.findings)
    yield from summary(report, hint=" (shown with -v)" if hidden else "")


def summary(report: AuditReport, *, hint: str = "") -> Iterator[str]:
    """How many audits looked, what they found, and how many mutants were noticed.

    `hint` says how to see what is only worth knowing, where that was left out.
    """
    block, warn, info = (len(report.of_level(level)) for level in ("block", "warn", "info"))
    accepted = sum(not one.counts for one in report.findings)
    yield f"{counted(len(report.audits), 'audit')} of {counted(report.scenarios, 'scenario')}"
    yield f"{block} blocking, {counted(warn, 'warning')}, {info} to know{hint}, {accepted} accepted"
    total = report.killed
    if total.total:
        yield f"{total.killed:,} of {total.total:,} mutants noticed"


TITLE = "# Audit of the suite"
"""The first line of every such page."""


def audit_page(report: AuditReport, *, command: str) -> str:
    """The whole report as a Markdown page. `command` says how it was made."""
    return "\n".join(_page(report, command)) + "\n"


def _page(report: AuditReport, command: str) -> Iterator[str]:
    yield TITLE
    yield ""
    yield f"{FIRST_LINE}. This page is made by `{command}`."
    yield ""
    for line in summary(report):
        yield f"- {line}"
    yield ""
    counts = report.counts()
    yield "| audit | defect | blocking | warnings | to know |"
    yield "|---|---|---|---|---|"
    for code in report.audits:
        numbers = " | ".join(str(counts[code, level]) for level in ("block", "warn", "info"))
        yield f"| {code} | {AUDITS[code].defect} | {numbers} |"
    told = [finding for finding in report.findings if finding.level != "info" or not finding.counts]
    if told:
        yield ""
        yield "| level | audit | where | what shows it | what to do |"
        yield "|---|---|---|---|---|"
    for finding in told:
        cells = (
            _level(finding),
            finding.audit,
            _where(finding),
            finding.evidence,
            finding.accepted or finding.remedy,
        )
        yield f"| {' | '.join(cell.translate(_ESCAPED) for cell in cells)} |"
    short = [(id, one) for id, one in report.mutants.items() if one.killed < one.total]
    if short:
        yield ""
        yield "| scenario | mutants noticed |"
        yield "|---|---|"
    for id, one in short:
        yield f"| {id} | {one} |"


def _level(finding: Finding) -> str:
    return finding.level if finding.accepted is None else "accepted"


def _where(finding: Finding) -> str:
    place = f"{finding.file}:{finding.line}" if finding.file else "the suite"
    return " ".join(part for part in (place, finding.scenario, finding.path) if part)
