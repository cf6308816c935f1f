from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def desk(limit: dict[str, Any] | None, currency: str = "EUR") -> dict[str, Any]:
    charge = {"captured_minor": 100000, "refunded_minor": 0, "currency": currency}
    return {"charges": {"ch_1": charge}, "limits": {} if limit is None else {"payments.refund": limit}}


@pytest.mark.parametrize(
    ("limit", "currency", "most"),
    [
        (None, "EUR", 5000),
        (None, "KWD", 0),
        ({"amounts": {"EUR": 700}}, "EUR", 700),
        ({"amounts": {"EUR": 700}}, "CHF", 0),
        ({"percent": 5}, "EUR", 0),
    ],
)
def test_a_limit_on_record_takes_the_place_of_the_usual_one(
    limit: dict[str, Any] | None, currency: str, most: int
) -> None:
    def do(session: Session) -> None:
        error = failing(session, "payments.refund", charge="ch_1", amount_minor=most + 1)
        assert (error.code, error.reason) == ("held", "above_refund_limit")
        if most:
            session.call("payments.refund", charge="ch_1", amount_minor=most)

    work(do, tables=desk(limit, currency))
