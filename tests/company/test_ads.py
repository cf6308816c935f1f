from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session
from company_lab.company.ads import CAMPAIGN_MOVES
from company_lab.company.budgets import days_left

LATE = "2026-03-26T00:10:00+01:00"


def desk(
    budgets: tuple[int, ...] = (2000, 600), spent: int = 0, day: str = "2026-03-01", **account: Any
) -> dict[str, Any]:
    record = {"currency": "EUR", "unit": "minor", "zone": "Europe/Berlin", "monthly_cap_minor": 200000}
    return {
        "ad_accounts": {"acc-1": record | account},
        "campaigns": {
            f"A-{n}": {
                "account": "acc-1",
                "name": f"Campaign {n}",
                "status": "active",
                "budget_minor": budget,
                "period": "daily",
            }
            for n, budget in enumerate(budgets, start=1)
        },
        "ad_spend": {"s1": {"campaign": "A-1", "day": day, "amount_minor": spent}},
    }


def setting(amount: int, unit: str = "minor", currency: str = "EUR", period: str = "daily") -> dict[str, Any]:
    return {"campaign": "A-1", "amount": amount, "unit": unit, "currency": currency, "period": period}


@pytest.mark.parametrize(
    ("day", "left"), [("2026-03-26", 6), ("2026-03-31", 1), ("2028-02-01", 29), ("2026-12-01", 31)]
)
def test_today_is_one_of_the_days_that_are_left(day: str, left: int) -> None:
    assert days_left(date.fromisoformat(day)) == left


@pytest.mark.parametrize(
    ("tables", "args", "reason"),
    [
        (desk(spent=90000), setting(6000), None),
        (desk(spent=184000), setting(6000), "above_monthly_cap"),
        (desk(spent=184000), setting(2066), None),
        (desk(spent=184000), setting(2067), "above_monthly_cap"),
        (desk(spent=900000, day="2026-02-28"), setting(6000), None),
        (desk(spent=12000, day="2026-03-26"), setting(12000), None),
        (desk((9000, 9000), spent=190000), setting(8999), None),
        (desk((9000, 9000), spent=190000), setting(9001), "above_monthly_cap"),
        (desk(spent=184000), setting(196400, period="monthly"), None),
        (desk(spent=184000), setting(196401, period="monthly"), "above_monthly_cap"),
        (desk(spent=160400, zone="America/Los_Angeles"), setting(6000), "above_monthly_cap"),
        (desk(spent=160400, zone="Europe/Berlin"), setting(6000), None),
        (desk(daily_cap_minor=6599), setting(6000), "above_daily_cap"),
        (desk(daily_cap_minor=6600), setting(6000), None),
    ],
)
def test_the_cap_is_over_all_campaigns_and_all_days_that_are_left(
    tables: dict[str, Any], args: dict[str, Any], reason: str | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            session.call("ads.set_budget", **args)
        else:
            error = failing(session, "ads.set_budget", **args)
            assert (error.code, error.reason) == ("held", reason)

    assert len(work(do, tables=tables, clock=LATE).ledger("ads")) == (reason is None)


def test_the_plan_is_told_in_numbers() -> None:
    def do(session: Session) -> None:
        told = session.call("ads.get_spend", account="acc-1")
        assert (told["spent_minor"], told["days_left"], told["planned_minor"]) == (184000, 6, 199600)
        assert session.call("ads.list_campaigns", account="acc-1")["total"] == 2
        assert session.call("ads.get_account", id="acc-1")["zone"] == "Europe/Berlin"

    assert work(do, tables=desk(spent=184000), clock=LATE).facts()["within_cap"] == {"acc-1": True}


@pytest.mark.fault("C12")
@pytest.mark.parametrize(
    ("account", "args", "reason", "budget"),
    [
        ({"unit": "micros", "currency": "USD"}, setting(25000000, "micros", "USD"), None, 2500),
        ({"unit": "micros", "currency": "USD"}, setting(25, "micros", "USD"), "wrong_unit", None),
        ({"unit": "micros", "currency": "USD"}, setting(2500, "minor", "USD"), "wrong_unit", None),
        ({"unit": "minor", "currency": "USD"}, setting(25000000, "micros", "USD"), "wrong_unit", None),
        ({"unit": "micros", "currency": "JPY"}, setting(25000000, "micros", "JPY"), None, 25),
        ({"unit": "micros", "currency": "KWD"}, setting(25000000, "micros", "KWD"), None, 25000),
        ({}, setting(2500, currency="USD"), "currency_mismatch", None),
    ],
)
def test_a_budget_is_in_the_currency_and_unit_of_its_account(
    account: dict[str, Any], args: dict[str, Any], reason: str | None, budget: int | None
) -> None:
    def do(session: Session) -> None:
        if reason is None:
            assert session.call("ads.set_budget", **args)["budget_minor"] == budget
        else:
            assert failing(session, "ads.set_budget", **args).reason == reason

    work(do, tables=desk(**account, monthly_cap_minor=10**7))


@pytest.mark.fault("C13")
def test_a_cap_that_the_minimum_does_not_allow_takes_a_pause() -> None:
    tables = desk((300,) * 6, daily_cap_minor=500)
    for campaign in tables["campaigns"].values():
        campaign["minimum_minor"] = 100

    def do(session: Session) -> None:
        for n in range(1, 7):
            args = setting(100) | {"campaign": f"A-{n}"}
            assert failing(session, "ads.set_budget", **args | {"amount": 99}).reason == "below_minimum"
            session.call("ads.set_budget", **args)

    def and_pause(session: Session) -> None:
        do(session)
        session.call("ads.pause", campaign="A-6")
        assert failing(session, "ads.resume", campaign="A-6").reason == "above_daily_cap"

    assert work(do, tables=tables).facts()["within_cap"] == {"acc-1": False}
    assert work(and_pause, tables=tables).facts()["within_cap"] == {"acc-1": True}


@pytest.mark.parametrize("status", CAMPAIGN_MOVES.moves)
def test_a_campaign_is_paused_and_resumed_along_its_ways(status: str) -> None:
    tables = desk()
    tables["campaigns"]["A-1"]["status"] = status

    def do(session: Session) -> None:
        for tool, after in (("ads.pause", "paused"), ("ads.resume", "active")):
            current = session.call("ads.list_campaigns", account="acc-1")["items"][0]["status"]
            if CAMPAIGN_MOVES.allow(current, after):
                assert session.call(tool, campaign="A-1")["status"] == after
            else:
                assert failing(session, tool, campaign="A-1").reason == "illegal_status"
        if status == "ended":
            assert failing(session, "ads.set_budget", **setting(1)).reason == "campaign_ended"

    work(do, tables=tables)
