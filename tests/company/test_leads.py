from __future__ import annotations

from company_desk import failing, work
from company_lab.agents.protocol import Session

TABLES = {
    "contacts": {"C-1": {"name": "Ida Holm"}, "C-2": {"name": "Jo Berg"}},
    "leads": {
        "L-1": {"contact": "C-1", "subject": "Flyers", "status": "open"},
        "L-2": {"contact": "C-1", "subject": "Banner", "status": "lost"},
    },
}


def test_enquiries_are_found_by_contact_and_status() -> None:
    def do(session: Session) -> None:
        assert session.call("crm.find_leads", contact="C-1")["total"] == 2
        assert [
            lead["id"] for lead in session.call("crm.find_leads", contact="C-1", status="open")["items"]
        ] == ["L-1"]
        assert session.call("crm.find_leads", contact="C-2")["items"] == []

    assert not work(do, tables=TABLES).changed


def test_an_enquiry_is_qualified_and_won_with_a_note() -> None:
    def do(session: Session) -> None:
        session.call("crm.move_lead", lead="L-1", status="qualified", note="300 flyers, A5")
        session.call("crm.move_lead", lead="L-1", status="won")
        error = failing(session, "crm.move_lead", lead="L-1", status="open")
        assert error.reason == "illegal_status"
        assert "L-1 is won and can not become open; that is final" in str(error)

    record = work(do, tables=TABLES).record("leads", "L-1")
    assert record is not None
    assert (record["status"], record["notes"]) == ("won", ["300 flyers, A5"])


def test_enquiries_of_another_tenant_are_refused() -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.find_leads", contact="C-1", tenant="northquay").reason == "other_tenant"

    work(do, tables=TABLES)
