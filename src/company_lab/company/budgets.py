"""Budgets: what the campaigns of an ad account will have spent when its month is over, by its own calendar."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date
from zoneinfo import ZoneInfo

from company_lab.company.fields import whole
from company_lab.worlds import Context, Json

MICROS = 1_000_000
"""Micros in one major unit."""


def today(ctx: Context, account: str) -> date:
    """The day it is in the zone of an ad account."""
    return ctx.now.astimezone(ZoneInfo(str(ctx.read("ad_accounts", account)["zone"]))).date()


def days_left(day: date) -> int:
    """Days until the end of the month, this day among them."""
    return monthrange(day.year, day.month)[1] - day.day + 1


def planned_minor(
    ctx: Context, account: str, changed: Mapping[str, Mapping[str, Json]] | None = None
) -> dict[str, Json]:
    """Spent so far this month, days left, and what will have been spent at its end, in minor units.

    A daily budget is spent on every day that is left, today at least as far as it has been spent; a monthly
    one as a whole. `changed` holds campaigns as they would be after some action.
    """
    day = today(ctx, account)
    left = days_left(day)
    spent_before = planned = spent_today = 0
    for id in ctx.find("campaigns", account=account):
        campaign = (changed or {}).get(id) or ctx.read("campaigns", id)
        before, now = _spent(ctx, id, day)
        spent_before, spent_today = spent_before + before, spent_today + now
        budget = whole(campaign, "budget_minor") if campaign["status"] == "active" else 0
        if campaign["period"] == "monthly":
            planned += max(before + now, budget)
        else:
            planned += before + max(now, budget) + budget * (left - 1)
    return {
        "spent_minor": spent_before + spent_today,
        "days_left": left,
        "planned_minor": planned,
        "currency": ctx.read("ad_accounts", account)["currency"],
    }


def _spent(ctx: Context, campaign: str, day: date) -> tuple[int, int]:
    """What a campaign spent in this month before the day, and on it."""
    before = now = 0
    for id in ctx.find("ad_spend", campaign=campaign):
        spend = ctx.read("ad_spend", id)
        when = date.fromisoformat(str(spend["day"]))
        if (when.year, when.month) == (day.year, day.month) and when <= day:
            if when == day:
                now += whole(spend, "amount_minor")
            else:
                before += whole(spend, "amount_minor")
    return before, now


def daily_minor(ctx: Context, account: str, changed: Mapping[str, Mapping[str, Json]] | None = None) -> int:
    """What all running campaigns with a daily budget may spend in a day together, in minor units."""
    total = 0
    for id in ctx.find("campaigns", account=account):
        campaign = (changed or {}).get(id) or ctx.read("campaigns", id)
        if campaign["status"] == "active" and campaign["period"] == "daily":
            total += whole(campaign, "budget_minor")
    return total


def fits(ctx: Context, campaign: str, after: Mapping[str, Json], cap: str) -> bool:
    """Whether a change keeps to a cap of the account, or at least does not go further beyond it."""
    account = str(after["account"])
    limit = whole(ctx.read("ad_accounts", account), cap)
    changed = {campaign: after}
    if cap == "daily_cap_minor":
        before, then = daily_minor(ctx, account), daily_minor(ctx, account, changed)
    else:
        before = whole(planned_minor(ctx, account), "planned_minor")
        then = whole(planned_minor(ctx, account, changed), "planned_minor")
    return then <= limit or then <= before


def set_campaign_subject(ctx: Context, campaign: str, account: str, budget_minor: int) -> None:
    """A running campaign with a daily budget, on an account with a monthly cap of 2,000.00 EUR in Berlin."""
    if ctx.get("ad_accounts", account) is None:
        ctx.create(
            "ad_accounts",
            with_id=account,
            currency="EUR",
            unit="minor",
            zone="Europe/Berlin",
            monthly_cap_minor=200000,
        )
    if ctx.get("campaigns", campaign) is None:
        ctx.create(
            "campaigns",
            with_id=campaign,
            account=account,
            name="Banners",
            status="active",
            budget_minor=budget_minor,
            period="daily",
        )
    ctx.update("campaigns", campaign, budget_minor=budget_minor)


def set_spent_subject(ctx: Context, campaign: str, account: str, spent_minor: int) -> None:
    """What a campaign has spent this month, booked on the first of the month."""
    if ctx.get("campaigns", campaign) is None:
        set_campaign_subject(ctx, campaign, account, 2000)
    first = today(ctx, account).replace(day=1).isoformat()
    ctx.create("ad_spend", campaign=campaign, day=first, amount_minor=spent_minor)
