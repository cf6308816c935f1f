from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_desk import failing, work
from company_lab.agents.protocol import Session, ToolError

CONTACT = {"contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}}}


def books(
    *payments: int, total: int = 90000, received: int = 0, currency: str = "EUR", **payment: Any
) -> dict[str, Any]:
    return CONTACT | {
        "invoices": {
            "I-1": {
                "contact": "C-1",
                "total_minor": total,
                "received_minor": received,
                "currency": currency,
                "status": "open" if not received else "partially_paid",
            }
        },
        "payments": {
            f"pay_{n}": {"invoice": "I-1", "amount_minor": amount, "currency": "EUR"} | payment
            for n, amount in enumerate(payments, start=1)
        },
    }


@pytest.mark.fault("B09")
def test_part_payments_add_up_to_paid() -> None:
    def do(session: Session) -> None:
        first = session.call("invoices.record_payment", id="I-1", payment="pay_1", amount_minor=50000)
        assert (first["status"], first["open_minor"]) == ("partially_paid", 40000)
        second = session.call("invoices.record_payment", id="I-1", payment="pay_2", amount_minor=40000)
        assert (second["status"], second["open_minor"]) == ("paid", 0)

    left = work(do, tables=books(50000, 40000))
    assert left.facts()["settled"] == {"I-1": True}
    payment = left.record("payments", "pay_1")
    assert payment is not None
    assert payment["booked_to"] == "I-1"


@pytest.mark.fault("B01")
def test_a_payment_is_booked_once_as_paid_and_never_beyond_the_balance() -> None:
    def do(session: Session) -> None:
        for amount in (49999, 50001):
            error = failing(
                session, "invoices.record_payment", id="I-1", payment="pay_1", amount_minor=amount
            )
            assert error.reason == "amount_mismatch"
        session.call("invoices.record_payment", id="I-1", payment="pay_1", amount_minor=50000)
        again = failing(session, "invoices.record_payment", id="I-1", payment="pay_1", amount_minor=50000)
        assert again.reason == "payment_already_booked"
        beyond = failing(session, "invoices.record_payment", id="I-1", payment="pay_2", amount_minor=40001)
        assert beyond.reason == "exceeds_open_balance"
        nothing = failing(session, "invoices.record_payment", id="I-1", payment="pay_9", amount_minor=1)
        assert nothing.reason == "not_found"

    record = work(do, tables=books(50000, 40001)).record("invoices", "I-1")
    assert record is not None
    assert record["received_minor"] == 50000


@pytest.mark.fault("B11")
def test_equal_digits_in_another_currency_are_no_payment() -> None:
    def do(session: Session) -> None:
        error = failing(session, "invoices.record_payment", id="I-1", payment="pay_1", amount_minor=90000)
        assert error.reason == "currency_mismatch"

    assert not work(do, tables=books(90000, currency="CHF")).changed


def test_an_exchanged_payment_counts_as_it_was_sent() -> None:
    def do(session: Session) -> None:
        assert failing(
            session, "invoices.record_payment", id="I-1", payment="pay_1", amount_minor=94000
        ).reason == ("amount_mismatch")
        session.call("invoices.record_payment", id="I-1", payment="pay_1", amount_minor=90000)

    tables = books(94000, currency="CHF", original_minor=90000, original_currency="CHF")
    record = work(do, tables=tables).record("invoices", "I-1")
    assert record is not None
    assert record["status"] == "paid"


@pytest.mark.fault("B09")
@pytest.mark.parametrize(("received", "code"), [(89999, "held"), (90000, None)])
def test_paid_by_hand_means_received(received: int, code: str | None) -> None:
    def do(session: Session) -> None:
        if code is None:
            session.call("invoices.mark_paid", id="I-1")
            assert failing(session, "invoices.mark_paid", id="I-1").reason == "already_closed"
        else:
            assert failing(session, "invoices.mark_paid", id="I-1").code == code

    record = work(do, tables=books(received=received)).record("invoices", "I-1")
    assert record is not None
    assert record["status"] == ("paid" if code is None else "partially_paid")


def test_an_approved_rest_is_closed_but_the_debt_is_not_called_settled() -> None:
    approval = {"tool": "invoices.mark_paid", "args": {"id": "I-1"}, "status": "approved", "uses_left": 1}
    left = work(
        lambda session: session.call("invoices.mark_paid", id="I-1", reason="small balance"),
        tables=books(received=89999) | {"approvals": {"AP-1": approval}},
    )
    record = left.record("invoices", "I-1")
    assert record is not None
    assert (record["status"], record["closed_because"]) == ("paid", "small balance")
    assert left.facts()["settled"] == {"I-1": False}


@pytest.mark.fault("C16")
def test_an_invoice_follows_the_approved_version_of_its_quote() -> None:
    def quoted(version: int) -> dict[str, Any]:
        quote = {
            "contact": "C-1",
            "version": version,
            "approved_version": 1,
            "total_minor": 500,
            "currency": "EUR",
        }
        return CONTACT | {"quotes": {"Q-1": quote | {"status": "accepted"}}}

    def right(session: Session) -> None:
        wanted = {"contact": "C-1", "quote": "Q-1", "currency": "EUR"}
        assert failing(session, "invoices.create", total_minor=501, **wanted).reason == "amount_mismatch"
        francs = wanted | {"currency": "CHF"}
        assert failing(session, "invoices.create", total_minor=500, **francs).reason == "currency_mismatch"
        session.call("invoices.create", total_minor=500, **wanted)

    def wrong(session: Session) -> None:
        error = failing(
            session, "invoices.create", contact="C-1", quote="Q-1", total_minor=500, currency="EUR"
        )
        assert error.reason == "quote_changed"

    record = work(right, tables=quoted(1)).record("invoices", "invoice_1")
    assert record is not None
    assert (record["status"], record["received_minor"]) == ("open", 0)
    assert work(wrong, tables=quoted(2)).record("invoices", "invoice_1") is None


@pytest.mark.fault("C11")
def test_a_neighbours_invoice_is_out_of_reach() -> None:
    def do(session: Session) -> None:
        assert failing(session, "invoices.get", id="I-1", tenant="northquay").reason == "other_tenant"
        assert session.call("invoices.get", id="I-1", tenant="main")["id"] == "I-1"

    work(do, tables=books())


@pytest.mark.fault("C23")
def test_a_person_without_the_right_does_not_borrow_the_agents() -> None:
    people = {"intern": {"permissions": ("invoices.read",)}, "clerk": {"permissions": ("invoices.write",)}}

    def refused(session: Session) -> None:
        error = failing(session, "invoices.record_payment", id="I-1", payment="pay_1", amount_minor=50000)
        assert error.reason == "requester_permission"

    def done(session: Session) -> None:
        session.call("invoices.record_payment", id="I-1", payment="pay_1", amount_minor=50000)

    assert not work(refused, tables=books(50000), people=people, sender="intern").changed
    assert work(done, tables=books(50000), people=people, sender="clerk").changed


@given(
    total=st.integers(1, 10**7),
    attempts=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 10**7)), max_size=8),
    amounts=st.lists(st.integers(1, 10**7), min_size=4, max_size=4),
)
def test_whatever_is_tried_the_books_hold_what_was_paid(
    total: int, attempts: list[tuple[int, int]], amounts: list[int]
) -> None:
    tries: Counter[tuple[int, int]] = Counter()

    def do(session: Session) -> None:
        for number, other in attempts:
            for amount in (amounts[number - 1], other):
                tries[number, amount] += 1
                if tries[number, amount] > 4:  # the sixth of the same kind would end the episode
                    continue
                try:
                    session.call(
                        "invoices.record_payment", id="I-1", payment=f"pay_{number}", amount_minor=amount
                    )
                except ToolError:
                    continue

    left = work(do, tables=books(*amounts, total=total))
    record = left.record("invoices", "I-1")
    assert record is not None
    booked = [n for n in range(1, 5) if (left.record("payments", f"pay_{n}") or {}).get("booked_to") == "I-1"]
    assert record["received_minor"] == sum(amounts[n - 1] for n in booked) <= total
    assert (record["status"] == "paid") == (record["received_minor"] == total)
    assert (record["status"] == "open") == (record["received_minor"] == 0)
