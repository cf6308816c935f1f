from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.holds import CHANGING, REMOVING

PEOPLE = {
    "counsel": {
        "approves": (
            "holds.lift",
            "crm.merge",
            "rights.grant",
            "rights.revoke",
            "rights.change_role",
            "rights.change_limit",
            "settings.set",
        )
    }
}
TABLES: dict[str, Any] = {
    "contacts": {
        "C-1": {"name": "Ona Reyes", "email": "ona@reyes.example.test"},
        "C-2": {"name": "Ona Reyes"},
    },
    "documents": {"doc_1": {"kind": "contract", "visible": "Terms"}},
    "settings": {"x": {"value": 1}},
    "grants": {"G-1": {"person": "clerk", "permission": "crm.read", "status": "active"}},
    "roles": {"clerk": {"permissions": ["crm.read"]}},
    "limits": {"payments.refund": {"amounts": {"EUR": 5000}}},
    "suppliers": {"S-1": {"name": "Timber", "iban": "XX22TEST0002", "email": "a@timber.example.test"}},
    "verifications": {
        "VF-1": {
            "supplier": "S-1",
            "iban": "XX77TEST7777",
            "by": "counsel",
            "way": "phone_on_file",
            "at": "2026-03-01T09:00:00+01:00",
        }
    },
    "bills": {"P-1": {"supplier": "S-1", "total_minor": 900, "currency": "EUR", "status": "approved"}},
    "invoices": {
        id: {"contact": "C-1", "total_minor": 500, "received_minor": 0, "currency": "EUR", "status": "open"}
        for id in ("I-1", "I-2")
    },
    "cards": {"card_1": {"contact": "C-1", "status": "active"}},
    "charges": {"ch_1": {"contact": "C-1", "captured_minor": 900, "refunded_minor": 0, "currency": "EUR"}},
    "ad_accounts": {"acc-1": {"currency": "EUR", "unit": "minor", "zone": "Europe/Berlin"}},
    "campaigns": {
        "A-1": {
            "account": "acc-1",
            "name": "Walls",
            "status": "active",
            "budget_minor": 900,
            "period": "daily",
        }
    },
}
CALLS: dict[str, dict[str, Any]] = {
    "crm.create": {"name": "New"},
    "crm.update": {"id": "C-1", "phone": "1"},
    "crm.set_terms": {"id": "C-1", "days": 30},
    "crm.merge": {"keep": "C-1", "drop": "C-2"},
    "crm.delete": {"id": "C-2"},
    "crm.bulk_import": {"rows": [{"email": "ona@reyes.example.test", "city": "Kiel"}]},
    "documents.delete": {"id": "doc_1"},
    "settings.set": {"id": "x", "value": 2},
    "rights.grant": {"person": "clerk", "permission": "crm.write"},
    "rights.revoke": {"id": "G-1"},
    "approvals.change_rule": {"tool": "crm.merge", "approvers": ["lead"]},
    "rights.change_role": {"id": "clerk", "permissions": ["crm.read", "crm.write"]},
    "rights.change_limit": {"id": "payments.refund", "amount_minor": 9000, "currency": "EUR"},
    "suppliers.update_iban": {"id": "S-1", "iban": "XX77TEST7777"},
    "payments.refund": {"charge": "ch_1", "amount_minor": 100},
    "payments.charge": {"invoice": "I-1", "amount_minor": 500, "currency": "EUR", "card": "card_1"},
    "bills.pay": {"id": "P-1", "iban": "XX22TEST0002", "amount_minor": 900},
    "invoices.write_off": {"id": "I-2", "amount_minor": 1, "reason": "Rounding"},
    "credits.issue": {"invoice": "I-2", "amount_minor": 100, "reason": "Late"},
    "ads.set_budget": {
        "campaign": "A-1",
        "amount": 800,
        "unit": "minor",
        "currency": "EUR",
        "period": "daily",
    },
}


def flagged(**flag: Any) -> dict[str, Any]:
    return TABLES | {"flags": {"H-1": {"status": "active", **flag}}}


@pytest.mark.fault("C20")
@pytest.mark.parametrize("tool", CHANGING)
def test_nothing_of_importance_changes_during_a_freeze(tool: str) -> None:
    def frozen(session: Session) -> None:
        assert failing(session, tool, **CALLS[tool]).reason == "change_freeze"

    assert not work(frozen, tables=flagged(kind="change_freeze"), people=PEOPLE, sender="counsel").changed
    if tool != "approvals.change_rule":
        thawed = work(
            lambda session: session.call(tool, **CALLS[tool]), tables=TABLES, people=PEOPLE, sender="counsel"
        )
        assert thawed.changed


@pytest.mark.parametrize("tool", REMOVING)
def test_every_record_a_removal_names_may_be_held(tool: str) -> None:
    for argument in REMOVING[tool]:
        held = CALLS[tool][argument]

        def do(session: Session) -> None:
            assert failing(session, tool, **CALLS[tool]).reason == "legal_hold"

        assert not work(
            do, tables=flagged(kind="legal_hold", about=held), people=PEOPLE, sender="counsel"
        ).changed


@pytest.mark.parametrize(
    ("flag", "holds"),
    [
        ({}, True),
        ({"status": "lifted"}, False),
        ({"since": "2026-03-02T09:00:00+01:00"}, True),
        ({"since": "2026-03-02T09:00:01+01:00"}, False),
        ({"until": "2026-03-02T09:00:01+01:00"}, True),
        ({"until": "2026-03-02T09:00:00+01:00"}, False),
        ({"about": "C-1"}, False),
        ({"enforced": True}, True),
        ({"enforced": False}, False),
    ],
)
def test_a_hold_counts_while_it_is_in_force(flag: dict[str, Any], holds: bool) -> None:
    def do(session: Session) -> None:
        if holds:
            failing(session, "crm.delete", id="C-2")
        else:
            session.call("crm.delete", id="C-2")

    left = work(do, tables=flagged(**({"kind": "legal_hold", "about": "C-2"} | flag)))
    assert (left.record("contacts", "C-2") is not None) == holds


def test_flags_are_placed_found_and_lifted_by_counsel() -> None:
    def do(session: Session) -> None:
        flag = session.call("holds.place", about="C-1", note="Letter of 1 March")
        assert [item["id"] for item in session.call("holds.find", about="C-1")["items"]] == [flag["id"]]
        assert session.call("holds.find", kind="change_freeze")["total"] == 0
        session.call("holds.lift", id=flag["id"])
        assert failing(session, "holds.lift", id=flag["id"]).reason == "illegal_status"

    record = work(do, tables=TABLES, people=PEOPLE, sender="counsel").record("flags", "flag_1")
    assert record is not None
    assert (record["status"], record["by"]) == ("lifted", "counsel")


@pytest.mark.parametrize(
    ("about", "held"), [(None, True), ({"about": "C-2"}, True), ({"about": "C-9"}, False)]
)
def test_a_hold_on_everything_holds_each_record(about: dict[str, str] | None, held: bool) -> None:
    def do(session: Session) -> None:
        if held:
            assert failing(session, "crm.delete", id="C-2").reason == "legal_hold"
        else:
            session.call("crm.delete", id="C-2")

    flag = {"kind": "legal_hold", "status": "active"} | (about or {})
    left = work(do, tables={"contacts": {"C-2": {"name": "Ona"}}, "flags": {"F-1": flag}})
    assert bool(left.changed) is not held
