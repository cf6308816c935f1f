from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

IDA = "ida@holm.example.test"
QUOTE = {"contact": "C-1", "version": 2, "total_minor": 420000, "currency": "EUR", "status": "draft"}
TABLES: dict[str, Any] = {
    "contacts": {"C-1": {"name": "Ida Holm", "email": IDA}},
    "quotes": {"Q-1": QUOTE},
}
GROUNDS = [{"table": "quotes", "id": "Q-1", "fields": ["version", "total_minor", "approved_version"]}]


def revised(at: str = "+5s") -> dict[str, Any]:
    data = {"quote": "Q-1", "version": 3, "total_minor": 435000}
    return {"at": at, "id": "e1", "type": "quote.revised", "data": data}


def write(session: Session, **more: Any) -> str:
    return str(
        session.call("email.draft", to=IDA, subject="Q-1", text="4,200.00 EUR", rests_on=GROUNDS, **more)[
            "id"
        ]
    )


def test_a_draft_remembers_what_it_saw_and_leaves_as_it_was_written() -> None:
    def do(session: Session) -> None:
        id = write(session)
        draft = session.call("email.get_draft", id=id)
        assert draft["changed"] == []
        assert draft["rests_on"][0]["values"] == {"version": 2, "total_minor": 420000}
        session.call("email.send_draft", id=id)
        assert session.call("email.find_drafts", to=IDA.upper(), status="sent")["total"] == 1

    left = work(do, tables=TABLES)
    (mail,) = left.ledger("email")
    assert (mail["payload"]["draft"], mail["payload"]["to"]) == ("draft_1", IDA)
    record = left.record("drafts", "draft_1")
    assert record is not None
    assert "stale" not in record


def test_a_draft_whose_facts_changed_does_not_leave() -> None:
    def do(session: Session) -> None:
        id = write(session)
        session.call("clock.wait", duration="10s")
        assert session.call("email.get_draft", id=id)["changed"] == [
            "quotes/Q-1/version",
            "quotes/Q-1/total_minor",
        ]
        assert failing(session, "email.send_draft", id=id).reason == "facts_changed"
        again = write(session)
        session.call("email.send_draft", id=again)

    left = work(do, tables=TABLES, events=[revised()])
    assert [mail["payload"]["draft"] for mail in left.ledger("email")] == ["draft_2"]


def test_a_mail_service_that_takes_everything_leaves_it_in_the_books() -> None:
    def do(session: Session) -> None:
        id = write(session)
        session.call("clock.wait", duration="10s")
        session.call("email.send_draft", id=id)

    left = work(
        do, tables=TABLES, events=[revised()], providers={"email": {"send": [{"answer": "permissive"}]}}
    )
    record = left.record("drafts", "draft_1")
    assert record is not None
    assert (record["status"], record["stale"]) == ("sent", ["quotes/Q-1/version", "quotes/Q-1/total_minor"])


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (QUOTE, []),
        (QUOTE | {"note": "for us"}, []),
        (QUOTE | {"approved_version": None}, ["quotes/Q-1/approved_version"]),
        (QUOTE | {"total_minor": 420001}, ["quotes/Q-1/total_minor"]),
        (None, ["quotes/Q-1/version", "quotes/Q-1/total_minor"]),
    ],
)
def test_absent_and_null_and_gone_are_changes_and_other_fields_are_none(now: Any, changed: list[str]) -> None:
    seen = {**GROUNDS[0], "values": {"version": 2, "total_minor": 420000}}
    draft = {
        "to": IDA,
        "subject": "x",
        "text": "x",
        "kind": "transactional",
        "status": "draft",
        "rests_on": [seen],
    }
    tables = TABLES | {"drafts": {"D-1": draft}, "quotes": {} if now is None else {"Q-1": now}}

    def do(session: Session) -> None:
        assert session.call("email.get_draft", id="D-1")["changed"] == changed

    work(do, tables=tables)


def test_a_draft_shows_nobody_what_they_may_not_read() -> None:
    def do(session: Session) -> None:
        error = failing(session, "email.draft", to=IDA, text="x", rests_on=GROUNDS)
        assert error.reason == "unreadable_facts"
        session.call("email.draft", to=IDA, text="x")

    assert work(do, tables=TABLES, permissions=["email.send"]).changed == {"drafts/draft_1"}


def test_a_draft_rests_on_records_that_exist_and_of_tables_that_are_known() -> None:
    def do(session: Session) -> None:
        for wrong, code in (({"id": "Q-9"}, "failed"), ({"table": "secrets"}, "bad_arguments")):
            error = failing(session, "email.draft", to=IDA, text="x", rests_on=[{**GROUNDS[0], **wrong}])
            assert error.code == code

    assert not work(do, tables=TABLES).changed
