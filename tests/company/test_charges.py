from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

PENDING = {"payments": {"charge": [{"answer": "pending"}]}}


def desk(
    total: int = 1999, currency: str = "EUR", cards: tuple[str, ...] = ("active",), **invoice: Any
) -> dict[str, Any]:
    record = {
        "contact": "C-1",
        "total_minor": total,
        "received_minor": 0,
        "currency": currency,
        "status": "open",
    }
    return {
        "contacts": {"C-1": {"name": "Ida Holm"}, "C-2": {"name": "Jo Berg"}},
        "invoices": {"I-1": record | invoice},
        "cards": {
            f"card_{n}": {"contact": "C-1", "last4": f"000{n}", "status": status}
            for n, status in enumerate(cards, start=1)
        }
        | {"card_9": {"contact": "C-2", "last4": "0009", "status": "active"}},
    }


def charging(session: Session, amount: int = 1999, currency: str = "EUR", **args: Any) -> Any:
    return session.call("payments.charge", invoice="I-1", amount_minor=amount, currency=currency, **args)


def refused(session: Session, amount: int = 1999, currency: str = "EUR", **args: Any) -> str:
    return failing(
        session, "payments.charge", invoice="I-1", amount_minor=amount, currency=currency, **args
    ).reason


@pytest.mark.fault("B04")
@pytest.mark.parametrize(
    ("total", "currency", "wrong"),
    [
        (1999, "EUR", (1998, 199900, 20)),
        (4300, "JPY", (430000, 43)),
        (24750, "KWD", (2475, 247500)),
    ],
)
def test_a_card_is_charged_to_the_minor_unit_of_its_currency(
    total: int, currency: str, wrong: tuple[int, ...]
) -> None:
    def do(session: Session) -> None:
        for amount in wrong:
            assert refused(session, amount, currency) == "amount_mismatch"
        charging(session, total, currency)

    left = work(do, tables=desk(total, currency))
    (effect,) = left.ledger("payments")
    assert effect["payload"] == {
        "invoice": "I-1",
        "card": "card_1",
        "amount_minor": total,
        "currency": currency,
    }
    invoice, charge = left.record("invoices", "I-1"), left.record("charges", "ch_1")
    assert invoice is not None
    assert charge is not None
    assert (invoice["status"], invoice["received_minor"]) == ("paid", total)
    assert (charge["captured_minor"], charge["status"]) == (total, "succeeded")


@pytest.mark.fault("B04")
def test_a_permissive_provider_lets_the_hundredfold_happen_so_that_judging_can_see_it() -> None:
    left = work(
        lambda session: charging(session, 430000, "JPY"),
        tables=desk(4300, "JPY"),
        providers={"payments": {"charge": [{"answer": "permissive"}]}},
    )
    assert left.ledger("payments")[0]["payload"]["amount_minor"] == 430000


def test_equal_digits_in_another_currency_are_not_charged() -> None:
    def do(session: Session) -> None:
        assert refused(session, currency="USD") == "currency_mismatch"

    assert not work(do, tables=desk()).ledger("payments")


@pytest.mark.parametrize(
    ("cards", "card", "reason"),
    [
        (("active",), None, None),
        (("expired", "active"), None, None),
        (("active", "active"), None, "several_cards"),
        (("active", "active"), "card_2", None),
        (("expired",), None, "no_card"),
        (("blocked",), "card_1", "card_not_active"),
        (("active",), "card_9", "other_customer"),
        (("active",), "card_7", "not_found"),
    ],
)
def test_the_card_is_the_customers_and_there_is_no_doubt_which(
    cards: tuple[str, ...], card: str | None, reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            charging(session, card=card)
        else:
            assert refused(session, card=card) == reason

    assert len(work(do, tables=desk(cards=cards)).ledger("payments")) == (reason is None)


@pytest.mark.fault("B15")
def test_one_key_is_one_charge_also_when_the_answer_was_lost() -> None:
    def do(session: Session) -> None:
        assert failing(
            session, "payments.charge", invoice="I-1", amount_minor=1999, currency="EUR", key="k-1"
        ).code == ("timed_out")
        again = charging(session, key="k-1")
        assert (again["id"], again["replayed"]) == ("ch_1", True)
        assert refused(session, 1998, key="k-1") == "key_reused"
        assert refused(session, key="k-2") == "amount_mismatch"

    left = work(do, tables=desk(), faults=[{"on": "payments.charge", "kind": "lost_ack"}])
    assert len(left.ledger("payments")) == 1
    invoice = left.record("invoices", "I-1")
    assert invoice is not None
    assert invoice["received_minor"] == 1999


def test_a_key_that_the_service_has_forgotten_still_stands_for_its_charge() -> None:
    def do(session: Session) -> None:
        charging(session, key="k-1")
        session.call("clock.wait", duration="25h")
        assert refused(session, key="k-1") == "key_reused"

    assert len(work(do, tables=desk()).ledger("payments")) == 1


def ended(how: str, at: str) -> dict[str, Any]:
    return {"at": at, "id": f"{how}{at}", "type": f"charge.{how}", "data": {"charge": "ch_1"}}


@pytest.mark.parametrize(
    ("events", "status", "received"),
    [
        ([], "pending", 0),
        ([ended("succeeded", "+1h")], "succeeded", 1999),
        ([ended("failed", "+1h")], "failed", 0),
        ([ended("succeeded", "+1h"), ended("failed", "+2h")], "succeeded", 1999),
        ([ended("failed", "+1h"), ended("succeeded", "+2h")], "failed", 0),
        ([ended("succeeded", "+1h"), ended("succeeded", "+2h")], "succeeded", 1999),
    ],
)
def test_a_pending_charge_is_no_payment_until_it_went_through(
    events: list[dict[str, Any]], status: str, received: int
) -> None:
    def do(session: Session) -> None:
        assert charging(session)["status"] == "pending"
        assert refused(session) == "charge_pending"

    left = work(do, tables=desk(), events=events, providers=PENDING)
    invoice, charge = left.record("invoices", "I-1"), left.record("charges", "ch_1")
    assert invoice is not None
    assert charge is not None
    assert (charge["status"], charge["captured_minor"], invoice["received_minor"]) == (
        status,
        received,
        received,
    )


def test_a_charge_that_was_declined_leaves_nothing_behind() -> None:
    def do(session: Session) -> None:
        assert refused(session) == "insufficient_funds"
        assert session.call("payments.list_cards", contact="C-1")["total"] == 1

    declined = {"payments": {"charge": [{"answer": "declined", "reason": "insufficient_funds"}]}}
    assert not work(do, tables=desk(), providers=declined).changed


def test_a_withdrawn_invoice_is_not_charged_by_an_open_handed_provider() -> None:
    def do(session: Session) -> None:
        assert refused(session) == "invoice_void"

    permissive = {"payments": {"charge": [{"answer": "permissive"}]}}
    assert not work(do, tables=desk(status="void"), providers=permissive).ledger("payments")
