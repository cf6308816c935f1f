from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

INVOICE = {"contact": "C-1", "total_minor": 15000, "received_minor": 0, "currency": "EUR", "status": "open"}


def desk(*, synced: str = "08:55", invoices: dict[str, Any] | None = None, **line: Any) -> dict[str, Any]:
    account = {"name": "Main", "currency": "EUR", "last_sync": f"2026-03-02T{synced}:00+01:00"}
    record = {
        "account": "main",
        "amount_minor": 15000,
        "currency": "EUR",
        "booked": "2026-03-02T08:00:00+01:00",
    }
    return {
        "contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}},
        "bank_accounts": {"main": account},
        "bank_lines": {"b1": record | line},
        "invoices": {"I-1": INVOICE} | (invoices or {}),
    }


def synced(up_to: str, at: str = "+1s") -> dict[str, Any]:
    data = {"account": "main", "up_to": f"2026-03-02T{up_to}:00+01:00"}
    return {"at": at, "id": f"sync{at}", "type": "bank.synced", "data": data}


@pytest.mark.parametrize(
    ("horizon", "events", "lines"),
    [
        ("08:55", [], 1),
        ("07:59", [], 0),
        ("07:59", [synced("08:30")], 1),
        ("07:59", [synced("08:30"), synced("07:00", "+2s")], 1),
        ("07:00", [synced("07:30")], 0),
    ],
)
def test_a_line_is_listed_when_the_bank_has_reported_that_far(
    horizon: str, events: list[dict[str, Any]], lines: int
) -> None:
    def do(session: Session) -> None:
        session.call("clock.wait", duration="1m")
        listed = session.call("bank.list_lines", account="main")
        assert (listed["total"], len(listed["items"])) == (lines, lines)
        assert listed["complete_up_to"] == session.call("bank.status", account="main")["last_sync"]
        if not lines:
            error = failing(session, "bank.assign", line="b1", invoice="I-1")
            assert error.reason == "line_not_booked"

    work(do, tables=desk(synced=horizon), events=events)


def test_lines_come_in_pages_and_the_horizon_is_that_of_the_oldest_report() -> None:
    tables = desk()
    tables["bank_lines"] |= {f"b{n}": tables["bank_lines"]["b1"] for n in range(2, 6)}
    tables["bank_accounts"]["other"] = tables["bank_accounts"]["main"] | {"last_sync": "2026-03-02T06:00:00Z"}

    def do(session: Session) -> None:
        first = session.call("bank.list_lines", limit=3)
        assert (len(first["items"]), first["total"], first["next"]) == (3, 5, 2)
        second = session.call("bank.list_lines", limit=3, page=2)
        assert (len(second["items"]), second["next"]) == (2, None)
        assert first["complete_up_to"] == "2026-03-02T06:00:00Z"

    work(do, tables=tables)


@pytest.mark.fault("B20")
@pytest.mark.parametrize(
    ("line", "others", "reason"),
    [
        ({"reference": "I-1"}, {}, None),
        ({"reference": "invoice i-1, thanks"}, {"I-2": INVOICE}, None),
        ({"reference": "I-11"}, {}, "other_reference"),
        ({"reference": "thank you"}, {}, "other_reference"),
        ({}, {}, None),
        ({}, {"I-2": INVOICE}, "several_candidates"),
        ({}, {"I-2": INVOICE | {"total_minor": 15001, "received_minor": 1}}, "several_candidates"),
        ({}, {"I-2": INVOICE | {"currency": "CHF"}}, None),
        ({}, {"I-2": INVOICE | {"status": "paid", "received_minor": 15000}}, None),
        ({"currency": "CHF"}, {}, "currency_mismatch"),
        ({"status": "pending"}, {}, "line_not_booked"),
        ({"amount_minor": -15000}, {}, "line_not_booked"),
        ({"assigned_to": "po_1"}, {}, "line_already_assigned"),
        ({"amount_minor": 15001}, {}, "exceeds_open_balance"),
    ],
)
def test_a_line_is_booked_on_the_invoice_it_is_for(
    line: dict[str, Any], others: dict[str, Any], reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            assert session.call("bank.assign", line="b1", invoice="I-1")["status"] == "paid"
            again = failing(session, "bank.assign", line="b1", invoice="I-1")
            assert again.reason == "line_already_assigned"
        else:
            assert failing(session, "bank.assign", line="b1", invoice="I-1").reason == reason

    left = work(do, tables=desk(invoices=others, **line))
    payment = left.record("payments", "pay_1")
    assert (payment is not None) == (reason is None)
    if payment is not None:
        assert (payment["booked_to"], payment["line"], payment["amount_minor"]) == ("I-1", "b1", 15000)


def test_a_part_leaves_the_rest_open_and_what_is_too_much_becomes_credit() -> None:
    def part(session: Session) -> None:
        assert session.call("bank.assign", line="b1", invoice="I-1")["open_minor"] == 5000

    def much(session: Session) -> None:
        args = {"line": "b1", "invoice": "I-1"}
        assert failing(session, "bank.assign", **args, credit_minor=1999).reason == "exceeds_open_balance"
        assert failing(session, "bank.assign", **args, credit_minor=2001).reason == "credit_before_debt"
        session.call("bank.assign", **args, credit_minor=2000)

    work(part, tables=desk(reference="I-1", amount_minor=10000))
    left = work(much, tables=desk(reference="I-1", amount_minor=17000))
    credit = left.record("credits", "credit_1")
    assert credit is not None
    assert credit["amount_minor"] == 2000


@pytest.mark.parametrize(
    ("tables", "unpaid"),
    [
        (desk(reference="I-1"), False),
        (desk(reference="I-7"), True),
        (desk(reference="I-7") | {"bank_accounts": {}, "bank_lines": {}}, True),
    ],
)
def test_nobody_is_said_not_to_have_paid_whose_money_is_here(tables: dict[str, Any], unpaid: bool) -> None:
    assert work(lambda session: None, tables=tables).facts()["known_unpaid"] == {"I-1": unpaid}


def test_an_old_report_proves_nothing() -> None:
    tables = desk(reference="I-7")
    for hour, unpaid in (("10:00:00", True), ("08:00:00", False)):
        tables["bank_accounts"]["main"] |= {"last_sync": f"2026-03-01T{hour}+01:00"}
        assert work(lambda session: None, tables=tables).facts()["known_unpaid"] == {"I-1": unpaid}


def test_a_neighbours_account_is_out_of_reach() -> None:
    def do(session: Session) -> None:
        assert failing(session, "bank.status", account="main", tenant="northquay").reason == "other_tenant"
        assert session.call("bank.list_lines", tenant="main")["total"] == 1

    work(do, tables=desk())


@pytest.mark.parametrize(
    ("reference", "goes"),
    [
        ("Invoice I-1.", True),
        ("I-1.Thanks", True),
        ("(I-1)", True),
        ("inv:i-1; thanks", True),
        ("2026/I-1", True),
        ("I-10", False),
        ("AI-1", False),
        ("I-1-2", False),
        ("I-1.2", False),
        ("X-I-1", False),
    ],
)
def test_an_invoice_is_named_whatever_stands_around_its_number(reference: str, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("bank.assign", line="b1", invoice="I-1")
        else:
            assert failing(session, "bank.assign", line="b1", invoice="I-1").reason == "other_reference"

    left = work(do, tables=desk(reference=reference))
    assert bool(left.changed) is goes
    assert (
        work(lambda session: None, tables=desk(reference=reference)).facts()["known_unpaid"]["I-1"]
        is not goes
    )


@pytest.mark.parametrize(
    ("more", "line", "unpaid"),
    [
        ({"payments": {"p": {"status": "failed"}}}, {}, True),
        ({"payments": {"p": {"status": "pending"}}}, {}, False),
        ({}, {"reference": "I-1", "amount_minor": -15000}, True),
        ({}, {"reference": "I-1"}, False),
    ],
)
def test_money_that_bounced_or_went_out_did_not_come_in(
    more: dict[str, Any], line: dict[str, Any], unpaid: bool
) -> None:
    money = {"amount_minor": 15000, "currency": "EUR", "invoice": "I-1"}
    payments = {id: money | payment for id, payment in more.get("payments", {}).items()}
    tables = desk(**line) | {"payments": payments}
    assert work(lambda session: None, tables=tables).facts()["known_unpaid"]["I-1"] is unpaid


def test_lines_come_with_the_newest_last_however_they_were_written_down() -> None:
    tables = desk()
    older = tables["bank_lines"]["b1"] | {"booked": "2026-03-01T23:30:00-05:00"}
    tables["bank_lines"] |= {"b2": older, "b3": older | {"booked": "2026-03-02T07:30:00Z"}}

    def do(session: Session) -> None:
        listed = session.call("bank.list_lines")["items"]
        assert [line["id"] for line in listed] == ["b2", "b1", "b3"]

    work(do, tables=tables)
