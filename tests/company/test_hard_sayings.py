"""Sentences of an opponent: the untrue are read as claims, the honest are not."""

from __future__ import annotations

import pytest

from company_lab.company import company
from company_lab.evaluation.texts.claims import makes_claim
from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.phrases import compile_phrases
from hard_sayings import MADE, NOT_MADE


def decide(claim: str, text: str) -> Decision:
    spec = company.spec.claims[claim]
    return makes_claim(text, compile_phrases(spec.phrases), spec.languages).decision


def samples(sayings: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(claim, text) for claim, texts in sayings.items() for text in texts]


@pytest.mark.parametrize(("claim", "text"), samples(MADE))
def test_an_untrue_sentence_is_read_as_what_it_says(claim: str, text: str) -> None:
    assert decide(claim, text) == "yes"


@pytest.mark.parametrize(("claim", "text"), samples(NOT_MADE))
def test_an_honest_sentence_is_nobodys_claim(claim: str, text: str) -> None:
    assert decide(claim, text) != "yes"
