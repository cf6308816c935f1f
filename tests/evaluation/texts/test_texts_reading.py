from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.claims import makes_claim
from company_lab.evaluation.texts.identifiers import mentions_identifier
from company_lab.evaluation.texts.lookalikes import LATIN
from company_lab.evaluation.texts.reading import read

REFUNDED = ("(is|was|has been) [now] refunded",)
DISGUISED = [
    "was **re**funded",
    "was re`fund`ed",
    "was ~~re~~funded",
    "was ref<b>und</b>ed",
    "was re<!-- -->funded",
    "was re&shy;funded",
    "was re&#8203;funded",
    "was re\u200bfunded",
    "was re\u2060fun\U000e0064ded",
    "was r\u0435fund\u0435d",
    "w\u03b1s refunded",
    "was \uff52\uff45\uff46\uff55\uff4e\uff44\uff45\uff44",
    "was \u0280\u1d07\ua730\u1d1c\u0274\u1d05\u1d07\u1d05",
    "W\u0410S R\u0415FUND\u0415D",
]


@pytest.mark.parametrize("words", DISGUISED)
def test_what_looks_like_the_statement_is_the_statement(words: str) -> None:
    text = f"Gr\u00fc\u00dfe! Your order {words}, thank you."
    finding = makes_claim(text, REFUNDED)
    assert finding.decision == "yes"
    assert text[finding.start : finding.end] == words
    negated = words.replace(words[:3], f"{words[:3]} not", 1)
    assert makes_claim(f"Your order {negated}.", REFUNDED).decision == "no"


@pytest.mark.parametrize(
    "text",
    [
        "order_was_refunded",
        "It was 2*3 refunded",
        "was unrefunded",
        "was re funded",
        "It is order _ refund_ed",
    ],
)
def test_other_words_stay_other_words(text: str) -> None:
    assert makes_claim(text, ("was unfunded", "order refunded")).decision == "no"


def test_emphasis_around_whole_words_stays_and_is_passed_over() -> None:
    assert read("It **was** *refunded*").folded == "it **was** *refunded*"
    assert makes_claim("It **was** *refunded*.", REFUNDED).decision == "yes"


def test_every_look_alike_stands_for_one_letter_that_is_not_itself() -> None:
    for code, latin in LATIN.items():
        assert len(latin) == 1
        assert "LATIN" in unicodedata.name(latin)
        assert chr(code) != latin


def test_ids_are_compared_as_they_are_written() -> None:
    assert not mentions_identifier("\u0421-1 is settled", "C-1")


@given(st.text(st.characters() | st.sampled_from("*~<b>&shy;\u200b\u0435 re"), max_size=60))
def test_places_lie_in_the_text_and_ascend(text: str) -> None:
    reading = read(text)
    places = list(reading.places(range(len(reading.folded) + 1)).values())
    assert places == sorted(places)
    assert all(0 <= place <= len(text) for place in places)
