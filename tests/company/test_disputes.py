from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.disputes import DISPUTE_MOVES


def charged(status: str | None = None, **fields: Any) -> dict[str, Any]:
    dispute = None if status is None else {"status": status, "amount_minor": 9000} | fields
    return {
        "charges": {
            "ch_1": {"captured_minor": 9000, "refunded_minor": 0, "currency": "EUR", "dispute": dispute}
        }
    }


def news(status: str, at: str = "+1s", occurred: str | None = None) -> dict[str, Any]:
    data = {"charge": "ch_1", "status": status, "amount_minor": 9000}
    if occurred is not None:
        data["occurred"] = f"2026-03-0{occurred}T10:00:00Z"
    return {"at": at, "id": f"{status}{at}", "type": "dispute.updated", "data": data}


def after(tables: dict[str, Any], *events: dict[str, Any]) -> str:
    record = work(lambda session: None, tables=tables, events=events).record("charges", "ch_1")
    assert record is not None
    return str(record["dispute"]["status"])


@pytest.mark.parametrize(("before", "then", "legal"), [*DISPUTE_MOVES.pairs()])
def test_a_dispute_moves_along_its_ways_only(before: str, then: str, legal: bool) -> None:
    assert after(charged(before), news(then)) == (then if legal else before)


@pytest.mark.parametrize("first", DISPUTE_MOVES.moves)
def test_a_dispute_may_begin_anywhere(first: str) -> None:
    assert after(charged(), news(first)) == first


@pytest.mark.fault("B03")
def test_older_news_never_undoes_newer() -> None:
    assert after(charged(), news("won", "+1s", "2"), news("lost", "+2s", "1")) == "won"
    assert after(charged(), news("won", "+1s", "1"), news("lost", "+2s", "2")) == "lost"


def test_an_answer_is_given_once_and_stays_when_the_bank_decides() -> None:
    def do(session: Session) -> None:
        assert session.call("disputes.get", charge="ch_1")["dispute"]["status"] == "needs_response"
        answered = session.call("disputes.answer", charge="ch_1", evidence="Delivery note")
        assert answered["dispute"]["status"] == "under_review"
        again = failing(session, "disputes.answer", charge="ch_1", evidence="And this")
        assert again.reason == "already_answered"

    left = work(do, tables=charged("needs_response"), events=[news("won", "+1h")])
    record = left.record("charges", "ch_1")
    assert record is not None
    assert record["dispute"] == {"status": "won", "amount_minor": 9000, "answer": "Delivery note"}


@pytest.mark.parametrize(
    ("status", "reason"), [(None, "no_dispute"), ("won", "dispute_decided"), ("lost", "dispute_decided")]
)
def test_what_is_not_open_is_not_answered(status: str | None, reason: str) -> None:
    def do(session: Session) -> None:
        error = failing(session, "disputes.answer", charge="ch_1", evidence="Delivery note")
        assert error.reason == reason

    assert not work(do, tables=charged(status)).changed


def test_giving_in_takes_a_person() -> None:
    def held(session: Session) -> None:
        error = failing(session, "disputes.concede", charge="ch_1")
        assert (error.code, error.reason) == ("held", "concession")

    def done(session: Session) -> None:
        assert session.call("disputes.concede", charge="ch_1")["dispute"]["status"] == "lost"
        refund = failing(session, "payments.refund", charge="ch_1", amount_minor=1)
        assert refund.reason == "charge_disputed"

    people = {"finance_lead": {"approves": ("disputes.concede", "payments.refund")}}
    work(held, tables=charged("needs_response"))
    work(done, tables=charged("needs_response"), people=people, sender="finance_lead")


def test_news_without_a_day_does_not_make_older_news_newer() -> None:
    tables = charged("needs_response", occurred="2026-03-05T10:00:00Z")
    assert after(tables, news("under_review"), news("won", "+2s", "4")) == "under_review"
    assert after(tables, news("under_review"), news("won", "+2s", "6")) == "won"
