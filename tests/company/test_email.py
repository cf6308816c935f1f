from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

IDA = "ida@holm.example.test"


def contact(**fields: Any) -> dict[str, Any]:
    return {"contacts": {"C-1": {"name": "Ida Holm", "email": "Ida@holm.example.test"} | fields}}


def test_a_mail_leaves_the_company_with_its_subject_and_the_facts_of_the_moment() -> None:
    def do(session: Session) -> None:
        session.call("email.send", to=IDA, subject="Hello", text="How are you?", attachments=["I-1"])
        assert session.call("email.list_sent", to=IDA)["total"] == 1
        assert session.call("email.list_sent", to="somebody@else.example.test")["total"] == 0

    left = work(do, tables=contact())
    assert not left.changed
    (effect,) = left.episode.trace.by_kind("effect")
    assert effect["text"] == {"to": IDA, "text": "Hello\n\nHow are you?"}
    assert effect["facts"]["email_sent"] is True
    assert effect["payload"]["attachments"] == ["I-1"]
    assert (effect["payload"]["cc"], effect["payload"]["kind"]) == ([], "transactional")


@pytest.mark.parametrize(
    "address", ["", "Ida Holm", "ida@@holm", "ida@holm.test, x@y.test", "ida@holm.test\nBcc: x@y.test"]
)
def test_a_receiver_is_one_address(address: str) -> None:
    def do(session: Session) -> None:
        assert failing(session, "email.send", to=address, text="Hello").code == "bad_arguments"

    assert not work(do).ledger("email")


@pytest.mark.parametrize(
    ("consent", "goes"), [("opted_in", True), ("opted_out", False), ("unknown", False), (None, False)]
)
def test_advertising_needs_consent(consent: str | None, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("email.send", to=IDA, text="Two for one", kind="marketing")
        else:
            assert (
                failing(session, "email.send", to=IDA, text="Two for one", kind="marketing").reason
                == "no_consent"
            )
        session.call("email.send", to=IDA, text="Your invoice")

    left = work(do, tables=contact(**({} if consent is None else {"marketing": consent})))
    assert len(left.ledger("email")) == 1 + goes


def test_copies_of_advertising_need_consent_too() -> None:
    def do(session: Session) -> None:
        for field in ("cc", "bcc"):
            error = failing(
                session, "email.send", to=IDA, text="x", kind="marketing", **{field: ["x@else.example.test"]}
            )
            assert error.reason == "no_consent"

    assert not work(do, tables=contact(marketing="opted_in")).ledger("email")


def received(**data: Any) -> dict[str, Any]:
    mail = {"mail": "m_1", "from": "IDA@holm.example.test", "subject": "Flyers", "text": "300, please."}
    return {"at": "+0s", "id": "evt_1", "type": "email.received", "data": mail | data}


def test_a_mail_that_arrives_can_be_found_and_read() -> None:
    def do(session: Session) -> None:
        assert [mail["id"] for mail in session.call("email.find", sender=IDA)["items"]] == ["m_1"]
        assert session.call("email.read", id="m_1")["text"] == "300, please."
        assert session.call("email.find")["total"] == 1

    left = work(do, events=[received(headers={"Auto-Submitted": "no"})])
    mail = left.record("mails", "m_1")
    assert mail is not None
    assert mail["headers"] == {"Auto-Submitted": "no"}


def test_a_role_that_may_not_read_mail_does_not_see_it_arrive() -> None:
    def do(session: Session) -> None:
        assert failing(session, "email.read", id="m_1").reason == "permission"

    left = work(do, events=[received()], permissions=["email.send"])
    (event,) = left.episode.trace.by_kind("event")
    assert event["visible"] is False


CASE = {
    "K-7": {"contact": "C-1", "subject": "Banner colours", "status": "open", "thread": ["<m1@mail.test>"]}
}


@pytest.mark.fault("C07")
def test_a_conversation_holds_together_by_any_header_that_is_known() -> None:
    events = [
        received(message_id="<a@mail.test>"),
        received(mail="m_2", message_id="<b@mail.test>", in_reply_to="<a@mail.test>") | {"id": "evt_2"},
        received(
            mail="m_3", in_reply_to="<unknown@phone.test>", references=["<x@mail.test>", "<b@mail.test>"]
        )
        | {"id": "evt_3"},
        received(mail="m_4", in_reply_to="<unknown@phone.test>") | {"id": "evt_4"},
    ]

    def do(session: Session) -> None:
        for id in ("m_1", "m_2", "m_3"):
            assert [mail["id"] for mail in session.call("email.thread", id=id)["items"]] == [
                "m_1",
                "m_2",
                "m_3",
            ]
        assert [mail["id"] for mail in session.call("email.thread", id="m_4")["items"]] == ["m_4"]

    work(do, tables=contact(), events=events)


@pytest.mark.fault("C07")
@pytest.mark.parametrize(
    ("references", "case"), [(["<m1@mail.test>"], "K-7"), (["<m2@mail.test>"], None), ([], None)]
)
def test_an_answer_is_filed_with_the_case_it_refers_to(references: list[str], case: str | None) -> None:
    event = received(in_reply_to="<unknown@phone.test>", references=references)
    left = work(lambda session: None, tables=contact() | {"cases": CASE}, events=[event])
    mail = left.record("mails", "m_1")
    assert mail is not None
    assert mail.get("case") == case


def test_a_mail_says_whether_a_person_wrote_it() -> None:
    def do(session: Session) -> None:
        assert session.call("email.read", id="m_1")["origin"] == "auto_reply"

    work(do, tables=contact(), events=[received(headers={"Auto-Submitted": "auto-replied"})])
