from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company import company
from company_lab.company.merges import BELONGINGS

PEOPLE = {"lead": {"approves": ("crm.merge",)}, "front": {}}


def two(**tables: Any) -> dict[str, Any]:
    return {
        "contacts": {
            "C-1": {
                "name": "Ona Reyes",
                "email": "ona@reyes.example.test",
                "household": "H-1",
                "notes": ["mails only"],
            },
            "C-2": {
                "name": "Ona Reyes",
                "email": "ona.reyes@work.example.test",
                "phone": "+00 555 0100",
                "household": "H-2",
                "notes": ["likes blue"],
                "marketing": "opted_out",
                "marketing_since": "2025-12-01T09:00:00+01:00",
            },
            "C-3": {"name": "Tam Reyes", "household": "H-2"},
        },
        **tables,
    }


def merged(tables: dict[str, Any], keep: str = "C-1", drop: str = "C-2") -> Any:
    return work(
        lambda session: session.call("crm.merge", keep=keep, drop=drop),
        tables=tables,
        people=PEOPLE,
        sender="lead",
    )


@pytest.mark.fault("C03")
def test_what_belongs_to_the_one_that_goes_moves_over_and_nothing_else() -> None:
    left = merged(
        two(
            leads={"L-1": {"contact": "C-2", "subject": "x", "status": "open"}},
            cases={
                "K-1": {"contact": "C-2", "subject": "x", "status": "open"},
                "K-3": {"contact": "C-3", "subject": "x", "status": "open"},
            },
            documents={"doc_1": {"contact": "C-2", "kind": "letter", "visible": "x"}},
            orders={"O-1": {"contact": "C-2", "status": "ready"}},
        )
    )
    assert left.changed == {
        "contacts/C-1",
        "contacts/C-2",
        "leads/L-1",
        "cases/K-1",
        "documents/doc_1",
        "orders/O-1",
    }
    assert left.record("contacts", "C-2") is None
    assert all(
        left.record(table, id)["contact"] == "C-1"
        for table, id in (("leads", "L-1"), ("cases", "K-1"), ("documents", "doc_1"), ("orders", "O-1"))
    )
    record = left.record("contacts", "C-1")
    assert record["household"] == "H-1"
    assert record["email"] == "ona@reyes.example.test"
    assert record["aliases"] == ["ona.reyes@work.example.test"]
    assert record["phone"] == "+00 555 0100"
    assert record["notes"] == ["mails only", "likes blue"]
    assert record["merged"] == ["C-2"]


def test_a_refusal_of_advertising_survives_and_a_consent_does_not_move() -> None:
    record = merged(two()).record("contacts", "C-1")
    assert (record["marketing"], record["marketing_since"]) == ("opted_out", "2025-12-01T09:00:00+01:00")
    tables = two()
    tables["contacts"]["C-2"]["marketing"] = "opted_in"
    assert "marketing" not in merged(tables).record("contacts", "C-1")


def test_a_contact_is_not_merged_with_itself() -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.merge", keep="C-1", drop="C-1").reason == "same_contact"
        assert failing(session, "crm.merge", keep="C-1", drop="C-9").reason == "not_found"

    assert not work(do, tables=two(), people=PEOPLE, sender="lead").changed


@pytest.mark.fault("C03")
def test_a_merge_waits_and_leaves_the_request_with_both_names() -> None:
    def do(session: Session) -> None:
        error = failing(session, "crm.merge", keep="C-1", drop="C-2")
        assert (error.code, error.reason) == ("held", "merge_not_approved")

    left = work(do, tables=two(), people=PEOPLE, sender="front")
    assert left.changed == {"approvals/approval_1"}
    record = left.record("approvals", "approval_1")
    assert record is not None
    assert record["args"] == {"keep": "C-1", "drop": "C-2"}


@pytest.mark.fault("C02")
def test_duplicates_are_ranked_by_what_they_share() -> None:
    tables = two()
    tables["contacts"]["C-4"] = {"name": "ONA REYES", "email": "Ona@Reyes.example.test"}

    def do(session: Session) -> None:
        assert session.call("crm.find_duplicates", id="C-1") == {
            "items": [{"id": "C-4", "shares": ["email", "name"]}, {"id": "C-2", "shares": ["name"]}],
            "total": 2,
        }
        assert session.call("crm.find_duplicates", id="C-3")["items"] == []

    assert not work(do, tables=tables).changed


@pytest.mark.parametrize(
    ("table", "record"),
    [
        ("leads", {"contact": "C-2", "subject": "x", "status": "lost"}),
        ("cases", {"contact": "C-2", "subject": "x", "status": "closed"}),
        ("documents", {"contact": "C-2", "kind": "letter", "visible": "x"}),
        ("orders", {"contact": "C-2", "status": "ready"}),
    ],
)
def test_whoever_has_business_here_is_not_deleted(table: str, record: dict[str, Any]) -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.delete", id="C-2").reason == "still_in_use"
        session.call("crm.delete", id="C-1")

    assert work(do, tables=two(**{table: {"X-1": record}})).changed == {"contacts/C-1"}


def test_every_table_of_the_company_whose_records_belong_to_a_contact_moves_along() -> None:
    owned = {
        name
        for name, table in company.spec.tables.items()
        if (field := (table.shape.fields or {}).get("contact")) is not None and field.references == "contacts"
    }
    assert owned == set(BELONGINGS)


def test_the_survivor_knows_every_address_and_every_earlier_merge_of_both() -> None:
    tables = two()
    tables["contacts"]["C-1"] |= {"aliases": ["o@reyes.example.test"], "merged": ["C-8"]}
    tables["contacts"]["C-2"] |= {
        "aliases": ["ONA@reyes.example.test", "old@work.example.test"],
        "merged": ["C-9"],
    }
    record = merged(tables).record("contacts", "C-1")
    assert record["aliases"] == [
        "o@reyes.example.test",
        "ona.reyes@work.example.test",
        "old@work.example.test",
    ]
    assert record["merged"] == ["C-8", "C-9", "C-2"]


def test_an_address_that_is_taken_over_is_known_to_bounce_as_before() -> None:
    tables = two()
    del tables["contacts"]["C-1"]["email"]
    tables["contacts"]["C-2"]["email_bounced"] = "2026-02-01T09:00:00+01:00"
    record = merged(tables).record("contacts", "C-1")
    assert record["email"] == "ona.reyes@work.example.test"
    assert record["email_bounced"] == "2026-02-01T09:00:00+01:00"
    assert "aliases" not in record
