"""What a failed trial says: what broke, and the part of the timeline in which it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from company_lab.evaluation import Verdict
from company_lab.formats.hostile import one_line
from company_lab.reports.console import to_text
from company_lab.reports.timeline import render
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.record import Trace

WIDTH = 100
AROUND = 4
"""Lines of the timeline that are shown before what broke, and after."""
MOST_LINES = 80
LONGEST_LINE = 300
_MARKS = ("✗ BROKEN", "What could not be decided", "Why the episode does not count")


def failure_text(scenario: Scenario, spec: WorldSpec, trace: Trace, verdict: Verdict) -> str:
    """What broke in one line, then the head of the timeline and everything that broke, with what stood around it.

    Text of agents and customers is harmless in it: control characters are spelled out.
    """
    lines = to_text(render(scenario, spec, trace, verdict), width=WIDTH).rstrip().split("\n")
    shown = [_in_short(verdict), "", *_excerpt(lines)][:MOST_LINES]
    return "\n".join(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + "…" for line in shown)


def _in_short(verdict: Verdict) -> str:
    if verdict.failures:
        worst = next((one for one in verdict.failures if one.failure_class), verdict.failures[0])
        more = f" (and {len(verdict.failures) - 1} more)" if len(verdict.failures) > 1 else ""
        return f"{worst.code}: {one_line(worst.message)}{more}"
    note = next(iter((*verdict.unscored, *verdict.invalid)), None)
    why = "an old answer of a model is no trial of it" if note is None else f"{note.check}: {note.message}"
    return f"no score, {verdict.outcome}: {one_line(why)}"


def _excerpt(lines: Sequence[str]) -> Iterator[str]:
    head = next((number for number, line in enumerate(lines) if line.startswith("─")), 0)
    wanted = set(range(head))
    for number, line in enumerate(lines):
        if any(mark in line for mark in _MARKS):
            wanted.update(range(max(0, number - AROUND), number + AROUND + 3))
    if len(wanted) == head:  # nothing is marked: the end says most
        wanted.update(range(max(head, len(lines) - 12), len(lines)))
    last = -1
    for number in sorted(number for number in wanted if number < len(lines)):
        if number > last + 1:
            left_out = number - last - 1
            yield f"  … {left_out} line{'' if left_out == 1 else 's'} …"
        yield lines[number]
        last = number
    if last + 1 < len(lines):
        more = len(lines) - last - 1
        yield f"  … {more} more line{'' if more == 1 else 's'} …"
