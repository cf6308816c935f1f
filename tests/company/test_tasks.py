from __future__ import annotations

from company_desk import failing, work
from company_lab.agents.protocol import Session


def test_a_task_waits_in_its_queue() -> None:
    def do(session: Session) -> None:
        session.call("tasks.create", about="I-1", queue="finance", note="Look again tomorrow.")
        assert session.call("tasks.find", queue="finance")["total"] == 1
        assert session.call("tasks.find", about="I-1")["items"][0]["note"] == "Look again tomorrow."
        assert session.call("tasks.find", queue="sales")["total"] == 0
        assert failing(session, "tasks.create", about="I-1", queue="nobody", note="x").code == "bad_arguments"

    record = work(do).record("tasks", "task_1")
    assert record is not None
    assert record["status"] == "open"


def test_everybody_may_leave_a_task() -> None:
    left = work(
        lambda session: session.call("tasks.create", about="I-1", queue="finance", note="x"),
        permissions=[],
        people={"intern": {"permissions": ()}},
        sender="intern",
    )
    assert left.changed == {"tasks/task_1"}


def test_a_task_names_its_day_and_is_finished_by_people() -> None:
    event = {
        "at": "+1h",
        "id": "e1",
        "type": "task.moved",
        "data": {"task": "task_1", "status": "done", "by": "Ruth"},
    }

    def do(session: Session) -> None:
        session.call("tasks.create", about="I-1", queue="legal", note="x", due="2026-03-04T12:00:00+01:00")
        session.call("clock.wait", duration="2h")
        assert session.call("tasks.get", id="task_1")["status"] == "done"
        assert session.call("tasks.find", status="open")["total"] == 0

    record = work(do, events=[event]).record("tasks", "task_1")
    assert record is not None
    assert (record["due"], record["by"]) == ("2026-03-04T12:00:00+01:00", "Ruth")
