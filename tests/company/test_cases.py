from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def case(status: str = "open", **fields: Any) -> dict[str, Any]:
    return {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "cases": {"K-1": {"contact": "C-1", "subject": "Banner colours", "status": status} | fields},
    }


def test_a_case_is_opened_continued_escalated_and_closed() -> None:
    def do(session: Session) -> None:
        opened = session.call(
            "cases.create", contact="C-1", subject="Green", text="Too green.", follows="K-1"
        )
        session.call("cases.add_message", id=opened["id"], text="Still too green.")
        session.call("cases.escalate", id=opened["id"], note="She is angry.")
        session.call("cases.close", id=opened["id"])
        assert session.call("cases.find", contact="C-1", status="closed")["total"] == 1

    left = work(do, tables=case())
    record = left.record("cases", "case_1")
    assert record is not None
    assert [message["text"] for message in record["messages"]] == [
        "Too green.",
        "Still too green.",
        "She is angry.",
    ]
    assert (record["status"], record["follows"], record["queue"]) == ("closed", "K-1", "team lead")
    assert left.facts()["case_opened"] == {"K-1": False, "case_1": True}
    assert left.facts()["case_closed"] == {"K-1": False, "case_1": True}


def test_a_closed_case_takes_nothing_and_an_open_one_is_not_reopened() -> None:
    def closed(session: Session) -> None:
        assert failing(session, "cases.add_message", id="K-1", text="x").reason == "case_closed"
        assert failing(session, "cases.escalate", id="K-1").reason == "case_closed"
        assert failing(session, "cases.close", id="K-1").reason == "case_closed"

    def still_open(session: Session) -> None:
        assert failing(session, "cases.reopen", id="K-1").reason == "case_not_closed"

    assert not work(closed, tables=case("closed")).changed
    assert not work(still_open, tables=case("open")).changed


@pytest.mark.parametrize(
    ("closed", "goes"), [("2026-01-31T09:00:00+01:00", True), ("2026-01-31T08:59:59+01:00", False)]
)
def test_a_case_is_reopened_within_thirty_days(closed: str, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("cases.reopen", id="K-1")
        else:
            assert failing(session, "cases.reopen", id="K-1").reason == "reopen_window_over"

    record = work(do, tables=case("closed", closed=closed)).record("cases", "K-1")
    assert record is not None
    assert record["status"] == ("open" if goes else "closed")


def test_a_case_names_records_that_exist() -> None:
    def do(session: Session) -> None:
        for wrong in (
            {"contact": "C-9"},
            {"contact": "C-1", "order": "O-9"},
            {"contact": "C-1", "follows": "K-9"},
        ):
            assert failing(session, "cases.create", subject="x", **wrong).reason == "not_found"

    assert not work(do, tables=case()).changed
