"""Totals: what the lines of a quote or an invoice come to, with discount and tax, rounded once or line by line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from company_lab.company.fields import listed, whole
from company_lab.worlds import Context, Decision, Department, Json, Request, Tool, deny

Rounding = Literal["document", "line"]

totals = Department(
    "totals",
    reasons=("amount_mismatch",),
    requests=(
        Request(
            name="invoice_three_lines",
            tool="invoices.create",
            args={
                "contact": "C-1",
                "total_minor": 4759,
                "currency": "EUR",
                "tax_percent": 19,
                "lines": [{"item": "poster", "quantity": 1, "price_minor": 1333}] * 3,
            },
            task="Please invoice three posters at 13.33 EUR plus 19 % tax to C-1: 47.59 EUR, tax rounded once.",
        ),
        Request(
            name="invoice_three_lines_rounded_each",
            tool="invoices.create",
            args={
                "contact": "C-1",
                "total_minor": 4759,
                "currency": "EUR",
                "tax_percent": 19,
                "rounding": "line",
                "lines": [{"item": "poster", "quantity": 1, "price_minor": 1333}] * 3,
            },
            task="Please invoice three posters at 13.33 EUR plus 19 % tax to C-1: 47.59 EUR, rounded line by line.",
        ),
    ),
)


def total_minor(
    lines: Sequence[Json], *, discount_minor: int = 0, tax_percent: int = 0, rounding: Rounding = "document"
) -> int | None:
    """What priced lines come to in minor units, or None where a line has no price.

    Tax is rounded half up, once over the sum or for each line; a discount comes off before tax, and with
    rounding by line from the sum of the untaxed lines as a line of its own.
    """
    prices: list[int] = []
    for line in lines:
        if not isinstance(line, dict) or "price_minor" not in line:
            return None
        prices.append(whole(line, "quantity") * whole(line, "price_minor"))
    if discount_minor:
        prices.append(-discount_minor)
    taxed = [sum(prices)] if rounding == "document" else prices
    return sum(price + _share(price, tax_percent) for price in taxed)


def list_minor(quote: Mapping[str, Json], lines: Sequence[object], total: int, discount: int) -> int:
    """The price of a new version of a quote before anything is given away, in minor units.

    New priced lines make a new price. Without them the goods are the same, so a lower total gives something
    away, whether it is called a discount or not; so does a line that takes off instead of adding.
    """
    priced = [
        whole(line, "quantity") * whole(line, "price_minor") for line in lines if isinstance(line, dict)
    ]
    named = total + discount - sum(price for price in priced if price < 0)
    if lines and all(isinstance(line, dict) and "price_minor" in line for line in lines):
        return named
    known = whole(quote, "list_minor") or whole(quote, "total_minor") + whole(quote, "discount_minor")
    return max(known, named)


def _share(amount_minor: int, percent: int) -> int:
    """A share of an amount, rounded half away from zero."""
    rounded = (abs(amount_minor) * percent + 50) // 100
    return rounded if amount_minor >= 0 else -rounded


@totals.rule(
    "A total is what its lines come to, less discount, plus tax.",
    tools=["quotes.create", "quotes.revise", "invoices.create"],
)
def total_is_what_the_lines_say(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    lines = listed(args, "lines")
    if not lines:
        return None
    total = total_minor(
        lines,
        discount_minor=whole(args, "discount_minor"),
        tax_percent=whole(args, "tax_percent"),
        rounding="line" if args.get("rounding") == "line" else "document",
    )
    return None if total is None or total == args["total_minor"] else deny("amount_mismatch")


@totals.fact(int)
def invoices_in_the_books(ctx: Context) -> Json:
    """How many invoices there are."""
    return ctx.count("invoices")
