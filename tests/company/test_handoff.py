from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

TABLES: dict[str, Any] = {
    "contacts": {"C-90": {"name": "Tam"}},
    "cases": {"K-9": {"contact": "C-90", "subject": "The stand fell over", "status": "open"}},
    "queues": {"incidents": {"staffed": True, "topics": ["injury"]}, "press": {"staffed": False}},
}


def test_a_matter_waits_in_its_queue_until_somebody_takes_it() -> None:
    def do(session: Session) -> None:
        handed = session.call("handoff.to_people", about="K-9", queue="incidents", note="A visitor was hurt.")
        assert session.call("handoff.find", queue="incidents")["items"][0]["status"] == "waiting"
        session.call("clock.wait", duration="15m")
        (item,) = session.call("handoff.find", about="K-9")["items"]
        assert (item["id"], item["status"], item["by"]) == (handed["id"], "taken", "Ruth")

    event = {
        "at": "+10m",
        "id": "e1",
        "type": "handoff.moved",
        "data": {"handoff": "handoff_1", "status": "taken", "by": "Ruth"},
    }
    left = work(do, tables=TABLES, events=[event])
    assert left.facts()["handed_over"] == {"K-9": True, "handoff_1": True}


@pytest.mark.parametrize(("queue", "reason"), [("incident", "unknown_queue"), ("press", "queue_not_staffed")])
def test_a_matter_is_not_handed_to_nobody(queue: str, reason: str) -> None:
    def do(session: Session) -> None:
        assert failing(session, "handoff.to_people", about="K-9", queue=queue, note="x").reason == reason
        assert [item["id"] for item in session.call("handoff.queues")["items"]] == ["incidents", "press"]

    left = work(do, tables=TABLES)
    assert not left.changed
    assert left.facts()["handed_over"] == {"K-9": False}


def test_a_task_and_an_escalation_are_with_people_too() -> None:
    def do(session: Session) -> None:
        session.call("tasks.create", about="I-1", queue="finance", note="x")
        session.call("cases.escalate", id="K-9")

    assert work(do, tables=TABLES).facts()["handed_over"] == {"K-9": True, "I-1": True, "task_1": True}
