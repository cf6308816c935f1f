"""D1, E2 and F1: scenarios that are the same, nearly the same, or known from elsewhere."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from company_lab.formats.canonical import Json, canonical
from company_lab.formats.errors import WrongUse
from company_lab.probing.audit.finding import Finding, Found, Level
from company_lab.probing.audit.subject import Subject
from company_lab.probing.audit.wording import wording
from company_lab.probing.held_out import commitment_file, differences
from company_lab.runs.casting import HELD_OUT
from company_lab.scenarios.model import Scenario

NEAR = 0.9
"""Share of words in common from which on two stories are nearly the same."""
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_LABELS = frozenset(
    (
        "id",
        "title",
        "tags",
        "family",
        "origin",
        "variant",
        "twin_of",
        "split",
        "failure_class",
        "wrong",
        "reference",
    )
)


@dataclass(frozen=True, slots=True)
class Story:
    """What makes two scenarios alike: the words of what is asked and of what there is."""

    scenario: Scenario
    words: frozenset[str]
    content: str
    """Everything but the labels."""


def story_of(scenario: Scenario) -> Story:
    """The story a scenario tells."""
    document = {key: value for key, value in scenario.document.items() if key not in _LABELS}
    told: dict[str, Json] = {
        key: document[key] for key in ("initial", "events", "stimulus") if key in document
    }
    return Story(
        scenario,
        frozenset(word.lower() for word in _TOKEN.findall(wording(told))),
        canonical(document),
    )


def duplicates(subjects: Sequence[Subject]) -> Iterator[Found]:
    """The same start and the same expectation twice, or nearly the same without saying so."""
    stories = [story_of(subject.scenario) for subject in subjects]
    same: dict[str, list[Story]] = defaultdict(list)
    for story in stories:
        same[story.content].append(story)
    for alike in same.values():
        for story in alike[1:]:
            yield _finding(
                "D1",
                "block",
                story.scenario,
                f"it is {alike[0].scenario.id} under another id",
                "take one of the two out: it counts twice in every figure",
            )
    for one, other, share in _near(stories):
        if one.content != other.content and not _related(one.scenario, other.scenario):
            wanted = [canonical(story.scenario.document.get("expected")) for story in (one, other)]
            if wanted[0] == wanted[1]:
                yield _finding(
                    "D1",
                    "warn",
                    other.scenario,
                    f"{share:.0%} of its words are those of {one.scenario.id}, and the same is expected",
                    "link the two by `family`, `variant` or `twin_of`, or take one out",
                )


def hidden_families(subjects: Sequence[Subject]) -> Iterator[Found]:
    """Scenarios made from one template that no family keeps together."""
    stories = [story_of(subject.scenario) for subject in subjects]
    told: set[str] = set()
    for one, other, share in _near(stories):
        named = one.scenario.family is not None and other.scenario.family is not None
        if named or other.scenario.id in told or _related(one.scenario, other.scenario):
            continue
        if canonical(one.scenario.document.get("expected")) == canonical(
            other.scenario.document.get("expected")
        ):
            continue  # told as duplicates
        told.add(other.scenario.id)
        yield _finding(
            "E2",
            "warn",
            other.scenario,
            f"{share:.0%} of its words are those of {one.scenario.id}, and no family says that the two belong together",
            "give both the same `family`, so that figures do not count them as independent",
        )


def contaminated(subjects: Sequence[Subject]) -> Iterator[Found]:
    """Held-out scenarios that stand among those for development too, and sets that are not what was committed."""
    held = [subject.scenario for subject in subjects if subject.scenario.split == HELD_OUT]
    stories = [story_of(subject.scenario) for subject in subjects]
    for one, other, share in _near(stories):
        apart = {one.scenario.split, other.scenario.split}
        if len(apart) == 2:
            hidden, open_ = (one, other) if one.scenario.split == HELD_OUT else (other, one)
            yield _finding(
                "F1",
                "block",
                hidden.scenario,
                f"{share:.0%} of its words are those of {open_.scenario.id}, which is for development",
                "replace it by one that nobody has developed against",
            )
    folders: dict[Path, list[Scenario]] = defaultdict(list)
    for scenario in held:
        if scenario.source.file:
            folders[Path(scenario.source.file).parent].append(scenario)
    for folder, scenarios in folders.items():
        yield from _uncommitted(folder, scenarios)


def _uncommitted(folder: Path, scenarios: list[Scenario]) -> Iterator[Finding]:
    file = commitment_file(folder)
    if not file.exists():
        yield _finding(
            "F1",
            "warn",
            scenarios[0],
            f"there is no commitment beside {folder}, so nobody can tell whether the held-out set has changed",
            "make held-out sets with `company-lab clone`, which writes one",
        )
        return
    try:
        for difference in differences(scenarios, file):
            yield _finding(
                "F1",
                "block",
                scenarios[0],
                f"the held-out set is not the one that was committed: {difference}",
                "use the committed set, or commit to the new one before anything is developed",
            )
    except WrongUse as error:
        yield _finding("F1", "block", scenarios[0], str(error), "restore the commitment")


def _finding(audit: str, level: Level, scenario: Scenario, evidence: str, remedy: str) -> Finding:
    return Finding(
        audit=audit, level=level, scenario=scenario.id, path="id", evidence=evidence, remedy=remedy
    )


def _near(stories: Sequence[Story]) -> Iterator[tuple[Story, Story, float]]:
    """Every pair whose words are nearly the same, in order.

    Of two such stories each holds one of the other's rarest words: of as many as may be missing in the other, and one
    more (prefix filtering: Bayardo, Ma, Srikant 2007). Only those that share such a word are compared.
    """
    frequency = Counter(word for story in stories for word in story.words)
    behind: Mapping[str, list[int]] = defaultdict(list)
    for place, story in enumerate(stories):
        rarest = sorted(story.words, key=lambda word: (frequency[word], word))
        candidates: set[int] = set()
        for word in rarest[: int(len(rarest) * (1 - NEAR)) + 2]:
            candidates.update(behind[word])
            behind[word].append(place)
        for earlier in sorted(candidates):
            other = stories[earlier]
            share = len(story.words & other.words) / max(1, len(story.words | other.words))
            if share >= NEAR:
                yield other, story, share


def _related(one: Scenario, other: Scenario) -> bool:
    if one.family is not None and one.family == other.family:
        return True
    links = {one.twin_of, one.variant, one.origin}, {other.twin_of, other.variant, other.origin}
    return other.id in links[0] or one.id in links[1] or bool((links[0] & links[1]) - {None})
