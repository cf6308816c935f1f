from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.phrases import BadPhrase, compile_phrases
from company_lab.formats.errors import CompanyLabError


def found(text: str, *phrases: str) -> list[str]:
    return [text[span.start : span.end] for span in compile_phrases(phrases).find(text)]


@pytest.mark.parametrize(
    ("phrase", "text", "expected"),
    [
        ("fully settled", "It is Fully\n SETTLED.", ["Fully\n SETTLED"]),
        ("fully settled", "It is **fully** settled.", ["fully** settled"]),
        ("fully settled", "It is fully, settled.", []),
        ("fully settled", "It is fully.\n\nSettled", []),
        ("settled", "unsettled settledness", []),
        (
            "(is|was|has been) settled",
            "It has been settled, it was settled.",
            ["has been settled", "was settled"],
        ),
        ("is [now] settled", "is settled; is now settled; is not settled", ["is settled", "is now settled"]),
        ("[we] promise", "We promise. I promise.", ["We promise", "promise"]),
        ("refund*", "Refund, refunded, prerefund", ["Refund", "refunded"]),
        ("refund ... made", "The refund of 40.00 EUR was made.", ["refund of 40.00 EUR was made"]),
        ("refund ... made", "The refund made.", ["refund made"]),
        ("refund ... made", "The refund that you asked us for on the phone was made.", []),
        ("refund ... made", "No refund. It was made.", []),
        ("refund ... made", "The refund, it was made.", []),
        ("can't pay", "We can\u2019t pay.", ["can\u2019t pay"]),
        ("straße", "In der STRASSE.", ["STRASSE"]),
        ("34.5", "It is 34.5 now.", ["34.5"]),
    ],
)
def test_a_phrase_matches(phrase: str, text: str, expected: list[str]) -> None:
    assert found(text, phrase) == expected


def test_a_match_inside_a_longer_one_is_left_out() -> None:
    assert found("It was fully settled; settled.", "settled", "was fully settled") == [
        "was fully settled",
        "settled",
    ]


@pytest.mark.parametrize(
    "phrase",
    ["", "  ", "refund (", "refund )made", "(a (b|c))", "(a|) b", "[now]", "... made", "refund ...",
     "a ... ... b", "a ... [b] c", "re*fund", "*", "a|b", "a ... b ... c ... d ... e", "refund...made", "?"],
)  # fmt: skip
def test_a_malformed_phrase_is_refused_by_name(phrase: str) -> None:
    with pytest.raises(ValueError, match="phrase") as raised:
        compile_phrases(("fine", phrase))
    assert repr(phrase) in str(raised.value)
    assert isinstance(raised.value, BadPhrase)
    assert isinstance(raised.value, CompanyLabError)


def test_no_phrases_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        compile_phrases(())


def test_phrases_are_compiled_once() -> None:
    assert compile_phrases(("is settled",)) is compile_phrases(("is settled",))


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_phrase_is_found_in_any_surroundings_at_its_place(before: str, after: str) -> None:
    text = f"{before} Größe wurde  erreicht. {after}"
    assert "Größe wurde  erreicht" in [
        piece.strip() for piece in found(text, "grösse wurde erreicht", "größe wurde erreicht")
    ]
