"""ComparisonPanel: what a comparison of two runs says, in the shape in which a page shows it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One measure of both runs, in words. The texts may come from anywhere; the page makes them harmless."""

    measure: str
    before: str
    after: str
    difference: str
    """With its interval where it has one."""
    reading: str
    """Such as `better`, `worse`, `no difference shown`, `undecided`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPanel:
    """Two runs beside each other. Who compares decides every word; the page only sets it."""

    before: str
    after: str
    outcome: str
    statement: str
    """One sentence: what follows, with the margin it is measured against."""
    rows: tuple[ComparisonRow, ...] = ()
    notes: tuple[str, ...] = ()
    """What was left out, new critical failures, changed stop reasons, what is not established."""
