from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.rights import CHANGES

PEOPLE = {"lead": {"approves": CHANGES}, "front": {}}
TABLES: dict[str, Any] = {
    "roles": {"billing": {"permissions": ["payments.read"]}},
    "grants": {"G-1": {"person": "clerk", "permission": "crm.read", "status": "active"}},
    "limits": {"payments.refund": {"amounts": {"EUR": 5000, "CHF": 5000}}},
    "approval_rules": {"AR-1": {"tool": "payments.refund", "approvers": ["finance_lead"]}},
}
CALLS: dict[str, dict[str, Any]] = {
    "rights.grant": {"person": "clerk", "permission": "payments.refund"},
    "rights.revoke": {"id": "G-1"},
    "rights.change_role": {"id": "billing", "permissions": ["payments.read", "payments.refund"]},
    "rights.change_limit": {"id": "payments.refund", "amount_minor": 50000, "currency": "EUR"},
    "approvals.change_rule": {"tool": "payments.refund", "approvers": ["finance_lead", "clerk"]},
}


@pytest.mark.parametrize("tool", CHANGES)
@pytest.mark.parametrize(("sender", "goes"), [("lead", True), ("front", False), (None, False)])
def test_who_may_what_changes_through_somebody_who_may_decide_it(
    tool: str, sender: str | None, goes: bool
) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call(tool, **CALLS[tool])
        else:
            error = failing(session, tool, **CALLS[tool])
            assert (error.code, error.reason) == ("held", "rights_change")

    left = work(do, tables=TABLES, people=PEOPLE, sender=sender)
    assert bool(left.changed - {"approvals/approval_1"}) == goes


@pytest.mark.parametrize("tool", CHANGES)
def test_an_approval_carries_a_change_once(tool: str) -> None:
    approval = {"tool": tool, "args": CALLS[tool], "status": "approved", "uses_left": 1, "by": "lead"}

    def do(session: Session) -> None:
        session.call(tool, **CALLS[tool])
        assert failing(session, tool, **CALLS[tool]).code == "held"

    record = work(do, tables=TABLES | {"approvals": {"AP-1": approval}}).record("approvals", "AP-1")
    assert record is not None
    assert record["status"] == "used"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("rights.grant", {"person": "lead", "permission": "payments.refund"}),
        ("rights.grant", {"person": "agent", "permission": "payments.refund"}),
        ("approvals.change_rule", {"tool": "payments.refund", "approvers": ["finance_lead", "lead"]}),
        ("approvals.change_rule", {"tool": "crm.merge", "approvers": ["agent"]}),
    ],
)
def test_nobody_gives_rights_to_themselves_with_any_approval(tool: str, args: dict[str, Any]) -> None:
    approval = {"tool": tool, "args": args, "status": "approved"}

    def do(session: Session) -> None:
        assert failing(session, tool, **args).reason == "self_grant"

    assert not work(
        do, tables=TABLES | {"approvals": {"AP-1": approval}}, people=PEOPLE, sender="lead"
    ).changed


def test_rights_are_listed_for_everybody_and_changed_with_the_right_to() -> None:
    def do(session: Session) -> None:
        assert session.call("rights.roles")["items"][0]["id"] == "billing"
        assert session.call("rights.find", person="clerk")["total"] == 1
        for tool in CHANGES:
            assert failing(session, tool, **CALLS[tool]).reason == "permission"

    assert not work(do, tables=TABLES, permissions=["crm.read"], people=PEOPLE, sender="lead").changed


def test_a_limit_changes_in_one_currency_and_counts_at_once() -> None:
    charges = {"ch_1": {"captured_minor": 20000, "refunded_minor": 0, "currency": "EUR"}}

    def do(session: Session) -> None:
        assert (
            failing(session, "payments.refund", charge="ch_1", amount_minor=8000).reason
            == "above_refund_limit"
        )
        changed = session.call("rights.change_limit", **CALLS["rights.change_limit"])
        assert changed["amounts"] == {"EUR": 50000, "CHF": 5000}
        session.call("payments.refund", charge="ch_1", amount_minor=8000)

    left = work(do, tables=TABLES | {"charges": charges}, people=PEOPLE, sender="lead")
    assert {"limits/payments.refund", "charges/ch_1"} <= left.changed


def test_a_limit_nobody_has_set_down_is_not_found() -> None:
    def do(session: Session) -> None:
        call = CALLS["rights.change_limit"] | {"id": "payments.charge"}
        assert failing(session, "rights.change_limit", **call).reason == "not_found"

    assert not work(do, tables=TABLES, people=PEOPLE, sender="lead").changed
