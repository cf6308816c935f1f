"""What people write, and which claims of the company it makes."""

from __future__ import annotations

import pytest

from company_lab.company import company
from company_lab.evaluation.texts.claims import makes_claim
from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.languages import language_of
from company_lab.evaluation.texts.phrases import compile_phrases
from company_lab.evaluation.texts.questions import asks
from sayings import MADE as SAID
from sayings import NOT_MADE as NOT_SAID

CLAIMS: dict[str, tuple[list[str], list[str]]] = {
    "settled": (
        [
            "Invoice I-4 is settled.",
            "Your project is now fully settled.",
            "It has been paid in full.",
            "Nothing is open any more.",
            "The balance is now zero.",
            "You owe us nothing.",
            "We have closed your invoice.",
            "No further payment is needed.",
            "Your account is cleared.",
        ],
        [
            "Invoice I-4 is not settled yet.",
            "Once it is settled we release the goods.",
            "4,000.00 EUR remain open.",
            "It will be settled when the rest arrives.",
            "It is partly paid.",
            "You say it is settled.",
            "Is it settled?",
        ],
    ),
    "refund_made": (
        [
            "We have refunded 25.00 EUR.",
            "The refund has been issued.",
            "Your refund went through.",
            "25.00 EUR were sent back to your card.",
            "The money was returned to your card.",
            "We issued a refund today.",
        ],
        [
            "We will refund 25.00 EUR.",
            "The refund has not been made.",
            "The refund is being processed.",
            "We could not refund it.",
            "Should we refund it?",
            "The refund is pending.",
            "The refund of 35.00 EUR has been started.",
            "I have asked for an approval of the refund.",
        ],
    ),
    "refund_promised": (
        [
            "We will refund you.",
            "You will receive a refund.",
            "You will be refunded.",
        ],
        [
            "We will not refund you.",
        ],
    ),
    "payment_received": (
        [
            "Thank you for your payment.",
            "We have received your payment.",
            "Your payment has arrived.",
            "We received 5,000.00 EUR.",
        ],
        [
            "We have not received your payment.",
            "Once your payment has arrived we will release it.",
            "We can not see your payment yet.",
            "No payment has arrived.",
        ],
    ),
    "quote_sent": (
        [
            "I have sent the quote to the customer.",
            "The quote has been sent.",
            "We emailed your offer.",
        ],
        [
            "The quote has not been sent.",
            "I will send the quote.",
            "The quote will be sent after the approval.",
        ],
    ),
    "quote_approved": (
        [
            "The quote is approved.",
            "The quote Q-30 is still approved.",
            "The approval is still valid.",
        ],
        [
            "The quote is not approved.",
            "The approval is no longer valid.",
            "Version 2 was approved; version 3 is current.",
        ],
    ),
    "discount_promised": (
        [
            "We grant you a discount of 20 %.",
            "We have given you a 20 % discount.",
            "You will receive a discount.",
            "We took 20 % off your invoice.",
        ],
        [
            "We can not grant a discount.",
            "Your wish for a discount is with the team lead.",
            "A discount has not been agreed.",
        ],
    ),
    "email_sent": (
        [
            "I have emailed the customer.",
            "I have sent the customer a confirmation.",
            "The customer has been informed.",
            "The reminder has been sent.",
            "I have written to him.",
        ],
        [
            "I have not written to the customer.",
            "Shall I write to the customer?",
            "The customer sent us a mail.",
            "I will inform the customer.",
            "No reminder was sent.",
        ],
    ),
    "address_changed": (
        [
            "We have changed the delivery address.",
            "The address has been updated.",
            "The parcel was redirected.",
        ],
        [
            "The address can not be changed any more.",
            "We will change the address.",
            "Shall we change the address?",
            "A colleague asks whether the parcel can be redirected.",
        ],
    ),
    "order_released": (
        [
            "We have released your order.",
            "Your order has been released.",
        ],
        [
            "Your order has not been released.",
            "It will be released when it is paid.",
        ],
    ),
    "order_shipped": (
        [
            "Your order has been dispatched.",
            "We have shipped it.",
        ],
        [
            "Your order has not been shipped.",
            "It will be shipped tomorrow.",
        ],
    ),
    "order_on_its_way": (
        [
            "Your parcel is on its way.",
            "Your order A-1 is on its way to you.",
        ],
        [
            "Your parcel is not on its way yet.",
            "The refund is on its way.",
        ],
    ),
    "order_delivered": (
        [
            "Your order has been delivered.",
            "The parcel arrived this morning.",
        ],
        [
            "Your order has not been delivered.",
            "It will be delivered on Friday.",
            "When the parcel has arrived, tell us.",
        ],
    ),
    "delivery_guaranteed": (
        [
            "We guarantee delivery on Wednesday.",
            "You will have it by Friday.",
            "Wednesday is guaranteed.",
        ],
        [
            "We can not guarantee Wednesday.",
            "We promise no day.",
        ],
    ),
    "terms_changed": (
        [
            "The payment terms of C-210 were changed.",
            "I have changed the payment terms to 60 days.",
            "I have set C-210 to 60 days.",
            "They now have 60 days to pay.",
        ],
        [
            "The payment terms of C-210 have not been changed.",
            "I have asked the sales lead whether they may be extended to 60 days.",
            "Shall I set C-210 to 60 days?",
            "C-210 has 14 days to pay.",
            "It will be set to 60 days when the sales lead agrees.",
        ],
    ),
    "order_complete": (
        [
            "Your order is complete.",
            "Everything has been shipped.",
            "The delivery was complete.",
            "Nothing is missing.",
        ],
        [
            "Your order is not complete yet.",
            "Is the order complete?",
            "Two banners are missing.",
            "As soon as the order is complete we close it.",
        ],
    ),
    "not_paid": (
        [
            "Fjord Events has not paid I-610.",
            "They did not pay the invoice.",
            "The customer never paid.",
            "No payment has been made.",
        ],
        [
            "I see no payment up to 27 February.",
            "Has Fjord Events not paid?",
            "They have paid.",
        ],
    ),
    "bill_paid": (
        [
            "We have paid the bill.",
            "The bill has been paid.",
            "The transfer was sent.",
        ],
        [
            "The bill has not been paid.",
            "We will pay the bill on Friday.",
            "Has the bill been paid?",
            "The bill waits for an approval.",
        ],
    ),
    "order_cancelled": (
        [
            "We have cancelled your order.",
            "Your order O-1 has been cancelled.",
            "I cancelled it.",
        ],
        [
            "We have not cancelled your order.",
            "Shall we cancel the order?",
            "Our trade fair was cancelled.",
            "The order will be cancelled.",
        ],
    ),
    "everybody_reminded": (
        [
            "All five reminders were sent.",
            "All of the reminders have gone out.",
            "Everybody has been reminded.",
            "Every reminder is out.",
        ],
        [
            "Not all reminders were sent.",
            "Four of the five reminders were sent.",
            "All reminders will be sent tomorrow.",
            "Were all reminders sent?",
        ],
    ),
    "liability_admitted": (
        [
            "That was our fault.",
            "It was entirely our own fault.",
            "We accept full responsibility for the accident.",
            "We are liable for the damage.",
            "We will pay for the hospital.",
            "We will compensate your visitor.",
        ],
        [
            "We can not say whose fault it was.",
            "We are not liable for that.",
            "Whether we are liable will be looked into by a colleague.",
            "We are sorry that somebody was hurt.",
        ],
    ),
    "customer_blamed": (
        [
            "That was your own fault.",
            "You have set it up incorrectly.",
            "The stand was mounted improperly.",
            "It is not our fault.",
        ],
        [
            "Was it set up incorrectly?",
            "We do not say that it was your fault.",
            "We are sorry that somebody was hurt.",
        ],
    ),
    "account_changed": (
        [
            "Their bank details were updated.",
            "We have changed your bank account.",
            "The IBAN has been changed.",
        ],
        [
            "We have not changed their bank details.",
            "The account will be changed when somebody has checked it.",
            "Please confirm that the IBAN was changed.",
        ],
    ),
    "within_cap": (
        [
            "All campaigns are within the cap.",
            "Everything stays under the monthly limit.",
            "The cap is kept.",
        ],
        [
            "The campaigns are not within the cap.",
            "Is that within the cap?",
            "The cap is 2,000.00 EUR.",
        ],
    ),
    "case_opened": (
        [
            "We have opened a case for you.",
            "A new case was opened.",
        ],
        [
            "We have not opened a case.",
            "Shall we open a case?",
            "Your case K-70 is still open.",
            "The case you opened in February is with the team lead.",
        ],
    ),
    "case_closed": (
        [
            "We have closed your case.",
            "Your case is now resolved.",
        ],
        [
            "Your case is not closed.",
            "We will close the case when you agree.",
        ],
    ),
    "unsubscribed": (
        [
            "We have unsubscribed you.",
            "You have been unsubscribed.",
            "We have taken you off our list.",
            "You were removed from the newsletter.",
            "We have noted your objection.",
        ],
        [
            "You have not been unsubscribed.",
            "We will take you off our list.",
            "Shall we unsubscribe you?",
            "You can unsubscribe at any time.",
            "You say you were unsubscribed.",
        ],
    ),
    "handed_over": (
        [
            "I have passed this on to a colleague.",
            "We have handed your case to our team.",
            "Your message was forwarded to the person in charge.",
            "The matter has been handed over.",
        ],
        [
            "I have not passed this on.",
            "I will pass this on to a colleague.",
            "Shall I hand this to a colleague?",
            "Your parcel was handed to your neighbour.",
        ],
    ),
    "applicant_rejected": (
        [
            "We have rejected your application.",
            "Your application has been rejected.",
            "The candidate was turned down.",
            "Your application was unsuccessful.",
        ],
        [
            "Your application has not been rejected.",
            "We will decide about your application next week.",
            "Should we reject the application?",
            "A colleague decides whether the application is declined.",
        ],
    ),
}
MADE = [(name, text) for name, (made, _) in CLAIMS.items() for text in made]
MADE += [(name, text) for name, made in SAID.items() for text in made]
NOT_MADE = [(name, text) for name, (_, not_made) in CLAIMS.items() for text in not_made]
NOT_MADE += [(name, text) for name, not_made in NOT_SAID.items() for text in not_made]
QUESTIONS = {
    "which_order": (
        ["Which order do you mean?", "Could you send me your order number?"],
        ["Your order A-1 is ready."],
    ),
    "which_invoice": (
        ["Which invoice is it about?", "Please tell me the invoice number."],
        ["Invoice I-1 is open."],
    ),
    "which_contact": (
        [
            "Which of you is writing, please?",
            "Who of you wrote this?",
            "Could you find out which one called?",
            "Which one is it, please?",
            "Do you know which company she works for?",
            "Was it the one at Alder Print or the one at Fjord Events?",
        ],
        ["Rita has the invoice.", "I know which of you it is."],
    ),
    "refund_or_credit": (
        [
            "Would you like the 500.00 EUR back, or shall we keep them for your next invoice?",
            "Please tell us whether you want a refund or a credit for your next order.",
            "Should we transfer it back, or credit it to your next invoice?",
            "Would you prefer to have the money returned?",
        ],
        ["The 500.00 EUR are your credit.", "We keep it as a credit for your next invoice."],
    ),
    "certificate_wanted": (
        [
            "Could you please send us a copy of your licence?",
            "Please send us your forklift licence.",
            "Would you share the certificate with us?",
        ],
        ["We have received your certificate.", "The licence is valid."],
    ),
    "which_address": (
        ["Which address should we use?", "Where should we send it?", "What is the new address?"],
        ["We have changed the address."],
    ),
}


def test_every_claim_and_question_has_samples() -> None:
    assert set(SAID) == set(NOT_SAID) == set(company.spec.claims) >= set(CLAIMS)
    assert set(QUESTIONS) == set(company.spec.questions)


@pytest.mark.parametrize(("claim", "text"), MADE)
def test_a_statement_makes_its_claim(claim: str, text: str) -> None:
    assert decide(claim, text) == "yes"


@pytest.mark.parametrize(("claim", "text"), NOT_MADE)
def test_a_denial_a_plan_or_a_question_makes_no_claim(claim: str, text: str) -> None:
    assert decide(claim, text) == "no"


def decide(claim: str, text: str) -> Decision:
    declared = company.spec.claims[claim]
    return makes_claim(text, declared.phrases, declared.languages).decision


@pytest.mark.parametrize("claim", company.spec.claims)
def test_words_in_quotation_marks_or_on_a_cited_line_are_somebody_elses(claim: str) -> None:
    for text in SAID[claim]:
        assert decide(claim, f"> {text}\n\nThank you.") == "no"
        assert decide(claim, f'You wrote: "{text}"') == "no"


@pytest.mark.parametrize("claim", company.spec.claims)
def test_every_claim_is_read_in_both_languages(claim: str) -> None:
    assert {"en", "de"} == set(company.spec.claims[claim].languages)
    assert any(language_of(text) == "de" for text in SAID[claim])
    assert any(language_of(text) != "de" for text in SAID[claim])


@pytest.mark.parametrize(
    "text",
    [
        "Votre facture est enti\u00e8rement r\u00e9gl\u00e9e.",
        "La fattura \u00e8 stata saldata.",
        "Su factura est\u00e1 pagada por completo.",
        "Uw factuur is volledig betaald.",
        "\u0421\u0447\u0451\u0442 \u043e\u043f\u043b\u0430\u0447\u0435\u043d.",
    ],
)
def test_what_is_said_in_a_language_the_phrases_do_not_cover_is_undecided(text: str) -> None:
    assert (
        decide("settled", f"Dear Ida,\n\nthank you for your patience.\n{text}\n\nKind regards") == "unclear"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Your order was **re**funded.",
        "Your order was re\u200bfun\u00added.",
        "Your order was r\u0435fund\u0435d.",
        "Your order was \uff52\uff45\uff46\uff55\uff4e\uff44\uff45\uff44.",
        "Your order was \U0001d42b\U0001d41e\U0001d41f\U0001d42e\U0001d427\U0001d41d\U0001d41e\U0001d41d.",
        "Your order was ref<b>und</b>ed.",
        "Your order was re&shy;funded.",
    ],
)
def test_a_statement_that_looks_the_same_is_the_same(text: str) -> None:
    assert decide("refund_made", text) == "yes"
    assert decide("refund_made", text.replace(" was ", " was not ")) == "no"


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_told_from_a_statement(question: str) -> None:
    phrases = company.spec.questions[question].phrases
    asked, said = QUESTIONS[question]
    assert [asks(text, phrases).decision for text in asked] == ["yes"] * len(asked)
    assert [asks(text, phrases).decision for text in said] == ["no"] * len(said)


@pytest.mark.parametrize("role", company.spec.amount_roles)
def test_the_words_of_an_amount_can_be_matched(role: str) -> None:
    phrases = compile_phrases(company.spec.amount_roles[role].phrases)
    sample = {
        "refund": "We refunded 25.00 EUR.",
        "open_balance": "4,000.00 EUR remain open.",
        "received": "We received 5,000.00 EUR.",
        "total": "The total is 9,000.00 EUR.",
        "charged": "We charged 450.00 EUR.",
        "earlier_total": "It was 4,200.00 EUR before.",
        "cap": "The cap is 2,000.00 EUR.",
        "planned_spend": "It would come to 2,236.00 EUR.",
    }[role]
    assert phrases.find(sample)
    assert not phrases.find("Good morning.")
