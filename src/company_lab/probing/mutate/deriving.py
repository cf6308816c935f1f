"""Deriving: from an operator's proposal to a scenario that was played, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from company_lab.agents.conducts import reference, wrong
from company_lab.formats.canonical import Json, same
from company_lab.formats.errors import CompanyLabError, Problems
from company_lab.formats.randomness import stream
from company_lab.probing.mutate.operator import CanNotDerive, Document, Draft, Operator, Turns
from company_lab.probing.mutate.original import Original, played, played_in
from company_lab.probing.played import Played
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World

MOST_DRAFTS = 12
_ANY = ("not_finished",)
"""Stands for the codes of a conduct until it was played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A scenario made from another one, and played before it is handed over."""

    scenario: Scenario
    operator: str
    origin: str
    mistake: str | None
    """The wrong conduct that stands for taking it for the original; None where the same conduct is right, and in a
    contract scenario, which asks nobody."""
    naive: tuple[str, ...]
    """The codes with which that conduct fails; of a contract scenario, what was expected of the original."""
    dropped: tuple[str, ...]
    """Wrong conducts of the original that are not wrong here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Underivable:
    """Why an operator made nothing of a scenario."""

    operator: str
    origin: str
    applies: bool
    """Whether the operator had to do with the scenario at all."""
    reason: str


def mutate(
    scenario: Scenario, world: World, operators: Iterable[Operator], *, seed: int = 0
) -> Iterator[Mutant | Underivable]:
    """What each operator makes of a scenario, in their order. The same seed makes the same."""
    original = Original(scenario, world)
    for operator in operators:
        yield _derived(original, operator, seed)


def _derived(original: Original, operator: Operator, seed: int) -> Mutant | Underivable:
    scenario = original.scenario

    def underivable(reason: str, *, applies: bool) -> Underivable:
        return Underivable(operator=operator.name, origin=scenario.id, applies=applies, reason=reason)

    if (scenario.origin or "").startswith("mutation: "):
        return underivable("it is a mutation itself", applies=False)
    reason = operator.applies(original)
    if reason is not None:
        return underivable(reason, applies=False)
    if original.reference.verdict.outcome != "passed":
        return underivable("its own reference does not pass", applies=True)
    draw = stream(seed, scenario.id, 0, f"mutate: {operator.name}")
    reason = "there is nothing to start from"
    try:
        for draft in islice(operator.build(original, draw), MOST_DRAFTS):
            try:
                return _rehearsed(original, operator, draft)
            except CanNotDerive as refusal:
                reason = str(refusal)
    except CanNotDerive as refusal:
        reason = str(refusal)
    return underivable(reason, applies=True)


def _rehearsed(original: Original, operator: Operator, draft: Draft) -> Mutant:
    """The mutant of a draft. Raises `CanNotDerive` where it can not be loaded or does not come out as it should."""
    world = original.world
    document = _headed(original.scenario, operator, draft)
    if original.scenario.is_contract:
        return _contract(original, operator, draft, document)
    kept = _conducts(document.get("wrong", ()))
    naive = draft.naive if draft.naive is not None else _written_turns(original.scenario)
    wanted = ([(draft.mistake, naive)] if draft.differs else []) + list(draft.wrong)
    own = {id for id, _ in wanted}
    everything = [*wanted, *((id, turns) for id, (turns, _) in kept.items() if id not in own)]
    scenario = _loaded({**document, "wrong": [_conduct(id, turns, _ANY) for id, turns in everything]}, world)
    fixture = world.prepare(scenario)
    right = played_in(fixture, reference(scenario))
    if right.verdict.outcome != "passed":
        raise CanNotDerive(f"its reference would not pass: {_why(right)}")
    found = {id: played_in(fixture, wrong(scenario, id)).verdict for id, _ in everything}
    for id in own:
        if found[id].outcome != "failed":
            raise CanNotDerive(_unnoticed(id, draft, found[id].outcome))
    conducts, dropped = [], []
    for id, turns in everything:
        declared = kept[id][1] if id in kept and id not in own else ()
        codes = [code for code in found[id].codes if code in declared] or list(found[id].codes)
        if found[id].outcome == "failed":
            conducts.append(_conduct(id, turns, codes))
        else:
            dropped.append(id)
    final = {**document, "wrong": conducts} if conducts else _without(document, "wrong")
    return Mutant(
        scenario=_loaded(final, world),
        operator=operator.name,
        origin=original.scenario.id,
        mistake=draft.mistake if draft.differs else None,
        naive=tuple(found[draft.mistake].codes) if draft.differs else (),
        dropped=tuple(dropped),
    )


def _contract(original: Original, operator: Operator, draft: Draft, document: Document) -> Mutant:
    """A contract scenario is its own reference; here what was expected of the original must no longer come true."""
    world = original.world
    scenario = _loaded(document, world)
    right = played(scenario, world, None)
    if right.verdict.outcome != "passed":
        raise CanNotDerive(f"the request would not come out as expected: {_why(right)}")
    before = {**document, "expected": original.scenario.document["expected"]}
    naive = played(_loaded(before, world), world, None).verdict
    if draft.differs and naive.outcome != "failed":
        raise CanNotDerive("what was expected of the original still comes true")
    return Mutant(
        scenario=scenario,
        operator=operator.name,
        origin=original.scenario.id,
        mistake=None,
        naive=tuple(naive.codes) if draft.differs else (),
        dropped=(),
    )


def _written_turns(scenario: Scenario) -> Turns:
    """The reference of a scenario as it is written."""
    found: Any = scenario.document.get("reference", [])
    return list(found)


def _headed(scenario: Scenario, operator: Operator, draft: Draft) -> Document:
    """The document with what says where it comes from. A mutant is of no suite's coverage, so it is tagged anew."""
    made = draft.document
    tags = [tag for tag in scenario.tags if tag not in _OF_THE_SUITE]
    faulted = ["faulted"] if made.get("faults") else []
    head: Document = {
        "format": 1,
        "id": f"{scenario.id}_{operator.name}",
        "title": f"{scenario.title.rstrip('.')} ({draft.what})",
        "origin": f"mutation: {operator.name} of {scenario.id}",
        "variant": scenario.id,
        "family": scenario.family or scenario.id,
        "tags": ["mutation", *faulted, *tags],
    }
    rest = {key: value for key, value in made.items() if key not in head and key != "twin_of"}
    if same(_matter(made), _matter(dict(scenario.document))):
        raise CanNotDerive("nothing in it changes")
    return {**head, **rest}


_OF_THE_SUITE = frozenset({"instance", "twin", "permissive", "faulted", "unguarded", "mutation"})


def _matter(document: Mapping[str, Json]) -> dict[str, Json]:
    outer = ("id", "title", "origin", "variant", "twin_of", "family", "tags", "split", "wrong")
    return {key: value for key, value in document.items() if key not in outer}


def _conducts(listed: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Turns, tuple[str, ...]]]:
    """The wrong conducts of a document: turns and declared codes by id."""
    return {
        one["id"]: (
            one.get("turns") or [{key: one[key] for key in ("do", "reply") if key in one}],
            tuple(one.get("codes", ())),
        )
        for one in listed
    }


def _conduct(id: str, turns: Turns, codes: Sequence[str]) -> Document:
    head: Document = {"id": id, "codes": list(codes)}
    return {**head, **turns[0]} if len(turns) == 1 and turns[0] else {**head, "turns": turns}


def _loaded(document: Document, world: World) -> Scenario:
    try:
        return load_document(document, worlds=lambda _: world.spec)
    except Problems as problems:
        first = next(iter(problems.problems), None)
        at = f" at {first.path}" if first is not None and first.path else ""
        raise CanNotDerive(f"it can not be loaded{at}: {first.message if first else 'unknown'}") from None
    except CompanyLabError as error:
        raise CanNotDerive(f"it can not be loaded: {error}") from None


def _why(one: Played) -> str:
    verdict = one.verdict
    return f"{verdict.failures[0].code if verdict.failures else verdict.outcome}, {one.why[0]}"


def _unnoticed(id: str, draft: Draft, outcome: str) -> str:
    if id == draft.mistake and outcome == "passed":
        return f"{draft.what}, and the conduct {id} is right all the same"
    return f"{draft.what}, and the conduct {id} comes out as {outcome} where it should fail"


def _without(document: Document, key: str) -> Document:
    return {name: value for name, value in document.items() if name != key}
