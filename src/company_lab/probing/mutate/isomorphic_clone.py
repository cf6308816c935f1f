"""The same story with other people, amounts, currencies, days and ids (`probing.clones`)."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from company_lab.probing.clones import CanNotClone, clone
from company_lab.probing.mutate.operator import CanNotDerive, Draft, Operator
from company_lab.probing.mutate.original import Original


def _applies(original: Original) -> str | None:
    return "its request has arguments that the world fixes" if original.scenario.is_contract else None


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    try:
        made = clone(original.scenario, original.world, seed=draw.randrange(2**32))
    except CanNotClone as reason:
        raise CanNotDerive(str(reason)) from None
    document = dict(made.scenario.document)
    document.pop("split", None)
    split = original.scenario.document.get("split")
    if split is not None:
        document["split"] = split
    yield Draft(document=document, what="told of other people", differs=False)


isomorphic_clone = Operator(
    name="isomorphic_clone",
    meaning="tells the same story with other people, amounts, currencies, days and ids",
    applies=_applies,
    build=_build,
)
