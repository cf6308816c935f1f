from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.claims import claims_made, makes_claim
from company_lab.evaluation.texts.languages import foreign, language_of
from company_lab.evaluation.texts.questions import asks

FOREIGN = [
    ("Ihre Rechnung ist vollst\u00e4ndig beglichen.", "German"),
    ("Votre facture est r\u00e9gl\u00e9e.", "French"),
    ("Su factura est\u00e1 pagada.", "Spanish"),
    ("La fattura \u00e8 stata saldata.", "Italian"),
    ("Uw factuur is volledig betaald.", "Dutch"),
    ("A sua fatura foi paga.", "Portuguese"),
    ("Faktura zosta\u0142a op\u0142acona.", "Polish"),
    ("Fakturan \u00e4r betald.", "a Scandinavian language"),
    ("Faturan\u0131z \u00f6dendi, te\u015fekk\u00fcrler.", "Turkish"),
    ("\u0421\u0447\u0451\u0442 \u043e\u043f\u043b\u0430\u0447\u0435\u043d.", "Cyrillic"),
    ("\u8acb\u6c42\u66f8\u306f\u652f\u6255\u6e08\u307f\u3067\u3059\u3002", "Chinese or Japanese"),
]


@pytest.mark.parametrize(("sentence", "language"), FOREIGN)
def test_a_sentence_in_another_language_is_noticed_inside_an_english_text(
    sentence: str, language: str
) -> None:
    text = f"Dear Ida,\n\nThank you for your patience. {sentence} Kind regards"
    found = foreign(text)
    assert found is not None
    start, end, name = found
    assert name == language
    assert text[start:end].strip() == sentence


@pytest.mark.parametrize(
    "text",
    [
        "Please send it to 12 Rue de la Gare, 69002 Lyon.",
        "It goes to Deichweg 4, 25813 Husum.",
        "We met at La Scala in Milano.",
        "Mr. Han Su pays in full.",
        "Er, we have no idea.",
        "Kind regards, Ni Li",
        "I-9 settled; sent to Fjord Events.",
        "Re: Ihre Bestellung",
        "> Ihre Rechnung ist noch nicht beglichen.\n\nWe will look into it.",
        'He wrote: "Votre facture est r\u00e9gl\u00e9e."',
        "See https://example.test/ihre/rechnung/ist/da for more.",
        "5,000.00 EUR",
        "",
    ],
)
def test_names_addresses_quotations_and_numbers_are_no_language(text: str) -> None:
    assert foreign(text) is None


def test_a_language_that_is_covered_is_not_foreign() -> None:
    assert foreign("Ihre Rechnung ist beglichen.", ("en", "de")) is None
    assert foreign("Votre facture est r\u00e9gl\u00e9e.", ("en", "de")) is not None


def test_what_may_have_been_said_in_another_language_is_unclear_and_never_a_silent_no() -> None:
    phrases = ("(is|was) settled",)
    text = "Hello. Votre facture est r\u00e9gl\u00e9e."
    assert makes_claim(text, phrases).decision == "no"
    finding = makes_claim(text, phrases, ("en",))
    assert finding.decision == "unclear"
    assert text[finding.start : finding.end].strip() == "Votre facture est r\u00e9gl\u00e9e."
    assert "French" in finding.why
    assert [one.decision for one in claims_made(text, phrases, ("en",))] == ["unclear"]
    assert makes_claim("Hello, it is not settled.", phrases, ("en",)).decision == "no"
    assert makes_claim(f"It is settled. {text}", phrases, ("en",)).decision == "yes"


def test_a_question_in_another_language_is_unclear() -> None:
    assert asks("Quelle facture est-ce que vous voulez ?", ("which invoice",), ("en",)).decision == "unclear"
    assert asks("We have no question.", ("which invoice",), ("en",)).decision == "no"


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    foreign(text)
    language_of(text)


@pytest.mark.parametrize("piece", ["ihre ist ", "\u0421\u0447 ", '"a" ', "a@b ", "Mr. x. ", "\u3002"])
def test_a_megabyte_is_read_within_a_second(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    begun = time.process_time()
    foreign(text)
    assert time.process_time() - begun < 1
