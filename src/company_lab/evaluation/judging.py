"""Judging: a scenario, a world's spec and a stored trace give a verdict, the same one every time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from company_lab.evaluation.case import Case
from company_lab.evaluation.codes import ORDER, STANDING
from company_lab.evaluation.compiling import Branch, Examination, examination_of
from company_lab.evaluation.findings import Findings
from company_lab.evaluation.index import Index
from company_lab.evaluation.precedence import outcome
from company_lab.evaluation.verdicts import PASSED, Failure, Note, Verdict
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec

_CUT = {"infrastructure_error": "an outage ended the episode", "cancelled": "the episode was cancelled"}
"""Stop reasons that are not the agent's."""


class Recorded(Protocol):
    """Anything that holds the records of a trace."""

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The records, in order of `seq`."""
        ...


def judge(
    scenario: Scenario, spec: WorldSpec, trace: Recorded, timings: Mapping[str, Any] | None = None
) -> Verdict:
    """Judge one episode. A pure function of what is stored: it changes nothing and asks nothing else.

    `timings` is the sidecar of wall times (`wall_ms`); without it a bound on latency is unscored. Every
    declared expectation gates. The outcome is `failed` where any is broken, else `unscored` where any can not
    be decided, else `invalid` where a scheduled fault took no effect, else `passed`. An episode that an
    outage, a cancellation or a cut trace ended is judged for what it did, else unscored; it never passes.
    """
    return _verdict(examination_of(scenario, spec), Index(trace.records), timings, explaining=False)


def explain(
    scenario: Scenario, spec: WorldSpec, trace: Recorded, timings: Mapping[str, Any] | None = None
) -> Verdict:
    """The verdict of `judge`, with `held` saying for each expectation that holds why it does."""
    return _verdict(examination_of(scenario, spec), Index(trace.records), timings, explaining=True)


def _verdict(
    examination: Examination, index: Index, timings: Mapping[str, Any] | None, *, explaining: bool
) -> Verdict:
    common = Findings(explaining)
    case = Case(index, common, timings)
    for check in examination.common:
        check(case)
    cut = _cut_short(index)
    branch, taken = _closest(examination.branches, index, timings, explaining, cut=cut is not None)

    failures = [*common.failures, *taken.failures]
    unscored = [*common.unscored, *taken.unscored]
    beside: list[Failure] = []
    if examination.deciding is not None:
        deciding = examination.deciding
        beside = [failure for failure in failures if failure.check not in deciding]
        failures = [failure for failure in failures if failure.check in deciding]
        unscored = [note for note in unscored if note.check in deciding]
    if cut is not None:
        failures = [failure for failure in failures if failure.code in STANDING]
        unscored.insert(0, cut)
    if not failures and not unscored and not beside and _nothing_else(common, taken, branch, explaining):
        return PASSED
    if len(failures) > 1:
        failures.sort(key=_order)
    return Verdict(
        outcome=outcome(failures=failures, unscored=unscored, invalid=common.invalid),
        failures=tuple(failures),
        unscored=tuple(unscored),
        invalid=tuple(common.invalid),
        held=(*common.held, *taken.held) if explaining else (),
        advisories=(*common.advisories, *taken.advisories, *beside),
        alternative=branch.alternative,
    )


def _nothing_else(common: Findings, taken: Findings, branch: Branch, explaining: bool) -> bool:
    return not (
        explaining
        or common.invalid
        or common.advisories
        or taken.advisories
        or branch.alternative is not None
    )


def _closest(
    branches: Sequence[Branch],
    index: Index,
    timings: Mapping[str, Any] | None,
    explaining: bool,
    *,
    cut: bool,
) -> tuple[Branch, Findings]:
    """The first way to be right that holds, else one not decidable, else the one with the fewest failures.

    Of an episode that was cut short, first the one under which the least that was done stands as a failure: whoever
    had begun an alternative did nothing wrong by not being on the main way.
    """
    best: tuple[tuple[int, int, int], Branch, Findings] | None = None
    for branch in branches:
        findings = Findings(explaining)
        case = Case(index, findings, timings)
        for check in branch.checks:
            check(case)
        standing = sum(failure.code in STANDING for failure in findings.failures) if cut else 0
        rank = (standing, len(findings.failures), len(findings.unscored))
        if best is None or rank < best[0]:
            best = (rank, branch, findings)
        if not findings.failures and not findings.unscored:
            break
    assert best is not None
    return best[1], best[2]


def _cut_short(index: Index) -> Note | None:
    """Why an episode says nothing about what was left undone; None where it ran to an end of its own."""
    stopped = index.stopped
    if stopped is None:
        return Note(check="episode", message="the trace ends before the agent stopped", evidence=(index.end,))
    words = _CUT.get(stopped.get("reason", ""))
    if words is not None:
        detail = f": {stopped['detail']}" if stopped.get("detail") else ""
        return Note(check="episode", message=f"{words}{detail}", evidence=(int(stopped.get("seq", -1)),))
    if index.settled is None:
        return Note(
            check="episode", message="the trace ends before the state was settled", evidence=(index.end,)
        )
    return None


def _order(failure: Failure) -> tuple[int, str, tuple[int, ...]]:
    return ORDER[failure.code], failure.check, failure.evidence
