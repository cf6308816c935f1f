from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def desk(ours: int = 0, theirs: int | None = 2400) -> dict[str, Any]:
    charge = {"captured_minor": 6400, "refunded_minor": ours, "currency": "EUR"}
    known = {} if theirs is None else {"ch_1": charge | {"refunded_minor": theirs}}
    return {"charges": {"ch_1": charge}, "processor_charges": known}


@pytest.mark.fault("B25")
def test_the_books_are_put_right_before_more_goes_back() -> None:
    def do(session: Session) -> None:
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=1).reason == "books_disagree"
        assert session.call("processor.get", charge="ch_1")["refunded_minor"] == 2400
        for amount in (2399, 2401):
            error = failing(session, "processor.record_refund", charge="ch_1", amount_minor=amount)
            assert error.reason == "amount_mismatch"
        session.call("processor.record_refund", charge="ch_1", amount_minor=2400)
        again = failing(session, "processor.record_refund", charge="ch_1", amount_minor=2400)
        assert again.reason == "amount_mismatch"
        error = failing(session, "payments.refund", charge="ch_1", amount_minor=4001)
        assert error.reason == "exceeds_refundable"
        session.call("payments.refund", charge="ch_1", amount_minor=4000)
        assert session.call("processor.get", charge="ch_1")["refunded_minor"] == 6400

    left = work(do, tables=desk())
    assert len(left.ledger("payments")) == 1


def test_where_both_agree_nothing_is_written_down() -> None:
    def agree(session: Session) -> None:
        error = failing(session, "processor.record_refund", charge="ch_1", amount_minor=1)
        assert error.reason == "amount_mismatch"
        session.call("payments.refund", charge="ch_1", amount_minor=100)
        session.call("payments.refund", charge="ch_1", amount_minor=101)

    def unknown(session: Session) -> None:
        error = failing(session, "processor.record_refund", charge="ch_1", amount_minor=1)
        assert error.reason == "nothing_missing"
        assert session.call("processor.get", charge="ch_1")["refunded_minor"] == 0

    work(agree, tables=desk(2400))
    work(unknown, tables=desk(theirs=None))
