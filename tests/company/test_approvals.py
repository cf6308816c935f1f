from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

CHARGE = {"charges": {"ch_1": {"captured_minor": 20000, "refunded_minor": 0, "currency": "EUR"}}}
LEAD = {"finance_lead": {"approves": ("payments.refund",)}, "clerk": {}}


def approved(**fields: Any) -> dict[str, Any]:
    record = {
        "tool": "payments.refund",
        "args": {"charge": "ch_1", "amount_minor": 8000},
        "status": "approved",
    }
    return CHARGE | {"approvals": {"AP-1": record | fields}}


@pytest.mark.fault("C14")
def test_an_approval_lets_exactly_its_arguments_through() -> None:
    def do(session: Session) -> None:
        session.call("payments.refund", charge="ch_1", amount_minor=8000, currency="EUR", key="k")

    assert len(work(do, tables=approved()).ledger("payments")) == 1


@pytest.mark.fault("C14")
@pytest.mark.parametrize("amount", [7999, 8001])
def test_another_amount_is_another_action(amount: int) -> None:
    def do(session: Session) -> None:
        assert (
            failing(session, "payments.refund", charge="ch_1", amount_minor=amount).reason
            == "above_refund_limit"
        )

    assert not work(do, tables=approved()).ledger("payments")


@pytest.mark.fault("C24")
@pytest.mark.parametrize(("amount", "goes"), [(5001, True), (8000, True), (8001, False)])
def test_a_maximum_bounds_the_amount(amount: int, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("payments.refund", charge="ch_1", amount_minor=amount)
        else:
            failing(session, "payments.refund", charge="ch_1", amount_minor=amount)

    left = work(do, tables=approved(args={"charge": "ch_1"}, max_amount_minor=8000))
    assert len(left.ledger("payments")) == goes


@pytest.mark.fault("C24")
@pytest.mark.parametrize(
    ("expires", "goes"), [("2026-03-02T09:00:00+01:00", False), ("2026-03-02T09:00:01+01:00", True)]
)
def test_an_approval_ends_at_its_expiry_and_not_after(expires: str, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("payments.refund", charge="ch_1", amount_minor=8000)
        else:
            failing(session, "payments.refund", charge="ch_1", amount_minor=8000)

    assert len(work(do, tables=approved(expires=expires)).ledger("payments")) == goes


@pytest.mark.parametrize("status", ["requested", "rejected", "used"])
def test_only_an_approval_that_was_given_counts(status: str) -> None:
    def do(session: Session) -> None:
        failing(session, "payments.refund", charge="ch_1", amount_minor=8000)

    assert not work(do, tables=approved(status=status)).ledger("payments")


@pytest.mark.fault("C24")
def test_an_approval_is_used_as_often_as_it_says() -> None:
    def do(session: Session) -> None:
        session.call("payments.refund", charge="ch_1", amount_minor=8000)
        session.call("payments.refund", charge="ch_1", amount_minor=8000)
        failing(session, "payments.refund", charge="ch_1", amount_minor=8000)

    tables = approved(uses_left=2)
    tables["charges"] = {"ch_1": {"captured_minor": 90000, "refunded_minor": 0, "currency": "EUR"}}
    left = work(do, tables=tables)
    record = left.record("approvals", "AP-1")
    assert record is not None
    assert (record["uses_left"], record["status"]) == (0, "used")
    assert left.settled["writers"]["approvals/AP-1/uses_left"] == ["guard", "guard"]


def test_a_declined_refund_uses_up_nothing() -> None:
    def do(session: Session) -> None:
        failing(session, "payments.refund", charge="ch_1", amount_minor=8000)

    left = work(
        do,
        tables=approved(uses_left=1),
        providers={"payments": {"refund": [{"answer": "declined", "reason": "no"}]}},
    )
    assert not left.changed


def test_asking_writes_a_request_and_carries_out_nothing() -> None:
    args = {"charge": "ch_1", "amount_minor": 8000}

    def do(session: Session) -> None:
        asked = session.call("approvals.request", tool="payments.refund", args=args, note="She is right.")
        assert session.call("approvals.request", tool="payments.refund", args=args)["id"] == asked["id"]
        assert failing(
            session, "approvals.request", tool="payments.refund", args=args | {"amount_minor": 5000}
        ).reason == ("not_needed")
        assert failing(
            session, "approvals.request", tool="payments.refund", args=args | {"amount_minor": 20001}
        ).reason == ("never_allowed")
        assert failing(session, "approvals.request", tool="payments.fund", args=args).reason == "unknown_tool"
        assert (
            failing(session, "approvals.request", tool="payments.refund", args={}).reason == "bad_arguments"
        )

    left = work(do, tables=CHARGE, people=LEAD, sender="clerk")
    assert left.changed == {"approvals/approval_1"}
    record = left.record("approvals", "approval_1")
    assert record is not None
    assert (record["status"], record["reason"], record["requested_by"]) == (
        "requested",
        "above_refund_limit",
        "clerk",
    )
    assert not left.ledger("payments")


@pytest.mark.fault("C25")
@pytest.mark.parametrize(
    ("by", "status"), [("finance_lead", "approved"), ("clerk", "requested"), ("stranger", "requested")]
)
def test_only_somebody_who_may_approve_decides(by: str, status: str) -> None:
    def do(session: Session) -> None:
        session.call(
            "approvals.request", tool="payments.refund", args={"charge": "ch_1", "amount_minor": 8000}
        )
        session.call("clock.wait", duration="1h")
        session.call("approvals.get", id="approval_1")
        if status == "approved":
            session.call("payments.refund", charge="ch_1", amount_minor=8000)
        failing(session, "payments.refund", charge="ch_1", amount_minor=8000)

    event = {
        "at": "+10m",
        "id": "e1",
        "type": "approval.decided",
        "data": {"approval": "approval_1", "decision": "approved", "by": by},
    }
    left = work(do, tables=CHARGE, people=LEAD, events=[event])
    assert len(left.ledger("payments")) == (status == "approved")


def test_a_decision_stands() -> None:
    def decided(at: str, decision: str) -> dict[str, Any]:
        data = {"approval": "AP-1", "decision": decision, "by": "finance_lead"}
        return {"at": at, "id": f"e{at}", "type": "approval.decided", "data": data}

    left = work(
        lambda session: None,
        tables=approved(status="requested"),
        people=LEAD,
        events=[decided("+1s", "rejected"), decided("+2s", "approved")],
    )
    record = left.record("approvals", "AP-1")
    assert record is not None
    assert record["status"] == "rejected"


QUOTE: dict[str, Any] = {
    "contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}},
    "quotes": {
        "Q-1": {
            "contact": "C-1",
            "version": 3,
            "approved_version": None,
            "total_minor": 400000,
            "currency": "EUR",
            "status": "draft",
        }
    },
}
SALES = {"sales_lead": {"approves": ("quotes.send",)}, "clerk": {}}


def decided(at: str, **data: Any) -> dict[str, Any]:
    return {
        "at": at,
        "id": f"evt_{at.strip('+')}",
        "type": "approval.decided",
        "data": {"approval": "approval_1", "decision": "approved", "by": "sales_lead"} | data,
    }


def asked(session: Session) -> Any:
    return session.call("approvals.request", tool="quotes.send", args={"id": "Q-1"})


@pytest.mark.fault("C16")
def test_a_request_for_a_changed_quote_is_another_request() -> None:
    def do(session: Session) -> None:
        assert asked(session)["version"] == 3
        assert asked(session)["id"] == "approval_1"
        session.call("quotes.revise", id="Q-1", total_minor=420000)
        again = asked(session)
        assert (again["id"], again["version"]) == ("approval_2", 4)

    work(do, tables=QUOTE)


@pytest.mark.fault("C16")
def test_a_decision_about_an_older_version_does_not_carry_the_newer_one() -> None:
    def do(session: Session) -> None:
        asked(session)
        session.call("quotes.revise", id="Q-1", total_minor=420000)
        session.call("clock.wait", duration="2h")
        assert session.call("quotes.get", id="Q-1")["approved_version"] == 3
        assert failing(session, "quotes.send", id="Q-1").reason == "quote_changed"

    assert not work(do, tables=QUOTE, people=SALES, events=[decided("+1h")]).ledger("email")


@pytest.mark.parametrize(("bound", "sets"), [({}, 3), ({"version": 3}, 3), ({"version": 9}, None)])
def test_a_decision_about_sending_a_quote_approves_its_version(
    bound: dict[str, int], sets: int | None
) -> None:
    def do(session: Session) -> None:
        asked(session)
        session.call("clock.wait", duration="2h")
        assert session.call("quotes.get", id="Q-1")["approved_version"] == sets

    work(do, tables=QUOTE, people=SALES, events=[decided("+1h", **bound)])


def test_a_rejection_approves_no_version() -> None:
    def do(session: Session) -> None:
        asked(session)
        session.call("clock.wait", duration="2h")
        assert session.call("quotes.get", id="Q-1")["approved_version"] is None

    work(do, tables=QUOTE, people=SALES, events=[decided("+1h", decision="rejected")])
