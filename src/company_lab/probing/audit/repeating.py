"""D4 to D6: the same thing again must come out the same, alone and beside others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from company_lab.agents.conducts import reference
from company_lab.formats.canonical import canonical
from company_lab.formats.randomness import stream
from company_lab.probing.audit.finding import Finding, Found
from company_lab.probing.audit.subject import Subject
from company_lab.probing.played import Played

TRIALS = 20
"""So many clean ones say, at 95 %, that fewer than 14 % of episodes are flaky."""


def irreproducible(subject: Subject) -> Iterator[Found]:
    """The reference with the same seed again: the same bytes."""
    again = _play(subject)
    if again.trace.text() != subject.reference.trace.text():
        yield subject.finding(
            "D4",
            "block",
            f"the same seed gave two traces that differ {_where(subject.reference, again)}",
            "let the world draw on its clock and its random streams only",
            path="world",
        )


def flaky_reference(subject: Subject) -> Iterator[Found]:
    """The reference under other seeds and trial numbers: it passes every time."""
    if not subject.reference.passed:
        return
    for trial in range(2, TRIALS + 1):
        played = _play(subject, trial=trial, seed=trial)
        if not played.passed:
            yield subject.finding(
                "D5",
                "block",
                f"the reference passes with seed 0 and comes out as {played.verdict.outcome} with seed {trial}",
                "let the expectation hold for whatever the world may draw",
                path="reference",
            )
            return


def _play(subject: Subject, *, trial: int = 1, seed: int = 0) -> Played:
    agent = reference(subject.scenario) if subject.asks_agent else None
    return subject.play(agent, trial=trial, seed=seed)


def _where(one: Played, other: Played) -> str:
    for mine, theirs in zip(one.trace.records, other.trace.records, strict=False):
        if canonical(mine) != canonical(theirs):
            return f"first in record {mine['seq']} ({mine['kind']})"
    return "in length"


def leaking_trials(subjects: Sequence[Subject]) -> Iterator[Found]:
    """References forward, backward and shuffled, one after another: every one starts and goes as when it was first."""
    shuffled = list(subjects)
    stream(0, "audit", 1, "order of trials").shuffle(shuffled)
    first: dict[str, tuple[str, str]] = {}
    told: set[str] = set()
    before: Subject | None = None
    for order in (subjects, list(reversed(subjects)), shuffled):
        for subject in order:
            played = _play(subject)
            id, course = subject.scenario.id, played.trace.digest
            start = str(played.trace.header["digests"]["initial"])
            known = first.setdefault(id, (start, course))
            if known != (start, course) and id not in told:
                told.add(id)
                what = "starts from another state" if known[0] != start else "goes another way"
                yield Finding(
                    audit="D6",
                    level="block",
                    scenario=id,
                    path="world",
                    evidence=f"the reference {what} after {before.scenario.id if before else 'nothing'} was played",
                    remedy="keep no state outside the records: module variables and caches live on between trials",
                )
            before = subject
