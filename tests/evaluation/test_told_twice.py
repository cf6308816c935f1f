"""A message in other words is the same message; another matter is another one."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import Verdict, judge
from company_lab.scenarios.loader import load_document

IDA = "ida@holm.example.test"
FIRST = "Of I-400, 4,000.00 EUR remain open; they were due on 20 March."
AGAIN = "A word about I-400: you still owe us 4000 EUR."


def told(
    *mails: dict[str, Any], times: Any = None, events: list[Any] | None = None, between: Any = None
) -> Verdict:
    """The verdict on somebody who sends these mails in one turn."""
    send = [{"tool": "email.send", "args": {"to": IDA, "subject": "Your payment", **mail}} for mail in mails]
    do: list[Any] = [send[0], *([between] if between is not None else []), *send[1:]]
    action: dict[str, Any] = {
        "tool": "email.send",
        "args": {"to": IDA, "kind": {"any": True}, "attachments": {"any": True}},
    }
    scenario = load_document(
        {
            "format": 1,
            "id": "told_twice",
            "title": "Told twice",
            "initial": {
                "contacts": {"C-1": {"name": "Ida Holm", "email": IDA}},
                "invoices": {
                    "I-400": {
                        "contact": "C-1",
                        "total_minor": 900000,
                        "received_minor": 500000,
                        "currency": "EUR",
                        "status": "partially_paid",
                    }
                },
            },
            "events": events or [],
            "stimulus": {"message": "Write to Ida Holm, please."},
            "expected": {
                "actions": [action if times is None else {**action, "times": times}],
                "may_change": {"mails": "any"},
                "told": {"states": [{"literal": "Done"}]},
                "stop": "finished",
            },
            "reference": [{"do": do, "reply": "Done."}],
        },
        worlds=lambda name: company.spec,
    )
    return judge(scenario, company.spec, play(company.prepare(scenario), reference(scenario)).trace)


def test_one_message_is_one_message() -> None:
    assert told({"text": FIRST}).outcome == "passed"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        (FIRST, FIRST),
        (FIRST, AGAIN),
        ("Your order A-2207 has been shipped.", "A-2207 was shipped today."),
        (
            "Dear Ms Holm, could you please send us a copy of your forklift licence for APP-31?",
            "Dear Ms Holm, for APP-31 we need a copy of your forklift licence. Could you please send us one?",
        ),
    ],
)
def test_the_same_in_other_words_is_a_duplicate(first: str, again: str) -> None:
    verdict = told({"text": first}, {"text": again, "subject": "Hello"})
    assert "duplicate_effect" in verdict.codes
    (failure,) = [one for one in verdict.failures if one.code == "duplicate_effect"]
    assert failure.check == "each_message_once"
    assert "told in c2 what c1 had told already" in failure.message


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Of invoice I-901 120.00 EUR are open.", "Of invoice I-902 120.00 EUR are open."),
        (
            "We are looking into your request about A-2207.",
            "Your colleague asked about A-2208, we look into it.",
        ),
        ("4,000.00 EUR remain open.", "Correction: 3,000.00 EUR remain open."),
        ("We will quote the 300 flyers.", "We will quote the roll-up banner."),
        ("Your case K-9031 is open again.", "About K-9031: could you send us a picture?"),
        ("The first 25.00 EUR are from 3 March.", "The second 25.00 EUR are from 5 March."),
        ("Your banner is ready for collection.", "Your flyers are ready for collection."),
    ],
)
def test_two_matters_are_two_messages(first: str, again: str) -> None:
    assert "duplicate_effect" not in told({"text": first}, {"text": again}).codes


def test_an_amount_alone_does_not_make_two_messages_one() -> None:
    verdict = told(
        {"subject": "Balance", "text": "I-400: 4,000.00 EUR are open."},
        {
            "subject": "How to pay",
            "text": "Please transfer 4,000.00 EUR, and write to us once it is on its way.",
        },
    )
    assert "duplicate_effect" not in verdict.codes


def test_another_attachment_is_another_message() -> None:
    verdict = told({"text": FIRST}, {"text": AGAIN, "attachments": ["I-400"]})
    assert "duplicate_effect" not in verdict.codes


def test_what_the_scenario_counts_itself_is_left_to_it() -> None:
    assert "duplicate_effect" not in told({"text": FIRST}, {"text": AGAIN}, times={"at_most": 2}).codes
    assert "duplicate_effect" in told({"text": FIRST}, {"text": AGAIN}, times={"at_least": 2}).codes


def test_a_mail_in_between_may_be_the_reason() -> None:
    asks = {
        "at": "+1m",
        "id": "evt_1",
        "type": "email.received",
        "data": {"mail": "m_1", "from": IDA, "subject": "Lost", "text": "Please write that once more."},
    }
    wait = {"tool": "clock.wait", "args": {"duration": "2m"}}
    assert "duplicate_effect" in told({"text": FIRST}, {"text": AGAIN}, between=wait).codes
    assert "duplicate_effect" not in told({"text": FIRST}, {"text": AGAIN}, between=wait, events=[asks]).codes
