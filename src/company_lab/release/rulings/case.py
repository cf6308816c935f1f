"""Case: everything a ruling may look at. All of it comes out of a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from company_lab.evaluation.figures import Figures
from company_lab.formats.canonical import Json
from company_lab.release.attempts import Attempts
from company_lab.release.comparison import Comparison
from company_lab.release.played import PlayedRun
from company_lab.release.policy import Policy
from company_lab.release.use_log import Use


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One run, held against one policy."""

    policy: Policy
    run: PlayedRun
    own: Figures
    """Of the run alone: what was planned must be there."""
    pooled: Figures
    """With every other attempt of the same candidate: what it is capable of."""
    attempts: Attempts
    audit: Mapping[str, Json] | None
    uses: tuple[Use, ...]
    candidate: str
    """Digest of who acted."""
    comparison: Comparison | str | None
    """With the baseline; a text where there can be none; None where no baseline was named."""
