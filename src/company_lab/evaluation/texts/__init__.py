"""Judging texts: folding, identifiers, numbers, amounts, dates, claims, questions, disclosure.

Pure functions of text. None of them raises on any text, all of them take linear time, and what can not be
decided is `unclear`. Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.evaluation.texts.amounts import Amount, find_amounts
    from company_lab.evaluation.texts.claims import claims_made, makes_claim
    from company_lab.evaluation.texts.dates import states_date
    from company_lab.evaluation.texts.disclosure import discloses
    from company_lab.evaluation.texts.findings import Decision, Finding, Span
    from company_lab.evaluation.texts.folding import contains_phrase, fold
    from company_lab.evaluation.texts.identifiers import mentions_identifier
    from company_lab.evaluation.texts.phrases import BadPhrase, Phrases, compile_phrases
    from company_lab.evaluation.texts.questions import asks
    from company_lab.evaluation.texts.stated import states_amount, states_literal, states_number

_HOMES = {
    "Amount": "amounts",
    "BadPhrase": "phrases",
    "Decision": "findings",
    "Finding": "findings",
    "Phrases": "phrases",
    "Span": "findings",
    "asks": "questions",
    "claims_made": "claims",
    "compile_phrases": "phrases",
    "contains_phrase": "folding",
    "discloses": "disclosure",
    "find_amounts": "amounts",
    "fold": "folding",
    "makes_claim": "claims",
    "mentions_identifier": "identifiers",
    "states_amount": "stated",
    "states_date": "dates",
    "states_literal": "stated",
    "states_number": "stated",
}

__all__ = [
    "Amount",
    "BadPhrase",
    "Decision",
    "Finding",
    "Phrases",
    "Span",
    "asks",
    "claims_made",
    "compile_phrases",
    "contains_phrase",
    "discloses",
    "find_amounts",
    "fold",
    "makes_claim",
    "mentions_identifier",
    "states_amount",
    "states_date",
    "states_literal",
    "states_number",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
