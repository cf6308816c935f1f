"""Every status of the people's side moves along its declared ways and along no other."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from company_desk import Left, work
from company_lab.agents.protocol import Session, ToolError
from company_lab.company.approvals import APPROVAL_MOVES
from company_lab.company.cases import CASE_MOVES
from company_lab.company.drafts import DRAFT_MOVES
from company_lab.company.handoff import HANDOFF_MOVES
from company_lab.company.hiring import APPLICATION_MOVES
from company_lab.company.holds import HOLD_MOVES
from company_lab.company.leads import LEAD_MOVES
from company_lab.company.promises import PROMISE_MOVES
from company_lab.company.rights import GRANT_MOVES
from company_lab.company.tasks import TASK_MOVES
from company_lab.company.transitions import Transitions
from company_lab.worlds import Failed

Step = tuple[str, dict[str, Any]]
CONTACT = {"contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}}}
PEOPLE = {"lead": {"approves": ("holds.lift", "rights.revoke", "payments.refund")}}
HIRING = {
    "requirements": {"R-1": {"text": "Licence", "must": True}},
    "positions": {"POS-1": {"title": "Warehouse", "requirements": ["R-1"], "status": "open"}},
}


def left_by(
    tables: dict[str, Any],
    step: Step | None = None,
    event: tuple[str, dict[str, Any]] | None = None,
    clock: str = "2026-03-02T09:00:00+01:00",
) -> Left:
    def do(session: Session) -> None:
        if step is not None:
            with suppress(ToolError):
                session.call(step[0], **step[1])

    events = [] if event is None else [{"at": "+0s", "id": "e1", "type": event[0], "data": event[1]}]
    return work(do, tables=tables, people=PEOPLE, sender="lead", events=events, clock=clock)


def status_after(left: Left, table: str, id: str) -> object:
    record = left.record(table, id)
    assert record is not None
    return record["status"]


def pairs(moves: Transitions, *unreachable: str) -> list[Any]:
    """Every move between two statuses; those a tool or an event can ask for."""
    return [
        pytest.param(before, after, legal, id=f"{before}-{after}")
        for before, after, legal in moves.pairs()
        if after not in unreachable
    ]


def check(table: str, id: str, left: Left, before: str, after: str, legal: bool) -> None:
    assert status_after(left, table, id) == (after if legal else before)
    changed = f"{table}/{id}" in left.changed
    assert changed if legal else not left.changed


CASE_STEPS: dict[str, Step] = {
    "waiting_customer": ("cases.wait", {"id": "K-1"}),
    "escalated": ("cases.escalate", {"id": "K-1"}),
    "closed": ("cases.close", {"id": "K-1"}),
}


@pytest.mark.parametrize(("before", "after", "legal"), pairs(CASE_MOVES))
def test_cases(before: str, after: str, legal: bool) -> None:
    step = CASE_STEPS.get(after) or ("cases.reopen" if before == "closed" else "cases.resume", {"id": "K-1"})
    case = {"contact": "C-1", "subject": "Banners", "status": before}
    check("cases", "K-1", left_by(CONTACT | {"cases": {"K-1": case}}, step), before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(LEAD_MOVES))
def test_leads(before: str, after: str, legal: bool) -> None:
    lead = {"contact": "C-1", "subject": "Flyers", "status": before}
    left = left_by(CONTACT | {"leads": {"L-1": lead}}, ("crm.move_lead", {"lead": "L-1", "status": after}))
    check("leads", "L-1", left, before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(DRAFT_MOVES, "draft"))
def test_drafts(before: str, after: str, legal: bool) -> None:
    draft = {
        "to": "ida@holm.example.test",
        "subject": "Hello",
        "text": "Hello",
        "kind": "transactional",
        "status": before,
    }
    tool = {"sent": "email.send_draft", "discarded": "email.discard_draft"}[after]
    left = left_by(CONTACT | {"drafts": {"D-1": draft}}, (tool, {"id": "D-1"}))
    check("drafts", "D-1", left, before, after, legal)
    assert len(left.ledger("email")) == (legal and after == "sent")


@pytest.mark.parametrize(("before", "after", "legal"), pairs(HOLD_MOVES, "active"))
def test_holds(before: str, after: str, legal: bool) -> None:
    flag = {"kind": "legal_hold", "about": "C-1", "status": before}
    left = left_by({"flags": {"H-1": flag}}, ("holds.lift", {"id": "H-1"}))
    check("flags", "H-1", left, before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(GRANT_MOVES, "active"))
def test_grants(before: str, after: str, legal: bool) -> None:
    grant = {"person": "clerk", "permission": "crm.read", "status": before}
    left = left_by({"grants": {"G-1": grant}}, ("rights.revoke", {"id": "G-1"}))
    check("grants", "G-1", left, before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(PROMISE_MOVES, "open"))
def test_promises(before: str, after: str, legal: bool) -> None:
    due = f"2026-03-02T09:00:0{0 if after == 'broken' else 1}+01:00"
    step: Step = ("cases.keep_promise", {"promise": "P-1"})
    if after == "waived":
        step = ("cases.waive_promise", {"promise": "P-1", "why": "x"})
    tables = CONTACT | {
        "cases": {"K-1": {"contact": "C-1", "subject": "Banners", "status": "open"}},
        "promises": {"P-1": {"case": "K-1", "text": "An answer", "due": due, "status": before}},
    }
    check(
        "promises",
        "P-1",
        left_by(tables, step),
        before,
        after,
        legal,
    )


APPLICATION_STEPS: dict[str, Step] = {
    "in_review": ("hiring.review", {"application": "APP-1"}),
    "invited": ("hiring.decide", {"application": "APP-1", "decision": "invite"}),
    "rejected": ("hiring.decide", {"application": "APP-1", "decision": "reject"}),
    "hired": ("hiring.decide", {"application": "APP-1", "decision": "hire"}),
}


@pytest.mark.parametrize(("before", "after", "legal"), pairs(APPLICATION_MOVES, "received", "withdrawn"))
def test_applications(before: str, after: str, legal: bool) -> None:
    tool, args = APPLICATION_STEPS[after]
    tables = HIRING | {
        "applications": {"APP-1": {"position": "POS-1", "name": "Noor Haddad", "status": before}},
        "approvals": {"AP-1": {"tool": tool, "args": args, "status": "approved"}},
    }
    check("applications", "APP-1", left_by(tables, (tool, args)), before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(HANDOFF_MOVES))
def test_handoffs(before: str, after: str, legal: bool) -> None:
    tables = {"handoffs": {"HO-1": {"about": "K-1", "queue": "press", "note": "x", "status": before}}}
    left = left_by(tables, event=("handoff.moved", {"handoff": "HO-1", "status": after}))
    check("handoffs", "HO-1", left, before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(TASK_MOVES))
def test_tasks(before: str, after: str, legal: bool) -> None:
    tables = {"tasks": {"T-1": {"about": "K-1", "queue": "support", "note": "x", "status": before}}}
    left = left_by(tables, event=("task.moved", {"task": "T-1", "status": after}))
    check("tasks", "T-1", left, before, after, legal)


@pytest.mark.parametrize(("before", "after", "legal"), pairs(APPROVAL_MOVES, "requested", "used"))
def test_approvals(before: str, after: str, legal: bool) -> None:
    tables = {
        "approvals": {"AP-1": {"tool": "payments.refund", "args": {"charge": "ch_1"}, "status": before}}
    }
    decided = {"approval": "AP-1", "decision": after, "by": "lead"}
    events: dict[str, tuple[str, dict[str, Any]]] = {
        "withdrawn": ("approval.withdrawn", {"approval": "AP-1", "by": "lead"})
    }
    left = left_by(tables, event=events.get(after, ("approval.decided", decided)))
    check("approvals", "AP-1", left, before, after, legal)


@pytest.mark.parametrize(
    "moves",
    [
        APPROVAL_MOVES,
        APPLICATION_MOVES,
        CASE_MOVES,
        DRAFT_MOVES,
        GRANT_MOVES,
        HANDOFF_MOVES,
        HOLD_MOVES,
        LEAD_MOVES,
        PROMISE_MOVES,
        TASK_MOVES,
    ],
)
def test_every_way_leads_to_a_status_that_is_declared(moves: Transitions) -> None:
    assert all(after in moves.moves for ways in moves.moves.values() for after in ways)


def test_an_illegal_move_says_what_is_possible() -> None:
    with pytest.raises(Failed, match="K-7 is closed and can not become escalated; it can become open"):
        CASE_MOVES.check("K-7", {"status": "closed"}, "escalated")
