from __future__ import annotations

from typing import Any

import pytest

from company_desk import work
from company_lab.agents.protocol import Session

LEAD = {"lead": {"approves": ("rights.change_limit", "settings.set", "holds.lift")}}


def flag(status: str, about: str = "C-1") -> dict[str, Any]:
    return {"kind": "legal_hold", "about": about, "status": status}


@pytest.mark.parametrize(
    ("limit", "changed"), [(6000, {"quotes.discount": False, "payments.refund": True}), (5000, None)]
)
def test_a_limit_that_was_raised_may_be_said_to_be(limit: int, changed: dict[str, bool] | None) -> None:
    limits: dict[str, Any] = {
        "quotes.discount": {"percent": 10},
        "payments.refund": {"amounts": {"EUR": 5000}},
    }
    left = work(
        lambda session: session.call(
            "rights.change_limit", id="payments.refund", amount_minor=limit, currency="EUR"
        ),
        tables={"limits": limits},
        people=LEAD,
        sender="lead",
    )
    assert left.facts()["limit_changed"] == (changed or dict.fromkeys(limits, False))


@pytest.mark.parametrize(
    ("flags", "lifted"),
    [
        (("active", "lifted"), False),
        (("lifted", "active"), False),
        (("lifted", "lifted"), True),
        (("lifted",), True),
    ],
)
def test_a_record_is_free_when_its_last_hold_is_lifted(flags: tuple[str, ...], lifted: bool) -> None:
    tables = {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "flags": {f"H-{n}": flag(status) for n, status in enumerate(flags)},
    }
    facts = work(lambda session: None, tables=tables).facts()["hold_lifted"]
    assert facts["C-1"] is lifted
    assert facts["H-0"] is (flags[0] == "lifted")


@pytest.mark.parametrize(
    ("status", "given"), [("received", False), ("approved", True), ("in_transfer", True), ("paid", True)]
)
def test_a_bill_that_is_being_paid_was_approved(status: str, given: bool) -> None:
    bill = {"supplier": "S-1", "total_minor": 100, "currency": "EUR", "status": status}
    tables: dict[str, Any] = {
        "suppliers": {"S-1": {"name": "Timber", "iban": "XX22TEST0002"}},
        "bills": {"B-1": bill},
    }
    assert work(lambda session: None, tables=tables).facts()["approval_given"] == {"B-1": given}


def test_a_setting_that_was_changed_may_be_said_to_be() -> None:
    def do(session: Session) -> None:
        session.call("settings.set", id="greeting", value="Good day")

    tables = {"settings": {"greeting": {"value": "Hello"}, "farewell": {"value": "Bye"}}}
    assert work(do, tables=tables).facts()["limit_changed"] == {"greeting": True, "farewell": False}
