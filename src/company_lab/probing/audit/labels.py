"""C3: names an agent sees that give away what is right."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from company_lab.probing.audit.finding import Finding, Found
from company_lab.probing.audit.subject import Subject

TELLING = frozenset(
    (
        *(
            "answer",
            "attack",
            "bait",
            "bogus",
            "correct",
            "decoy",
            "distractor",
            "duplicate",
            "expected",
            "fake",
        ),
        *("fraud", "fraudulent", "hostile", "injection", "innocent", "legit", "legitimate", "malicious"),
        *("phishing", "scam", "target", "trap", "wrong"),
    )
)
"""Words in an id that say what is to be thought of the record."""
_WORD = re.compile(r"[A-Za-z]{3,}")
_PREFIX = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*")
_ENOUGH = 8
"""Scenarios in which a prefix must stand before it says anything."""
_CHANCE = 0.001


def leaking_labels(subjects: Sequence[Subject]) -> Iterator[Found]:
    """Ids that speak, and prefixes of ids by which one can tell whether anything is to be done."""
    asked = [subject for subject in subjects if subject.asks_agent]
    prefixes: Mapping[str, list[Subject]] = defaultdict(list)
    for subject in asked:
        for id in _ids(subject):
            speaking = next((word for word in _WORD.findall(id) if word.lower() in TELLING), None)
            if speaking is not None:
                yield Finding(
                    audit="C3",
                    level="warn",
                    scenario=subject.scenario.id,
                    path="initial",
                    evidence=f"the id {id} says {speaking!r} to whoever reads it",
                    remedy="give records ids that say nothing",
                )
                break
        for prefix in sorted({match[0] for id in _ids(subject) if (match := _PREFIX.match(id))}):
            prefixes[prefix].append(subject)
    acting = {subject.scenario.id: _acts(subject) for subject in asked}
    share = sum(acting.values()) / max(1, len(acting))
    for prefix, having in sorted(prefixes.items()):
        outcomes = [acting[subject.scenario.id] for subject in having]
        families = {subject.scenario.family or subject.scenario.id for subject in having}
        if len(families) < _ENOUGH or len(set(outcomes)) != 1:
            continue
        chance = share if outcomes[0] else 1 - share
        if chance ** len(families) < _CHANCE:
            yield Finding(
                audit="C3",
                level="warn",
                scenario=None,
                path="initial",
                evidence=f"in all {len(having)} scenarios with ids like {prefix}-1 something "
                f"{'is' if outcomes[0] else 'is not'} to be changed; elsewhere that is so in {share:.0%}",
                remedy="use the same kinds of ids in scenarios of either outcome",
            )


def _ids(subject: Subject) -> list[str]:
    if subject.scenario.crowd is not None:
        return []
    tables = subject.fixture.tenants[subject.scenario.role.tenant]
    return [
        *(id for table in tables.values() for id in table),
        *(event.id for event in subject.scenario.events),
    ]


def _acts(subject: Subject) -> bool:
    """Whether the right conduct changes anything."""
    return any(result.get("changes") for result in subject.reference.results().values())
