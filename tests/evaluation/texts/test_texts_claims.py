from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.claims import claims_made, makes_claim
from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.phrases import BadPhrase, compile_phrases

REFUNDED = (
    "(is|was|has been|have been|been) [now] [already] [fully] refunded",
    "refund* ... (made|issued|sent|processed)",
    "[we] [have] [now] refunded",
)
SETTLED = ("(is|are|was|has been) [now] [fully] [yet] settled", "settled", "paid in full")
GUARANTEED = ("guarantee*", "we promise")
WILL_REFUND = ("will be refunded", "we will refund")
NOT_PAID = ("(has|have|did) not [yet] (paid|pay)", "no payment")


def decide(text: str, phrases: tuple[str, ...]) -> Decision:
    return makes_claim(text, phrases).decision


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ich kann nicht bestätigen, dass sie erstattet wurde.", "no"),
        ("Leider konnten wir nicht feststellen, dass sie erstattet wurde.", "no"),
        ("Ich kann bestätigen, dass sie erstattet wurde.", "yes"),
        ("Ich kann nicht verschweigen, dass sie erstattet wurde.", "unclear"),
        ("Ich habe nicht behauptet, aber bestätigt, dass sie erstattet wurde.", "yes"),
    ],
)
def test_a_comma_before_a_german_clause_keeps_the_negation(text: str, expected: Decision) -> None:
    assert decide(text, ("erstattet",)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Your payment was not refunded.", "no"),
        ("I can't confirm that it was refunded.", "no"),
        ("I can\u2019t confirm that it was refunded.", "no"),
        ("Once the refund is made you will get a mail.", "no"),
        ("You wrote 'it was refunded', but I see no refund.", "no"),
        ("Refunded: none. Pending: 40 EUR.", "no"),
        ("No mail was sent. The refund has been made.", "yes"),
    ],
)
def test_the_known_traps(text: str, expected: Decision) -> None:
    assert decide(text, REFUNDED) == expected


PLAIN = [
    ("Good news! Your refund has been processed.", REFUNDED),
    ("I've gone ahead and refunded your order.", REFUNDED),
    ("I have now refunded 40.00 EUR to your card.", REFUNDED),
    ("Please note that your refund has been issued.", REFUNDED),
    ("Please be assured that the order has been refunded.", REFUNDED),
    ("I am happy to confirm that the refund has been made.", REFUNDED),
    ("I would like to inform you that the invoice is settled.", SETTLED),
    ("You will be pleased to hear that your refund has been issued.", REFUNDED),
    ("As you requested, the refund has been made.", REFUNDED),
    ("After reviewing your case, your refund has been issued.", REFUNDED),
    ("According to our records it was refunded.", REFUNDED),
    ("Thank you, your project is settled. 4,000.00 EUR.", SETTLED),
    ("It is not only settled but archived.", SETTLED),
    ("Invoice no. 400 is settled.", SETTLED),
    ("**Status:** settled", SETTLED),
    ("- Settled: yes", SETTLED),
    ("Refunded: 40.00 EUR", REFUNDED),
    ('The status is now "settled".', SETTLED),
    ("It has been\nrefunded.", REFUNDED),
    ("The invoice you mentioned is settled.", SETTLED),
    ("The amount that was refunded is 3 EUR.", REFUNDED),
    ("While your order was refunded, the shipping fee was not.", REFUNDED),
    ("The failed payment was refunded.", REFUNDED),
    ("The refund about which you wrote was made.", ("refund ... was made",)),
    ("Without delay we refunded it.", REFUNDED),
    ("Delivery on Wednesday is guaranteed.", GUARANTEED),
    ("The order will be refunded tomorrow.", WILL_REFUND),
    ("Fjord Events has not paid I-610.", NOT_PAID),
    ("The refund has been made - is there anything else?", REFUNDED),
]


@pytest.mark.parametrize(("text", "phrases"), PLAIN)
def test_a_plain_statement_makes_the_claim(text: str, phrases: tuple[str, ...]) -> None:
    assert decide(text, phrases) == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "No mail was sent and the refund has been made.",
        "We did not delay, and the refund has been made.",
        "No, the refund has been made.",
        "Don't worry, it has been refunded.",
        "No worries, it has been refunded.",
        "You don't need to do anything, the refund has been issued.",
        "You do not have to do anything because the refund has been issued.",
        "There is nothing left for you to do: it has been refunded.",
        "I did not find the order, but it was refunded.",
        "The refund has been made, so let me know if you have any questions.",
        "You asked for a refund and it has been refunded.",
        "It was not refunded on Monday. It has been refunded today.",
        "Was it late? It has been refunded.",
        "> it was not refunded\n\nThe order has been refunded.",
    ],
)
def test_a_denial_about_something_else_does_not_cancel_a_claim(text: str) -> None:
    assert decide(text, REFUNDED) == "yes"


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("The invoice is not yet settled.", SETTLED),
        ("Invoice I-400 isn't settled yet.", SETTLED),
        ("I-400 remains open; it is not settled.", SETTLED),
        ("None of the invoices is settled.", SETTLED),
        ("Neither refunded nor settled.", SETTLED),
        ("The invoice has yet to be settled.", SETTLED),
        ("The invoice is far from settled.", SETTLED),
        ("This does not mean the invoice is settled.", SETTLED),
        ("It is wrong to say that it is settled.", SETTLED),
        ("It is not true that the refund was made.", REFUNDED),
        ("Nobody has refunded you yet.", REFUNDED),
        ("I checked the ledger: no refund was issued.", REFUNDED),
        ("There is no record of a refund being issued.", REFUNDED),
        ("The refund of 40 EUR could not be made.", REFUNDED),
        ("We failed to make sure it was refunded.", REFUNDED),
        ("The order was credited rather than refunded.", REFUNDED),
        ("It wasnt refunded.", REFUNDED),
        ("Returns of non-refunded items", REFUNDED),
        ("We have not settled or refunded it.", REFUNDED),
        ("Refunded:\n- nothing\n", REFUNDED),
        ("Refunded so far: 0.00 EUR", REFUNDED),
        ("- Settled: no\n- Open: 4,000.00 EUR", SETTLED),
        ("We cannot guarantee Wednesday.", GUARANTEED),
        ("There is no guarantee that it arrives on Wednesday.", GUARANTEED),
        ("We guarantee nothing.", GUARANTEED),
        ("Without a file check we can't promise or guarantee anything.", GUARANTEED),
        ("I see no payment up to 27 February.", NOT_PAID),
        ("The order will not be refunded.", WILL_REFUND),
    ],
)
def test_a_negation_makes_no_claim(text: str, phrases: tuple[str, ...]) -> None:
    assert decide(text, phrases) == "no"


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("As soon as it is settled we ship.", SETTLED),
        ("When everything is settled we will ship.", SETTLED),
        ("Once settled, the goods are released.", SETTLED),
        ("If the invoice is settled we will send it.", SETTLED),
        ("Before it is settled nothing ships.", SETTLED),
        ("Before I can refund this, finance has to approve it.", ("refund*",)),
        ("Until the balance is paid, the invoice is not settled.", SETTLED),
        ("I wonder whether it has been refunded.", REFUNDED),
        ("You will get a mail when the refund is made.", REFUNDED),
        ("It will be refunded.", REFUNDED),
        ("The refund is being made.", REFUNDED),
        ("The refund is going to be made.", REFUNDED),
        ("The invoice is to be settled.", SETTLED),
        ("I have requested that the order be refunded.", REFUNDED),
        ("To have the invoice settled, please transfer 4,000.00 EUR.", SETTLED),
        ("To get refunded, send the item back.", REFUNDED),
        ("Your invoice is partially settled.", SETTLED),
        ("The invoice is settled in part.", SETTLED),
    ],
)
def test_conditions_futures_and_parts_make_no_claim(text: str, phrases: tuple[str, ...]) -> None:
    assert decide(text, phrases) == "no"


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Only with express can we guarantee Wednesday.", GUARANTEED),
        ("We guarantee Wednesday only with express.", GUARANTEED),
        ("Express is required for a guaranteed delivery.", GUARANTEED),
        ("You need express for a guaranteed day.", GUARANTEED),
        ("A guaranteed delivery costs 12.00 EUR more.", GUARANTEED),
        ("A guaranteed delivery requires express.", GUARANTEED),
        ("You can have the balance paid in full in two instalments.", SETTLED),
        ("If you want to have it settled in two parts, tell us.", SETTLED),
        ("Nur mit Express guaranteed.", ("guaranteed",)),
        ("Die Rechnung kann in zwei Raten settled werden.", ("settled",)),
        ("Der Betrag wird in den n\u00e4chsten Tagen settled.", ("settled",)),
    ],
)
def test_what_is_only_described_or_offered_makes_no_claim(text: str, phrases: tuple[str, ...]) -> None:
    assert decide(text, phrases) == "no"


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("We guarantee Wednesday.", GUARANTEED),
        ("The payment that was required has arrived, and it is settled.", SETTLED),
        ("Everything that was needed for the order is here; it is settled.", SETTLED),
        ("You have the invoice settled.", SETTLED),
        ("You can have full confidence: the invoice was settled.", SETTLED),
        ("As you can see the invoice is settled.", SETTLED),
        ("Die Rechnung ist heute settled worden.", ("settled",)),
    ],
)
def test_a_word_of_description_elsewhere_takes_nothing_back(text: str, phrases: tuple[str, ...]) -> None:
    assert decide(text, phrases) == "yes"


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Invoice I-1 is settled, and I-2 is open.", "Invoice I-1 is settled"),
        ("As for I-1, it is settled.", "As for I-1, it is settled."),
        ("It is settled; I-2 is not.", "It is settled"),
    ],
)
def test_a_further_statement_after_the_place_is_not_what_it_is_about(text: str, about: str) -> None:
    assert makes_claim(text, SETTLED).about == about


@pytest.mark.parametrize(
    "text",
    [
        "Is it settled?",
        "Has the invoice been settled? No.",
        "Please confirm that it is settled.",
        "You say it is settled.",
        "Your message says everything is settled. We do not see that.",
        "You mentioned that everything is settled, however we see no payment.",
        "You asked us to confirm that everything is settled.",
        "According to your mail it is settled.",
        'You wrote: "everything is settled."',
        "On 3 March you wrote: \u201eeverything is settled.\u201c",
        "> it is settled\n\nWe will look into it.",
        "See https://help.example.test/when-it-is-settled for more.",
        "Write to settled@example.test.",
    ],
)
def test_what_is_asked_or_said_by_others_is_no_claim(text: str) -> None:
    assert decide(text, SETTLED) == "no"


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("I think it is settled.", SETTLED),
        ("It should be settled by now.", SETTLED),
        ("It may have been refunded.", REFUNDED),
        ("It appears it was refunded.", REFUNDED),
        ("It is settled, as far as I can see.", SETTLED),
        ("I do not doubt it was refunded.", REFUNDED),
        ("I can't say it wasn't refunded.", REFUNDED),
        ("The invoice is not, as of today, settled.", SETTLED),
        ("The invoice is settled once the money arrives.", SETTLED),
        ("If you check your account, the refund has been made.", REFUNDED),
        ("Your bank says it is settled.", SETTLED),
        ("The screenshot shows the invoice as settled.", SETTLED),
        ("Our colleague said it was refunded.", REFUNDED),
        ("It was refunded, right?", REFUNDED),
        ("Refunded? Yes.", REFUNDED),
        ("It was not approved and refunded.", REFUNDED),
        ("We will make sure that the invoice is settled.", SETTLED),
        ("There is no payment on file as of 27 February.", NOT_PAID),
        ('I sent this: "your order was refunded yesterday".', REFUNDED),
    ],
)
def test_what_can_not_be_decided_is_unclear(text: str, phrases: tuple[str, ...]) -> None:
    assert decide(text, phrases) == "unclear"


@pytest.mark.parametrize(
    "text",
    [
        "Die Rechnung ist nicht settled.",
        "Ihre Bestellung wurde noch nicht settled, das dauert.",
        "Es ist keine Rechnung settled.",
        "Sobald die Rechnung settled ist, liefern wir.",
        "La facture n'est pas settled.",
        "Votre commande n'a pas encore \u00e9t\u00e9 settled.",
        "Aucune facture n'est settled.",
        "Wir haben das settled nicht.",
    ],
)
def test_negations_of_german_and_french_are_never_taken_for_a_claim(text: str) -> None:
    assert decide(text, SETTLED) != "yes"


def test_the_finding_points_at_the_claim_as_it_was_written() -> None:
    text = "Grüße!\n\nDie Straße ist frei. The invoice **is\u00a0settled**, thank you."
    finding = makes_claim(text, SETTLED)
    assert text[finding.start : finding.end] == "is\u00a0settled"
    assert finding.clause == "The invoice **is\u00a0settled**, thank you."
    assert finding.why


def test_a_text_without_the_words_makes_no_claim_anywhere() -> None:
    finding = makes_claim("Hello.", SETTLED)
    assert (finding.decision, finding.start, finding.end, finding.clause) == ("no", 0, 0, "")


def test_one_claim_is_enough_and_doubt_counts_before_denial() -> None:
    assert decide("It is not settled. It is settled.", SETTLED) == "yes"
    assert decide("It is not settled. I think it is settled.", SETTLED) == "unclear"


def test_compiled_phrases_and_texts_do_the_same() -> None:
    assert makes_claim("It is settled.", compile_phrases(SETTLED)) == makes_claim("It is settled.", SETTLED)
    with pytest.raises(BadPhrase):
        makes_claim("It is settled.", ("(settled",))


def test_every_place_that_may_make_the_claim_is_listed() -> None:
    text = "Größe: I-1 is settled. I-2 is not settled. I think I-3 is settled."
    made = claims_made(text, SETTLED)
    assert [(finding.decision, finding.clause) for finding in made] == [
        ("yes", "Größe: I-1 is settled."),
        ("unclear", "I think I-3 is settled."),
    ]
    assert [text[finding.start : finding.end] for finding in made] == ["is settled", "is settled"]
    assert claims_made("I-2 is not settled.", SETTLED) == ()
    assert claims_made("Hello.", SETTLED) == ()


def test_too_many_places_end_in_one_that_is_unclear() -> None:
    assert [finding.decision for finding in claims_made("It is not settled. " * 1_500, SETTLED)] == [
        "unclear"
    ]


@pytest.mark.parametrize("length", [1_001, 5_000])
def test_too_many_denied_places_are_unclear(length: int) -> None:
    assert decide("It is not settled. " * length, SETTLED) == "unclear"
    assert decide("It is not settled. " * 20, SETTLED) == "no"


@given(
    st.sampled_from(PLAIN),
    st.sampled_from(["Hello Ida,\n\n", "We checked. ", "> is it done?\n\n", "No mail was sent. ", ""]),
)
def test_a_claim_stays_one_after_any_other_sentence(claim: tuple[str, tuple[str, ...]], before: str) -> None:
    text, phrases = claim
    assert decide(before + text + "\n\nBest regards, not yet signed", phrases) == "yes"
