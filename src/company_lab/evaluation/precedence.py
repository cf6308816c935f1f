"""Precedence: which of four outcomes an episode has."""

from __future__ import annotations

from collections.abc import Sized
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.evaluation.verdicts import Outcome


def outcome(*, failures: Sized, unscored: Sized, invalid: Sized) -> Outcome:
    """Any failure: failed; else anything undecidable: unscored; else a void episode: invalid; else passed."""
    if failures:
        return "failed"
    if unscored:
        return "unscored"
    return "invalid" if invalid else "passed"
