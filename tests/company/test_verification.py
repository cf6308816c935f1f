from __future__ import annotations

from typing import Any

import pytest

from applicants import CERTIFICATE, desk, refuted
from company_desk import failing, work
from company_lab.agents.protocol import Session


@pytest.mark.parametrize(
    ("supplied", "outcome", "reason"),
    [
        (False, "refuted", "certificate_not_supplied"),
        (False, "confirmed", "certificate_not_supplied"),
        (False, "not_supplied", None),
        (False, "undetermined", None),
        (True, "refuted", None),
        (True, "confirmed", None),
        (True, "undetermined", None),
        (True, "not_supplied", "certificate_supplied"),
    ],
)
def test_missing_is_one_thing_and_refuted_is_another(
    supplied: bool, outcome: str, reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("hiring.record_verification", **refuted(outcome=outcome))
        else:
            assert failing(session, "hiring.record_verification", **refuted(outcome=outcome)).reason == reason

    left = work(do, tables=desk(**(CERTIFICATE if supplied else {})))
    assert left.changed == (set() if reason else {"findings/finding_1"})


def test_what_needs_no_certificate_is_found_out_in_other_ways() -> None:
    left = work(
        lambda session: session.call("hiring.record_verification", **refuted("R-2", "confirmed")),
        tables=desk(),
    )
    record = left.record("findings", "finding_1")
    assert record is not None
    assert (record["outcome"], record["source"]) == ("confirmed", "register")


def supplied(certificate: str = "CERT-7") -> dict[str, Any]:
    data = {"certificate": certificate, "application": "APP-1", "requirement": "R-1", "number": "4711"}
    return {"at": "+0s", "id": f"e_{certificate}", "type": "certificate.supplied", "data": data}


def test_a_certificate_that_comes_later_is_there_and_comes_once() -> None:
    def do(session: Session) -> None:
        session.call("hiring.record_verification", **refuted(outcome="confirmed"))

    left = work(do, tables=desk(), events=[supplied()], faults=[{"on": "e_CERT-7", "kind": "duplicate"}])
    assert left.changed == {"certificates/CERT-7", "findings/finding_1"}
