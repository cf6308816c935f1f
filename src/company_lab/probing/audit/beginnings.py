"""B6: goals that are reached before the agent begins."""

from __future__ import annotations

from collections.abc import Iterator

from company_lab.probing.audit.declared import is_free_change
from company_lab.probing.audit.finding import Found
from company_lab.probing.audit.scripted import SCRIPTED
from company_lab.probing.audit.subject import Subject

_OF_WORDS = frozenset({"missing_reply", "not_finished"})
"""Codes that a silent agent earns by its silence alone."""


def goal_already_true(subject: Subject) -> Iterator[Found]:
    """Where the reference has to write something, a world in which nobody did anything must not be the goal already."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    changes = [
        change for result in subject.reference.results().values() for change in result.get("changes") or ()
    ]
    works = any(not is_free_change(subject, change) for change in changes)
    if not works:
        return
    still = subject.play(SCRIPTED["idle"])
    reads = {
        f"expected.actions[{position}]"
        for position, entry in enumerate(subject.scenario.expected.actions)
        if entry.tool in subject.spec.tools and not subject.spec.tools[entry.tool].writes
    }
    if all(failure.code in _OF_WORDS or failure.check in reads for failure in still.verdict.failures):
        yield subject.finding(
            "B6",
            "block",
            "but for looks and words, all is as it must be before anybody does anything, though the reference works",
            "begin from a state in which the work is still to be done",
            path="initial",
        )
