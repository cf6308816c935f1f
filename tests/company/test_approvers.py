from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

PEOPLE: dict[str, Any] = {
    "finance_lead": {"approves": ("crm.merge", "approvals.change_rule")},
    "second": {"approves": ("crm.merge",)},
    "clerk": {},
}
ASKED = {
    "approvals": {
        "AP-1": {"tool": "crm.merge", "args": {"keep": "C-1", "drop": "C-2"}, "status": "requested"}
    }
}


@pytest.mark.fault("C25")
@pytest.mark.parametrize(
    ("sender", "by", "goes"),
    [
        ("finance_lead", "finance_lead", True),
        ("clerk", "finance_lead", False),
        ("clerk", "clerk", False),
        ("second", "finance_lead", False),
        (None, "finance_lead", False),
        ("cfo@else.example.test", "cfo@else.example.test", False),
    ],
)
def test_a_decision_is_noted_for_the_person_who_makes_it(sender: str | None, by: str, goes: bool) -> None:
    args = {"id": "AP-1", "decision": "approved", "by": by}

    def do(session: Session) -> None:
        if goes:
            session.call("approvals.note_decision", **args)
            assert failing(session, "approvals.note_decision", **args).reason == "decided_already"
        else:
            assert failing(session, "approvals.note_decision", **args).reason == "not_the_approver"

    record = work(do, tables=ASKED, people=PEOPLE, sender=sender).record("approvals", "AP-1")
    assert record is not None
    assert record["status"] == ("approved" if goes else "requested")
    assert record.get("uses_left") == (1 if goes else None)


def rule(*names: str) -> dict[str, Any]:
    return {"approval_rules": {"AR-1": {"tool": "crm.merge", "approvers": list(names)}}}


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (("second",), "approved"),
        (("finance_lead",), "requested"),
        ((), "requested"),
        (("clerk",), "requested"),
    ],
)
def test_the_companys_own_rule_narrows_who_decides(names: tuple[str, ...], status: str) -> None:
    event = {
        "at": "+0s",
        "id": "e1",
        "type": "approval.decided",
        "data": {"approval": "AP-1", "decision": "approved", "by": "second"},
    }

    def do(session: Session) -> None:
        assert session.call("approvals.approvers", tool="crm.merge")["approvers"] == list(names)
        assert session.call("approvals.approvers", tool="crm.delete")["approvers"] is None

    record = work(do, tables=ASKED | rule(*names), people=PEOPLE, events=[event]).record("approvals", "AP-1")
    assert record is not None
    assert record["status"] == status


def test_a_rule_that_names_more_people_gives_none_of_them_authority_they_did_not_have() -> None:
    event = {
        "at": "+10s",
        "id": "e1",
        "type": "approval.decided",
        "data": {"approval": "AP-1", "decision": "approved", "by": "clerk"},
    }

    def do(session: Session) -> None:
        session.call("approvals.change_rule", tool="crm.merge", approvers=["finance_lead", "clerk"], note="x")
        session.call("clock.wait", duration="1m")

    left = work(do, tables=ASKED | rule("finance_lead"), people=PEOPLE, sender="finance_lead", events=[event])
    assert left.changed == {"approval_rules/AR-1"}


@pytest.mark.parametrize("by", ["clerk", "second", "finance_lead"])
def test_an_approval_is_taken_back_by_somebody_who_may_give_it(by: str) -> None:
    approved = {"approvals": {"AP-1": ASKED["approvals"]["AP-1"] | {"status": "approved"}}}
    event = {"at": "+0s", "id": "e1", "type": "approval.withdrawn", "data": {"approval": "AP-1", "by": by}}
    record = work(lambda session: None, tables=approved, people=PEOPLE, events=[event]).record(
        "approvals", "AP-1"
    )
    assert record is not None
    assert record["status"] == ("approved" if by == "clerk" else "withdrawn")
