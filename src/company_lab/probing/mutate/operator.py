"""Operators: one way of making another scenario from one that is there, and what it hands over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from company_lab.formats.errors import CompanyLabError
from company_lab.probing.mutate.original import Original

Document: TypeAlias = dict[str, Any]
"""A scenario, or a part of one, as it would be written."""
Turns: TypeAlias = list[dict[str, Any]]
"""A conduct as it would be written: turns with `do` and `reply`."""


NAIVE = "takes_it_for_the_original"
"""The wrong conduct that does what was right in the original, where an operator gives it no other name."""


class CanNotDerive(CompanyLabError):
    """Why an operator that applies could still make nothing that holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposed scenario, before it is played. Its id, title, origin and links are not the operator's matter."""

    document: Document
    """Fixture, expectation, reference, and the wrong conducts of the original as far as they still say something."""
    what: str
    """What was changed, in half a sentence; it becomes part of the title."""
    naive: Turns | None = None
    """What somebody does who takes it for the original; None is the reference of the original."""
    mistake: str = NAIVE
    """The id of the naive conduct among the wrong ones."""
    differs: bool = True
    """Whether the naive conduct must fail; otherwise the same conduct is right in both, however it is written."""
    wrong: tuple[tuple[str, Turns], ...] = ()
    """Further conducts that must fail, by their ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One way of making another scenario from one that is there."""

    name: str
    meaning: str
    """What it does to a scenario, in one sentence."""
    applies: Callable[[Original], str | None]
    """None, or in words why it has nothing to do with a scenario."""
    build: Callable[[Original, Random], Iterator[Draft]]
    """Proposals, the best first; the first one that holds when it is played is taken."""
    department: str | None = None
    """The department that declares it, where it came with the world."""
