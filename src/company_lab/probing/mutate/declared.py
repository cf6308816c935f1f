"""Operators that come with the departments of a world, which know nothing of the lab."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

from company_lab.formats.canonical import boundary
from company_lab.formats.errors import CompanyLabError
from company_lab.probing.mutate.operator import CanNotDerive, Document, Draft, Operator
from company_lab.probing.mutate.original import Original
from company_lab.worlds.department import Mutation


def declared(name: str, mutation: Mutation, department: str) -> Operator:
    """The operator of what a department declares."""
    return Operator(
        name=name,
        meaning=mutation.meaning,
        applies=partial(_applies, mutation),
        build=partial(_build, name, mutation),
        department=department,
    )


def _applies(mutation: Mutation, original: Original) -> str | None:
    # A stream of its own: what is drawn while asking says nothing about what is made.
    try:
        found = _asked(mutation, original, Random(0))
    except CanNotDerive:
        return None
    return found if isinstance(found, str) else None


def _asked(mutation: Mutation, original: Original, draw: Random) -> dict[str, Any] | str:
    """What the department makes of a scenario. Its code is anybody's, so whatever it raises is its reason."""
    try:
        return mutation.derive(original.copied(), draw)
    except Exception as error:
        raise CanNotDerive(f"the department's own function raised {type(error).__name__}: {error}") from error


def _build(name: str, mutation: Mutation, original: Original, draw: Random) -> Iterator[Draft]:
    found = _asked(mutation, original, draw)
    if isinstance(found, str):
        raise CanNotDerive(found)
    try:
        document: Document = dict(boundary(found))  # type: ignore[arg-type]
    except (CompanyLabError, TypeError, ValueError) as error:
        raise CanNotDerive(f"what the department makes of it is no document: {error}") from None
    before = {one.id for one in original.scenario.wrong}
    conducts = _wrong_in(document)
    added = [one for one in conducts if one["id"] not in before]
    document["wrong"] = [one for one in conducts if one["id"] in before]
    yield Draft(
        document=document,
        what=name.replace("_", " "),
        differs=mutation.differs,
        wrong=tuple((one["id"], one.get("turns") or [one]) for one in added),
    )


def _wrong_in(document: Document) -> list[Document]:
    conducts = document.get("wrong", [])
    if not isinstance(conducts, list) or not all(
        isinstance(one, dict) and isinstance(one.get("id"), str) for one in conducts
    ):
        raise CanNotDerive(
            "`wrong` of what the department makes of it is no list of conducts with an id each"
        )
    return conducts
