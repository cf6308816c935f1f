"""Judging texts: folding, identifiers, numbers, amounts, dates, claims, questions, disclosure.

Pure functions of text. None of them raises on any text, all of them take linear time, and what can not be
decided is `unclear`.
"""

from __future__ import annotations

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
