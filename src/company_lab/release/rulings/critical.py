"""Critical failures: each class on its own, over every attempt of the candidate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from company_lab.evaluation.codes import FailureClass
from company_lab.evaluation.statistics import BadCounts, Figure, runs_needed
from company_lab.evaluation.statistics.figure import percent
from company_lab.release.decision import Ruling
from company_lab.release.policy import CLASSES
from company_lab.release.rulings.case import Case


def critical(case: Case) -> Iterator[Ruling]:
    """One ruling for each class: the number allowed, then the bound."""
    for name in CLASSES:
        yield _class(case, name)


def bound_of(case: Case, name: FailureClass) -> Figure:
    """What the rate of episodes with a critical failure of this class is below; cells without a score count."""
    return case.pooled.critical_rate(name, confidence=case.policy.critical.of(name).confidence)


def _class(case: Case, name: FailureClass) -> Ruling:
    rule = case.policy.critical.of(name)
    key = f"critical.{name}"
    seen, figures = case.pooled.critical_episodes.get(name, 0), case.pooled
    episodes = f"{seen} of {figures.n} episodes" + (" of all attempts" if case.attempts.others else "")
    if seen > rule.allowed:
        return Ruling(
            key=key,
            outcome="block",
            said=f"{episodes} have such a failure; allowed: {rule.allowed}",
            needed="another candidate: what has happened is not averaged away",
        )
    if not figures.n:
        return Ruling(
            key=key, outcome="hold", said="no episode is scored", needed="a run with scored episodes"
        )
    bound = replace(bound_of(case, name), name="rate")
    if rule.below is None:
        return Ruling(key=key, outcome="pass", said=f"{episodes}; allowed: {rule.allowed}. {bound}")
    if bound.high is not None and bound.high <= rule.below:
        return Ruling(key=key, outcome="pass", said=f"{bound}; asked for: below {percent(rule.below)}")
    unknown = figures.planned - figures.n
    return Ruling(
        key=key,
        outcome="hold",
        said=f"{bound}; asked for: below {percent(rule.below)}",
        needed=f"{_at_hand(rule.below, rule.confidence, seen + unknown)}; there are {figures.planned:,}",
    )


def _at_hand(below: float, confidence: float, failed: int) -> str:
    try:
        needed = runs_needed(rate=below, confidence=confidence, allowed=failed)
    except BadCounts:
        return f"more episodes than anybody plays, with {failed:,} failed or without a score: fewer of those"
    return f"{needed:,} episodes with at most {failed} failed or without a score"
