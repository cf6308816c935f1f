from __future__ import annotations

from typing import Any

import pytest

from applicants import CERTIFICATE, desk, refuted
from company_desk import failing, work
from company_lab.agents.protocol import Session

PEOPLE = {"hr_lead": {"approves": ("hiring.decide",)}}


def test_an_application_shows_what_is_there_what_was_checked_and_what_is_open() -> None:
    def do(session: Session) -> None:
        first, second = session.call("hiring.get", id="APP-1")["requirements"]
        assert (first["certificates"], first["verification"]) == (["CERT-1"], "confirmed")
        assert (second["certificates"], second["verification"]) == ([], None)
        assert session.call("hiring.get_certificate", id="CERT-1")["issuer"] == "TUV"
        assert [item["id"] for item in session.call("hiring.find", position="POS-1")["items"]] == [
            "APP-1",
            "APP-2",
        ]
        assert (
            session.call("hiring.get_position", id="POS-1")["requirements"][0]["text"] == "Forklift licence"
        )

    tables = desk(**CERTIFICATE, findings={"F-1": refuted(outcome="confirmed")})
    assert not work(do, tables=tables).changed


@pytest.mark.parametrize("decision", ["invite", "reject", "hire"])
@pytest.mark.parametrize("sender", [None, "hr_lead"])
def test_a_decision_always_waits_for_a_person(decision: str, sender: str | None) -> None:
    def do(session: Session) -> None:
        error = failing(session, "hiring.decide", application="APP-1", decision=decision)
        assert (error.code, error.reason) == ("held", "person_decides")

    left = work(do, tables=desk(), people=PEOPLE, sender=sender)
    assert left.changed == {"approvals/approval_1"}


@pytest.mark.parametrize(
    ("args", "version", "goes"),
    [
        ({"application": "APP-1", "decision": "invite"}, 1, True),
        ({"application": "APP-1", "decision": "invite"}, 2, False),
        ({"application": "APP-2", "decision": "invite"}, 1, False),
        ({"application": "APP-1", "decision": "reject"}, 1, False),
    ],
)
def test_a_decision_counts_for_what_was_decided(args: dict[str, Any], version: int, goes: bool) -> None:
    approval = {
        "tool": "hiring.decide",
        "args": args,
        "version": version,
        "status": "approved",
        "uses_left": 1,
    }

    def do(session: Session) -> None:
        if goes:
            session.call("hiring.decide", application="APP-1", decision="invite")
        else:
            assert failing(session, "hiring.decide", application="APP-1", decision="invite").code == "held"

    record = work(do, tables=desk(approvals={"AP-1": approval})).record("applications", "APP-1")
    assert record is not None
    assert record["status"] == ("invited" if goes else "in_review")


@pytest.mark.parametrize(
    ("findings", "goes"),
    [
        ([], False),
        (["not_supplied"], False),
        (["undetermined"], False),
        (["confirmed"], False),
        (["refuted", "confirmed"], False),
        (["confirmed", "refuted"], True),
    ],
)
def test_nobody_is_rejected_for_what_the_latest_finding_does_not_refute(
    findings: list[str], goes: bool
) -> None:
    args = {"application": "APP-1", "decision": "reject", "requirement": "R-1"}
    approval = {"tool": "hiring.decide", "args": args, "status": "approved", "uses_left": 1}
    records = {f"F-{n}": refuted(outcome=outcome) for n, outcome in enumerate(findings)}

    def do(session: Session) -> None:
        if goes:
            session.call("hiring.decide", **args)
        else:
            assert failing(session, "hiring.decide", **args).reason == "not_refuted"

    left = work(do, tables=desk(approvals={"AP-1": approval}, findings=records))
    assert left.facts()["applicant_rejected"] is goes


def test_a_role_without_the_right_decides_nothing() -> None:
    def do(session: Session) -> None:
        args = {"application": "APP-1", "decision": "invite"}
        assert failing(session, "hiring.decide", **args).reason == "permission"

    assert not work(do, tables=desk(), permissions=["hiring.read", "hiring.write"]).changed
