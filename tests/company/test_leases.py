from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def run(minutes: int = 10, token: int = 11, **fields: Any) -> dict[str, Any]:
    record = {"holder": "worker-a", "token": token, "expires": f"2026-03-02T09:{minutes:02d}:00+01:00"}
    invoice = {
        "contact": "C-1",
        "total_minor": 6000,
        "received_minor": 0,
        "currency": "EUR",
        "status": "open",
    }
    return {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "leases": {"run-1": record | fields},
        "invoices": {"I-1": invoice | {"run": "run-1"}},
        "cards": {"card_1": {"contact": "C-1", "last4": "4242", "status": "active"}},
    }


CHARGE = {"invoice": "I-1", "amount_minor": 6000, "currency": "EUR"}


@pytest.mark.parametrize(
    ("lease", "token", "wait", "reason"),
    [
        ("run-1", 11, "9m", None),
        ("run-1", 11, "10m", "lease_expired"),
        ("run-1", 10, "1m", "old_token"),
        ("run-1", 12, "1m", "old_token"),
        ("run-1", None, "1m", "old_token"),
        (None, 11, "1m", "lease_needed"),
        ("run-2", 11, "1m", "lease_needed"),
    ],
)
def test_a_run_is_charged_under_its_lease_with_the_newest_token_in_time(
    lease: str | None, token: int | None, wait: str, reason: str | None
) -> None:
    def do(session: Session) -> None:
        session.call("clock.wait", duration=wait)
        if reason is None:
            session.call("payments.charge", **CHARGE, lease=lease, token=token)
        else:
            assert failing(session, "payments.charge", **CHARGE, lease=lease, token=token).reason == reason

    assert len(work(do, tables=run()).ledger("payments")) == (reason is None)


@pytest.mark.fault("B17")
def test_two_workers_charge_once() -> None:
    def do(session: Session) -> None:
        assert failing(session, "leases.acquire", id="run-1", holder="worker-b").reason == "lease_held"
        session.call("clock.wait", duration="12m")
        assert session.call("leases.check", id="run-1")["in_force"] is False
        taken = session.call("leases.acquire", id="run-1", holder="worker-b")
        assert (taken["token"], taken["in_force"]) == (12, True)
        assert failing(session, "payments.charge", **CHARGE, lease="run-1", token=11).reason == "old_token"
        session.call("payments.charge", **CHARGE, lease="run-1", token=12)
        for tool in ("leases.renew", "leases.release"):
            assert failing(session, tool, id="run-1", token=11).reason == "old_token"

    assert len(work(do, tables=run()).ledger("payments")) == 1


def test_a_lease_is_renewed_and_returned_by_its_holder() -> None:
    def do(session: Session) -> None:
        session.call("clock.wait", duration="9m")
        assert session.call("leases.renew", id="run-1", token=11, minutes=20)["in_force"] is True
        session.call("clock.wait", duration="15m")
        assert session.call("leases.release", id="run-1", token=11)["in_force"] is False
        assert failing(session, "leases.renew", id="run-1", token=11).reason == "lease_expired"
        assert session.call("leases.acquire", id="run-1", holder="worker-b")["token"] == 12

    work(do, tables=run())


def test_work_nobody_had_is_taken_with_the_first_token() -> None:
    def do(session: Session) -> None:
        assert session.call("leases.acquire", id="run-9", holder="worker-a", minutes=1)["token"] == 1
        assert failing(session, "leases.renew", id="run-8", token=1).reason == "not_found"

    work(do)


@pytest.mark.parametrize(("token", "holder"), [(12, "worker-z"), (11, "worker-a"), (10, "worker-a")])
def test_news_about_a_lease_counts_only_with_a_higher_token(token: int, holder: str) -> None:
    data = {"lease": "run-1", "holder": "worker-z", "token": token, "expires": "2026-03-02T12:00:00Z"}
    event = {"at": "+1s", "id": "e", "type": "lease.taken", "data": data}
    left = work(lambda session: None, tables=run(), events=[event])
    record = left.record("leases", "run-1")
    assert record is not None
    assert record["holder"] == holder
