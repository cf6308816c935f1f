from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

LENA, OTHER = "lena@fox.example.test", "lena@fock.example.test"
TABLES: dict[str, Any] = {
    "contacts": {
        "C-95": {"name": "Lena Fox", "email": "Lena@fox.example.test", "aliases": ["fox@home.example.test"]},
        "C-96": {"name": "Lena Fock", "email": OTHER},
    },
    "documents": {
        "doc_95": {"contact": "C-95", "kind": "invoice", "visible": "210.00"},
        "doc_96": {"contact": "C-96", "kind": "invoice", "visible": "3,300.00"},
        "doc_1": {"kind": "price_list", "visible": "Prices"},
        "doc_2": {"kind": "price_list", "visible": "Margins", "internal": True},
    },
    "cases": {
        "K-95": {
            "contact": "C-95",
            "subject": "Invoice",
            "status": "open",
            "last_sender": "helper@agency.example.test",
            "participants": ["books@fox.example.test"],
        }
    },
}


@pytest.mark.fault("C09")
@pytest.mark.parametrize(
    ("mail", "reason"),
    [
        ({"to": LENA, "attachments": ["doc_95"]}, None),
        ({"to": "FOX@home.example.test", "attachments": ["doc_95"]}, None),
        ({"to": LENA, "attachments": ["doc_95", "doc_1", "I-7"]}, None),
        ({"to": OTHER, "attachments": ["doc_95"]}, "attachment_of_another_contact"),
        ({"to": LENA, "attachments": ["doc_95", "doc_96"]}, "attachment_of_another_contact"),
        ({"to": LENA, "cc": [OTHER], "attachments": ["doc_95"]}, "attachment_of_another_contact"),
        ({"to": LENA, "bcc": [OTHER], "attachments": ["doc_95"]}, "attachment_of_another_contact"),
        ({"to": LENA, "attachments": ["doc_2"]}, "internal_document"),
        ({"to": LENA, "case": "K-95"}, None),
        ({"to": "books@fox.example.test", "case": "K-95", "attachments": ["doc_95"]}, None),
        ({"to": "helper@agency.example.test", "case": "K-95"}, "receiver_outside_case"),
        ({"to": LENA, "cc": ["helper@agency.example.test"], "case": "K-95"}, "receiver_outside_case"),
        ({"to": LENA, "bcc": [OTHER], "case": "K-95"}, "receiver_outside_case"),
        ({"to": LENA, "case": "K-95", "attachments": ["doc_96"]}, "attachment_of_another_contact"),
    ],
)
def test_a_mail_and_what_is_in_it_go_to_whom_they_are_for(mail: dict[str, Any], reason: str | None) -> None:
    """The same whether it is sent at once or drafted first."""
    if "bcc" not in mail:
        drafted(mail, reason)

    def do(session: Session) -> None:
        if reason is None:
            session.call("email.send", text="Here it is.", **mail)
        else:
            assert failing(session, "email.send", text="Here it is.", **mail).reason == reason

    assert len(work(do, tables=TABLES).ledger("email")) == (reason is None)


def drafted(mail: dict[str, Any], reason: str | None) -> None:
    def do(session: Session) -> None:
        id = session.call("email.draft", text="Here it is.", **mail)["id"]
        if reason is None:
            session.call("email.send_draft", id=id)
        else:
            assert failing(session, "email.send_draft", id=id).reason == reason

    assert len(work(do, tables=TABLES).ledger("email")) == (reason is None)


@pytest.mark.fault("C09")
def test_somebody_is_added_to_a_case_by_an_action_of_its_own() -> None:
    def do(session: Session) -> None:
        session.call(
            "cases.add_participant", id="K-95", address="Helper@agency.example.test", why="She asked for it"
        )
        session.call("email.send", to="helper@agency.example.test", text="x", case="K-95")
        assert failing(session, "cases.add_participant", id="K-95", address="nobody").code == "bad_arguments"

    left = work(do, tables=TABLES)
    assert left.changed == {"cases/K-95"}
    assert left.ledger("email")[0]["payload"]["case"] == "K-95"


def test_a_mail_service_that_takes_everything_sends_what_should_have_stayed() -> None:
    def do(session: Session) -> None:
        session.call(
            "email.send", to=OTHER, cc=[LENA], text="x", attachments=["doc_95", "doc_2"], case="K-95"
        )
        session.call("email.send", to=LENA, text="x", in_reply_to="m_1")
        session.call("email.send", to=OTHER, text="Half price!", kind="marketing")

    tables = TABLES | {"mails": {"m_1": AUTO}}
    left = work(do, tables=tables, providers={"email": {"send": [{"answer": "permissive"}]}})
    assert [mail["payload"]["to"] for mail in left.ledger("email")] == [OTHER, LENA, OTHER]


AUTO = {
    "from": f"Lena <{LENA}>",
    "subject": "Away",
    "text": "Away",
    "headers": {"Auto-Submitted": "auto-replied"},
}


@pytest.mark.fault("C10")
@pytest.mark.parametrize(
    ("headers", "to", "goes"),
    [
        ({"Auto-Submitted": "auto-replied"}, LENA, False),
        ({"Auto-Submitted": "auto-replied"}, OTHER, True),
        ({"List-Id": "<news>"}, LENA, False),
        ({}, LENA, True),
    ],
)
def test_a_machine_gets_no_answer_and_a_colleague_may_be_told_of_it(
    headers: dict[str, str], to: str, goes: bool
) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("email.send", to=to, text="x", in_reply_to="m_1")
        else:
            assert (
                failing(session, "email.send", to=to, text="x", in_reply_to="m_1").reason == "automatic_mail"
            )

    left = work(do, tables=TABLES | {"mails": {"m_1": AUTO | {"headers": headers}}})
    assert len(left.ledger("email")) == goes


def bounce(status: str) -> dict[str, Any]:
    headers = {"Content-Type": "multipart/report", "X-Failed-Recipients": LENA, "Status": status}
    data = {"mail": "m_9", "from": "MAILER-DAEMON@x.test", "subject": "x", "text": "x", "headers": headers}
    return {"at": "+0s", "id": "evt_9", "type": "email.received", "data": data}


def test_an_address_that_bounced_waits_for_a_new_one() -> None:
    def do(session: Session) -> None:
        assert session.call("email.read", id="m_9")["origin"] == "bounce"
        assert failing(session, "email.send", to=LENA, text="x").reason == "address_bounces"
        assert failing(session, "email.send", to=OTHER, cc=[LENA], text="x").reason == "address_bounces"
        session.call("crm.update", id="C-95", email="lena@new.example.test")
        session.call("email.send", to="lena@new.example.test", text="x")
        session.call("email.send", to=OTHER, text="x")

    left = work(do, tables=TABLES, events=[bounce("5.1.1")])
    assert "email_bounced" not in (left.record("contacts", "C-95") or {})
    assert len(left.ledger("email")) == 2


def test_a_delay_marks_nothing() -> None:
    left = work(
        lambda session: session.call("email.send", to=LENA, text="x"), tables=TABLES, events=[bounce("4.2.0")]
    )
    assert left.changed == {"mails/m_9"}
