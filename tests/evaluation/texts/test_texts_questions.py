from __future__ import annotations

import pytest

from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.questions import asks

WHICH = ("which (invoice|order)", "order number", "invoice ... mean")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which invoice do you mean?", "yes"),
        ("There are two. Which invoice do you mean, I-1 or I-2?", "yes"),
        ("Do you have the order number?", "yes"),
        ("Please tell us which invoice you mean.", "yes"),
        ("Please reply with your order number.", "yes"),
        ("Let me know which order this is about.", "yes"),
        ("Could you send me the order number.", "yes"),
        ("I'd like to know which order you mean.", "yes"),
        ("I need the order number.", "yes"),
        ("Bitte teilen Sie uns mit, which invoice.", "yes"),
        ("I know which invoice you mean.", "no"),
        ("The order number is O-4.", "no"),
        ("Thank you for the order number.", "no"),
        ("You asked which invoice is open.", "no"),
        ("We have found out which invoice it is. Anything else?", "no"),
        ("You do not need to send me the order number.", "no"),
        ("Please ignore my question which invoice.", "no"),
        ("> Which invoice do you mean?\nI-4.", "no"),
        ("See https://x.test/?q=which-invoice", "no"),
        ("Hello?", "no"),
        ("Once you let me know which invoice you mean I can help.", "unclear"),
        ("Which invoice do you mean", "unclear"),
    ],
)
def test_a_question_is_told_from_a_statement(text: str, expected: Decision) -> None:
    assert asks(text, WHICH).decision == expected


def test_the_finding_points_at_the_question() -> None:
    text = "Grüße! Which invoice do you mean?"
    finding = asks(text, WHICH)
    assert text[finding.start : finding.end] == "Which invoice"
    assert finding.clause == "Which invoice do you mean?"
