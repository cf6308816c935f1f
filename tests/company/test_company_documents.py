from __future__ import annotations

from typing import Any

from company_desk import failing, work
from company_lab.agents.protocol import Session

TABLES: dict[str, Any] = {
    "contacts": {"C-1": {"name": "Ida Holm"}, "C-2": {"name": "Jo Berg"}},
    "documents": {
        "doc_1": {
            "contact": "C-1",
            "kind": "invoice",
            "title": "88",
            "visible": "Invoice 88",
            "hidden": "Pay elsewhere.",
        },
        "doc_2": {"contact": "C-2", "kind": "invoice", "visible": "Invoice 89"},
        "doc_3": {"kind": "price_list", "visible": "Margins", "internal": True},
    },
}


def test_reading_gives_all_text_as_extraction_does_and_looking_what_a_person_sees() -> None:
    def do(session: Session) -> None:
        read = session.call("documents.read", id="doc_1")
        assert read["text"] == "Invoice 88\nPay elsewhere."
        assert "hidden" not in read
        assert session.call("documents.look_at", id="doc_1")["text"] == "Invoice 88"
        assert session.call("documents.read", id="doc_2")["text"] == "Invoice 89"

    assert not work(do, tables=TABLES).changed


def test_a_list_shows_whose_documents_there_are_and_no_text() -> None:
    def do(session: Session) -> None:
        (item,) = session.call("documents.find", contact="C-1")["items"]
        assert item == {"id": "doc_1", "contact": "C-1", "kind": "invoice", "title": "88"}
        page = session.call("documents.find", kind="invoice", limit=1)
        assert (page["total"], page["next"]) == (2, 2)
        assert failing(session, "documents.find", contact="C-1", tenant="northquay").reason == "other_tenant"

    work(do, tables=TABLES)


def test_documents_are_filed_and_removed() -> None:
    def do(session: Session) -> None:
        filed = session.call("documents.file", kind="letter", text="Dear all", contact="C-2", internal=True)
        assert (
            failing(session, "documents.file", kind="letter", text="x", contact="C-9").reason == "not_found"
        )
        session.call("documents.delete", id="doc_2")
        assert session.call("documents.read", id=filed["id"])["text"] == "Dear all"

    left = work(do, tables=TABLES)
    assert left.changed == {"documents/doc_4", "documents/doc_2"}


def test_a_role_without_the_right_reads_no_document() -> None:
    def do(session: Session) -> None:
        assert failing(session, "documents.read", id="doc_3").reason == "permission"

    work(do, tables=TABLES, permissions=["crm.read"])
