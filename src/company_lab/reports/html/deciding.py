"""GatePanel: what the gate decided on a run, in the shape in which a page shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """What one key of the policy comes to, in words."""

    sign: str
    outcome: str
    key: str
    said: str
    needed: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePanel:
    """A release decision. The gate decides every word; the page only sets it."""

    outcome: str
    """With its sign, such as `✗ BLOCK`."""
    tone: Literal["good", "bad", "warn"]
    about: str
    """For what, by which policy, against which baseline."""
    rows: tuple[GateRow, ...]
    critical: tuple[str, ...] = ()
    """Critical failures of every attempt, the first of them."""
    attempts: tuple[str, ...] = ()
    curve: tuple[tuple[str, str], ...] = ()
    """(true rate of critical failures, chance to pass)."""
    not_established: tuple[str, ...] = ()
