from __future__ import annotations

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

CONTACTS = {"contacts": {"C-1": {"name": "Ida Holm", "payment_terms_days": 14, "version": 3}}}
WRITER = ["crm.read", "crm.write"]


@pytest.mark.parametrize(
    ("permissions", "sender", "reason"),
    [
        (WRITER, None, "terms_permission"),
        ([*WRITER, "crm.terms"], "front", "terms_permission"),
        ([*WRITER, "crm.terms"], "lead", None),
        (None, None, None),
    ],
)
def test_terms_need_their_right_whichever_tool_is_used(
    permissions: list[str] | None, sender: str | None, reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("crm.update", id="C-1", payment_terms_days=60)
            session.call("crm.set_terms", id="C-1", days=60)
        else:
            assert failing(session, "crm.update", id="C-1", payment_terms_days=60).reason == reason
            assert failing(session, "crm.set_terms", id="C-1", days=60).code == "refused"
            session.call("crm.update", id="C-1", phone="1", payment_terms_days=14)

    people = {"front": {"permissions": tuple(WRITER)}, "lead": {"permissions": (*WRITER, "crm.terms")}}
    record = work(do, tables=CONTACTS, permissions=permissions, people=people, sender=sender).record(
        "contacts", "C-1"
    )
    assert record is not None
    assert record["payment_terms_days"] == (60 if reason is None else 14)


@pytest.mark.parametrize("days", [-1, 366])
def test_terms_are_days_of_a_year(days: int) -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.set_terms", id="C-1", days=days).code == "bad_arguments"
        assert failing(session, "crm.update", id="C-1", payment_terms_days=days).code == "bad_arguments"
        row = {"email": "ida@holm.example.test", "payment_terms_days": days}
        assert failing(session, "crm.bulk_import", rows=[row]).code == "bad_arguments"

    assert not work(do, tables=CONTACTS).changed


def test_terms_meet_the_version_that_was_read() -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.set_terms", id="C-1", days=30, version=2).reason == "version_conflict"
        session.call("crm.set_terms", id="C-1", days=30, version=3)

    record = work(do, tables=CONTACTS).record("contacts", "C-1")
    assert record is not None
    assert (record["payment_terms_days"], record["version"]) == (30, 4)
