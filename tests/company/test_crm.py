from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

CONTACTS = {
    "contacts": {
        "C-1": {"name": "Mara Voss", "email": "mara.voss@example.test", "company": "Voss GmbH"},
        "C-2": {"name": "Jo Berg", "email": "jo@alder.example.test", "company": "Alder Print"},
        "C-3": {
            "name": "Jo Berg",
            "email": "jo@fjord.example.test",
            "company": "Fjord Events",
            "marketing": "opted_out",
        },
    }
}


def found(answer: Any) -> list[str]:
    return [item["id"] for item in answer["items"]]


@pytest.mark.fault("C01")
def test_addresses_are_found_in_any_letter_case() -> None:
    def do(session: Session) -> None:
        assert found(session.call("crm.find", email="Mara.Voss@Example.TEST")) == ["C-1"]
        assert found(session.call("crm.find", email="mara.voss@example.com")) == []

    work(do, tables=CONTACTS)


@pytest.mark.fault("C04")
def test_a_name_may_fit_several_people_and_a_company_tells_them_apart() -> None:
    def do(session: Session) -> None:
        assert found(session.call("crm.find", name="jo berg")) == ["C-2", "C-3"]
        assert found(session.call("crm.find", name="J. Berg")) == ["C-2", "C-3"]
        assert found(session.call("crm.find", name="Jo Berg", company="fjord events")) == ["C-3"]

    work(do, tables=CONTACTS)


def test_results_come_in_pages() -> None:
    def do(session: Session) -> None:
        first = session.call("crm.find", name="Jo", limit=1)
        assert (found(first), first["total"], first["next"]) == (["C-2"], 2, 2)
        last = session.call("crm.find", name="Jo", limit=1, page=2)
        assert (found(last), last["total"], last["next"]) == (["C-3"], 2, None)
        assert failing(session, "crm.find", name="Jo", limit=0).code == "bad_arguments"

    work(do, tables=CONTACTS)


def test_a_search_for_nothing_fails() -> None:
    work(lambda session: failing(session, "crm.find"), tables=CONTACTS)


def test_only_the_fields_given_are_written() -> None:
    def do(session: Session) -> None:
        session.call("crm.update", id="C-1", address="Quay 9")
        assert failing(session, "crm.update", id="C-1").reason == "nothing_to_change"
        assert failing(session, "crm.update", id="C-9", address="Quay 9").reason == "not_found"

    left = work(do, tables=CONTACTS)
    assert left.record("contacts", "C-1") == CONTACTS["contacts"]["C-1"] | {"address": "Quay 9"}
    assert left.changed == {"contacts/C-1"}


def test_consent_changes_only_through_its_own_tool() -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.update", id="C-3", marketing="opted_in").code == "bad_arguments"
        session.call("crm.record_consent", id="C-3", marketing="opted_in", source="signed form")

    left = work(do, tables=CONTACTS)
    record = left.record("contacts", "C-3")
    assert record is not None
    assert record["marketing"] == "opted_in"
    assert record["marketing_source"] == "signed form"
    assert record["marketing_since"].startswith("2026-03-02T09:00:01")


def test_a_second_contact_for_an_address_is_not_prevented_so_that_it_can_be_noticed() -> None:
    left = work(
        lambda session: session.call("crm.create", name="Mara Voss", email="mara.voss@example.test"),
        tables=CONTACTS,
    )
    assert left.changed == {"contacts/contact_1"}


def test_notes_are_added_and_never_replaced() -> None:
    def do(session: Session) -> None:
        session.call("crm.add_note", id="C-1", note="first")
        session.call("crm.add_note", id="C-1", note="second")

    left = work(do, tables=CONTACTS)
    record = left.record("contacts", "C-1")
    assert record is not None
    assert record["notes"] == ["first", "second"]


def test_leads_belong_to_a_contact() -> None:
    def do(session: Session) -> None:
        lead = session.call("crm.create_lead", contact="C-1", subject="Flyers")
        session.call("crm.add_lead_note", lead=lead["id"], note="thicker paper")
        assert found(session.call("crm.find_leads", contact="C-1", status="open")) == ["lead_1"]
        assert found(session.call("crm.find_leads", contact="C-2")) == []
        assert failing(session, "crm.create_lead", contact="C-9", subject="Flyers").reason == "not_found"

    work(do, tables=CONTACTS)


def test_writing_needs_the_right_to_write() -> None:
    def do(session: Session) -> None:
        session.call("crm.get", id="C-1")
        assert failing(session, "crm.update", id="C-1", address="Quay 9").reason == "permission"

    assert not work(do, tables=CONTACTS, permissions=["crm.read"]).changed


VERSIONED = {"contacts": {"C-8": {"name": "Kim", "phone": "111", "email": "kim@example.test", "version": 3}}}
CHANGED = {
    "at": "+5s",
    "id": "e1",
    "type": "contact.changed",
    "data": {"contact": "C-8", "phone": "222", "by": "Jo"},
}


@pytest.mark.fault("C21")
def test_who_names_the_version_they_read_does_not_write_over_a_colleague() -> None:
    def do(session: Session) -> None:
        read = session.call("crm.get", id="C-8")
        session.call("clock.wait", duration="10s")
        error = failing(
            session, "crm.update", id="C-8", phone=read["phone"], city="Kiel", version=read["version"]
        )
        assert (error.code, error.reason) == ("refused", "version_conflict")
        session.call(
            "crm.update", id="C-8", city="Kiel", version=session.call("crm.get", id="C-8")["version"]
        )

    record = work(do, tables=VERSIONED, events=[CHANGED]).record("contacts", "C-8")
    assert record is not None
    assert (record["phone"], record["city"], record["version"]) == ("222", "Kiel", 5)


def test_who_names_no_version_writes_last() -> None:
    def do(session: Session) -> None:
        session.call("clock.wait", duration="10s")
        session.call("crm.update", id="C-8", phone="111")
        session.call("crm.add_note", id="C-8", note="prefers mail")

    record = work(do, tables=VERSIONED, events=[CHANGED]).record("contacts", "C-8")
    assert record is not None
    assert (record["phone"], record["notes"], record["version"]) == ("111", ["prefers mail"], 6)


def test_writing_what_is_there_already_makes_no_version() -> None:
    def do(session: Session) -> None:
        session.call("crm.update", id="C-8", phone="111", email="kim@example.test")

    assert not work(do, tables=VERSIONED).changed
