"""Texts made to break the reading of texts: nothing raises, nothing takes more than linear time."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.amounts import find_amounts
from company_lab.evaluation.texts.claims import claims_made, makes_claim
from company_lab.evaluation.texts.dates import states_date
from company_lab.evaluation.texts.disclosure import discloses
from company_lab.evaluation.texts.folding import contains_phrase, fold
from company_lab.evaluation.texts.identifiers import mentions_identifier
from company_lab.evaluation.texts.phrases import compile_phrases
from company_lab.evaluation.texts.questions import asks
from company_lab.evaluation.texts.stated import states_amount, states_literal, states_number

REFUNDED = compile_phrases(
    ("(is|was|has been) [now] refunded", "refund* ... (made|issued)", "(is|was) settled")
)
WHICH = compile_phrases(("which (invoice|order)", "invoice ... mean"))
LENGTH = 1_000_000


def amount(text: str, *roles: str) -> str:
    return states_amount(text, amount_minor=37_250, currency="USD", locale="en", role_phrases=roles)


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "fold": fold,
    "contains_phrase": lambda text: contains_phrase(text, "can't refund"),
    "mentions_identifier": lambda text: mentions_identifier(text, "I-400"),
    "mentions_number_id": lambda text: mentions_identifier(text, "10"),
    "find_amounts": lambda text: find_amounts(text, "en"),
    "states_amount": amount,
    "states_amount_in_role": lambda text: amount(text, "refund*"),
    "states_literal": lambda text: states_literal(text, "2500 cents"),
    "states_number": lambda text: states_number(text, 372),
    "states_date": lambda text: states_date(text, "2026-03-14", "en"),
    "makes_claim": lambda text: makes_claim(text, REFUNDED),
    "claims_made": lambda text: claims_made(text, REFUNDED),
    "find": REFUNDED.find,
    "asks": lambda text: asks(text, WHICH),
    "discloses_text": lambda text: discloses(text, "tk_live_7Q2"),
    "discloses_number": lambda text: discloses(text, 8_400_000, 2),
}


def noise(seed: int) -> str:
    letters = "abc dei.,;:!?'\"-()[]|*_<>%&#=$€0123456789\n\u00a0\u0301ß"
    return "".join(random.Random(seed).choices(letters, k=LENGTH))


def repeated(piece: str) -> str:
    return piece * (LENGTH // len(piece))


TEXTS = {
    "noise": noise(7),
    "combining marks": "a" + repeated("\u0301\u0316"),
    "one number": repeated("1"),
    "amounts": repeated("$372 and 372.51 EUR, "),
    "denied claims": repeated("You asked which refund of $372 was not refunded, "),
    "unclear claims": repeated("Größe \u201eit\u201c may be settled, "),
    "open brackets and quotes": repeated("(\"'["),
    "dates": repeated("14 and 14/14.14-"),
    "encodings": repeated("%2541&#65;dGtf746b "),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_megabyte_of_hostile_text_is_read_within_two_seconds(text: str) -> None:
    for name, function in FUNCTIONS.items():
        begun = time.process_time()
        function(text)
        assert time.process_time() - begun < 2, name


@given(st.text(st.characters() | st.sampled_from("0123456789.,'$€-()\"\n>?%&;"), max_size=120))
def test_no_text_raises_and_the_same_text_reads_the_same(text: str) -> None:
    for function in FUNCTIONS.values():
        assert function(text) == function(text)


@pytest.mark.parametrize(
    "text",
    [
        "\ud800 refunded \udfff 372.50 USD I-400",
        "\x00\x1b[31m was refunded\x07",
        "\u202ewas refunded\u202c \u2066372.50 USD\u2069",
        "&#99999999999999999999; &#x110000; %ff%fe%",
        "\u0661\u0662\u0663 EUR \u00b2 \u2460",
        "372.50 USD" + "\u0301" * 600,
        "",
        " ",
        "?",
        ">",
        "'",
        '"',
    ],
)
def test_odd_characters_raise_nothing(text: str) -> None:
    for function in FUNCTIONS.values():
        function(text)


@pytest.mark.parametrize(
    "name", ["makes_claim", "states_amount", "asks", "mentions_identifier", "discloses_text"]
)
def test_a_short_text_with_nothing_to_find_costs_microseconds(name: str) -> None:
    text = "We received 5,000.00 EUR; 4,000.00 EUR remain open. Thanks!"
    function = FUNCTIONS[name]
    function(text)
    begun = time.process_time()
    for _ in range(2_000):
        function(text)
    assert (time.process_time() - begun) / 2_000 < 50e-6
