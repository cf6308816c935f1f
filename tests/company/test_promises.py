from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

TABLES: dict[str, Any] = {
    "contacts": {"C-1": {"name": "Ida Holm"}},
    "cases": {"K-1": {"contact": "C-1", "subject": "Banners", "status": "open"}},
}


@pytest.mark.parametrize(
    ("due", "goes"),
    [
        ("2026-03-02T09:00:01+01:00", True),
        ("2026-03-02T09:00:00+01:00", False),
        ("2026-03-02T08:00:01Z", True),
        ("2026-03-02T08:30:00+02:00", False),
    ],
)
def test_a_promise_is_for_later_in_whatever_zone_it_is_written(due: str, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("cases.promise", id="K-1", text="An answer", due=due)
        else:
            error = failing(session, "cases.promise", id="K-1", text="An answer", due=due)
            assert error.reason == "promise_in_the_past"

    assert len(work(do, tables=TABLES).changed) == goes


def test_promises_come_with_the_earliest_first_and_say_whether_they_are_overdue() -> None:
    def do(session: Session) -> None:
        for hours in (5, 2, 3):
            session.call(
                "cases.promise",
                id="K-1",
                text=f"In {hours} hours",
                due=f"2026-03-02T{9 + hours:02}:00:00+01:00",
            )
        session.call("clock.wait", duration="2h")
        found = session.call("cases.find_promises", case="K-1", status="open")["items"]
        assert [(item["text"], item["overdue"]) for item in found] == [
            ("In 2 hours", True),
            ("In 3 hours", False),
            ("In 5 hours", False),
        ]
        assert session.call("cases.keep_promise", promise="promise_2")["status"] == "broken"
        assert session.call("cases.keep_promise", promise="promise_3")["status"] == "kept"
        assert (
            failing(session, "cases.promise", id="K-9", text="x", due="2026-03-03T09:00:00Z").reason
            == "not_found"
        )

    assert work(do, tables=TABLES).changed == {
        "promises/promise_1",
        "promises/promise_2",
        "promises/promise_3",
    }


def test_a_case_stays_open_until_everything_promised_in_it_is_settled() -> None:
    def do(session: Session) -> None:
        session.call("cases.promise", id="K-1", text="An answer", due="2026-03-03T09:00:00Z")
        assert failing(session, "cases.close", id="K-1").reason == "promise_open"
        session.call("cases.waive_promise", promise="promise_1", why="She found the answer herself.")
        session.call("cases.close", id="K-1")

    left = work(do, tables=TABLES, people={"front": {}}, sender="front")
    record = left.record("promises", "promise_1")
    assert record is not None
    assert (record["status"], record["by"], record["note"]) == (
        "waived",
        "front",
        "She found the answer herself.",
    )
