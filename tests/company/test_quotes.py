from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def quote(**fields: Any) -> dict[str, Any]:
    record = {
        "contact": "C-1",
        "version": 2,
        "approved_version": 2,
        "total_minor": 420000,
        "currency": "EUR",
        "status": "draft",
    }
    return {
        "contacts": {
            "C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"},
            "C-2": {"name": "Nobody"},
        },
        "quotes": {"Q-1": record | fields},
    }


def test_an_approved_version_goes_to_the_customer() -> None:
    left = work(lambda session: session.call("quotes.send", id="Q-1"), tables=quote())
    (mail,) = left.ledger("email")
    assert mail["payload"]["to"] == "ida@holm.example.test"
    assert mail["payload"]["attachments"] == ["Q-1"]
    assert "4,200.00 EUR" in mail["payload"]["text"]
    record = left.record("quotes", "Q-1")
    assert record is not None
    assert (record["status"], record["sent_version"]) == ("sent", 2)
    assert left.facts()["quote_sent"] == {"Q-1": True}


@pytest.mark.fault("C16")
def test_a_revised_quote_waits_and_asks_for_approval_once() -> None:
    def do(session: Session) -> None:
        session.call("quotes.revise", id="Q-1", total_minor=435000)
        for _ in range(2):
            error = failing(session, "quotes.send", id="Q-1")
            assert (error.code, error.reason) == ("held", "quote_changed")
            assert error.detail["status"] == "requested"  # type: ignore[index, call-overload]

    left = work(do, tables=quote())
    assert not left.ledger("email")
    record = left.record("quotes", "Q-1")
    assert record is not None
    assert (record["version"], record["approved_version"]) == (3, 2)
    assert record["earlier"] == [{"version": 2, "total_minor": 420000}]
    assert left.changed == {"quotes/Q-1", "approvals/approval_1"}
    assert left.settled["writers"]["approvals/approval_1/status"] == ["guard"]
    assert left.facts()["quote_approved"] == {"Q-1": False}


def test_a_quote_nobody_approved_waits_for_that_reason() -> None:
    def do(session: Session) -> None:
        assert failing(session, "quotes.send", id="Q-1").reason == "quote_not_approved"

    work(do, tables=quote(approved_version=None))


def test_an_approval_covers_the_version_it_names_and_is_used_up() -> None:
    approval = {
        "tool": "quotes.send",
        "args": {"id": "Q-1"},
        "status": "approved",
        "version": 3,
        "uses_left": 1,
    }

    def do(session: Session) -> None:
        session.call("quotes.send", id="Q-1")
        assert failing(session, "quotes.send", id="Q-1").reason == "quote_changed"

    left = work(do, tables=quote(version=3) | {"approvals": {"AP-1": approval}})
    assert len(left.ledger("email")) == 1
    record = left.record("approvals", "AP-1")
    assert record is not None
    assert (record["status"], record["uses_left"]) == ("used", 0)


def test_an_accepted_quote_is_not_revised_and_a_contact_without_address_gets_nothing() -> None:
    def accepted(session: Session) -> None:
        assert failing(session, "quotes.revise", id="Q-1", total_minor=1).reason == "quote_closed"

    def nameless(session: Session) -> None:
        assert failing(session, "quotes.send", id="Q-1").reason == "no_address"

    assert not work(accepted, tables=quote(status="accepted")).changed
    assert not work(nameless, tables=quote(contact="C-2")).changed


def test_versions_and_approvals_from_outside_never_go_back() -> None:
    def events(*versions: int) -> list[dict[str, Any]]:
        return [
            {
                "at": "+0s",
                "id": f"e{n}",
                "type": "quote.revised",
                "data": {"quote": "Q-1", "version": version},
            }
            for n, version in enumerate(versions)
        ] + [
            {
                "at": "+0s",
                "id": f"a{n}",
                "type": "quote.approved",
                "data": {"quote": "Q-1", "version": version},
            }
            for n, version in enumerate(versions)
        ]

    for versions in ((3, 4), (4, 3)):
        record = work(lambda session: None, tables=quote(), events=events(*versions)).record("quotes", "Q-1")
        assert record is not None
        assert (record["version"], record["approved_version"]) == (4, 4)


def test_a_new_quote_is_a_draft_without_approval() -> None:
    left = work(
        lambda session: session.call("quotes.create", contact="C-1", total_minor=100, currency="JPY"),
        tables=quote(),
    )
    record = left.record("quotes", "quote_1")
    assert record is not None
    assert (record["version"], record["approved_version"], record["status"]) == (1, None, "draft")


def test_an_approval_of_a_version_to_come_is_not_one_of_another_content_under_its_number() -> None:
    def do(session: Session) -> None:
        revised = session.call("quotes.revise", id="Q-1", total_minor=430000)
        assert (revised["version"], revised["approved_version"]) == (3, None)
        assert failing(session, "quotes.send", id="Q-1").reason == "quote_not_approved"

    work(do, tables=quote(version=2, approved_version=3))


def test_a_discount_ends_with_the_version_it_stood_in() -> None:
    def do(session: Session) -> None:
        session.call("quotes.revise", id="Q-1", total_minor=420000)

    approved = {"at": "+1h", "id": "a", "type": "quote.approved", "data": {"quote": "Q-1", "version": 3}}

    def later(session: Session) -> None:
        do(session)
        session.call("clock.wait", duration="2h")
        assert session.call("quotes.get", id="Q-1")["approved_version"] == 3

    tables = quote(version=2, approved_version=2, total_minor=380000, discount_minor=40000)
    assert work(lambda session: None, tables=tables).facts()["discount_agreed"] == {"Q-1": True}
    left = work(later, tables=tables, events=[approved])
    record = left.record("quotes", "Q-1")
    assert record is not None
    assert "discount_minor" not in record
    assert left.facts()["discount_agreed"] == {"Q-1": False}


def test_a_lower_price_that_was_approved_is_a_discount_whatever_it_is_called() -> None:
    tables = quote(version=2, approved_version=2, total_minor=380000, list_minor=420000)
    assert work(lambda session: None, tables=tables).facts()["discount_agreed"] == {"Q-1": True}


def test_what_was_quoted_to_one_customer_is_not_invoiced_to_another() -> None:
    def do(session: Session) -> None:
        args = {"quote": "Q-1", "total_minor": 420000, "currency": "EUR"}
        assert failing(session, "invoices.create", contact="C-2", **args).reason == "other_customer"
        session.call("invoices.create", contact="C-1", **args)

    work(do, tables=quote(approved_version=2, version=2, total_minor=420000))
