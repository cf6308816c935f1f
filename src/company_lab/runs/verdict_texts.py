"""A verdict as a column holds it: nothing where an episode passed and there is no more to say, else its document."""

from __future__ import annotations

from company_lab.evaluation import Verdict
from company_lab.evaluation.verdicts import PASSED
from company_lab.formats.canonical import canonical, parse_own


def verdict_text(verdict: Verdict) -> str | None:
    """What is stored of a verdict."""
    return None if verdict is PASSED or verdict == PASSED else canonical(verdict.to_json())


def verdict_in(text: str | None) -> Verdict:
    """The verdict that was stored.

    Raises `NotJson`, `WrongUse`, `KeyError` or `TypeError` where the text is damaged.
    """
    return PASSED if text is None else Verdict.from_json(parse_own(text))
