from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.folding import contains_phrase, fold, fold_characters, origins


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("can't refund", "can\u2019t refund"),
        ("Café Müller", "Cafe\u0301 Mu\u0308ller"),
        ("2 500 EUR", "2\u00a0500 EUR"),
        ("2 500 EUR", "2\u202f500\u2009EUR"),
        ("STRASSE 5", "Straße 5"),
        ("INV-2041", "INV\u20112041"),
        ('a "quoted" word', "a \u00abquoted\u00bb word"),
        ("a - b", "a \u2013 b"),
        ("settled", "set\u200btl\u00aded"),
        ("two words", "  two \n\t words "),
    ],
)
@pytest.mark.fault("A12")
def test_spellings_that_fold_to_the_same(written: str, other: str) -> None:
    assert fold(written) == fold(other)


@pytest.mark.parametrize(
    ("written", "other"),
    [("resume", "résumé"), ("C-1", "\u0421-1"), ("10", "\uff11\uff10"), ("refund", "refunds"), ("a.b", "ab")],
)
def test_spellings_that_stay_different(written: str, other: str) -> None:
    assert fold(written) != fold(other)


@given(st.text("aeiouäöüéèßñ ÅØ'-", max_size=40))
def test_composed_and_decomposed_letters_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("We can\u2019t refund this.", "can't refund", True),
        ("We can't refund this.", "can", False),
        ("Müllers Straße 5", "STRASSE 5", True),
        ("costs 10 coins", "10", True),
        ("costs 10.50 coins", "10", False),
        ("costs 100 coins", "10", False),
        ("costs 1,10 coins", "10", False),
        ("It was _settled_.", "settled", True),
        ("order_settled", "settled", False),
        ("unsettled", "settled", False),
        ("The customer's order", "customer", True),
        ("anything", "", False),
        ("anything", " \u200b ", False),
        ("for €10", "€10", True),
    ],
)
def test_a_phrase_is_found_as_whole_words(text: str, phrase: str, found: bool) -> None:
    assert contains_phrase(text, phrase) is found


@given(st.text(max_size=30), st.text(max_size=30))
def test_a_place_in_folded_text_is_found_again_in_the_original(before: str, after: str) -> None:
    text = f"{before} Größe {after}"
    start = fold_characters(f"{before} ").__len__()
    first, last = origins(text, [start, start + len("grösse")])
    assert text[first:last].strip() == "Größe"
