"""What models cost, in words: decimal US dollars, the only money here that is not in minor units."""

from __future__ import annotations

from decimal import Decimal


def usd(value: Decimal) -> str:
    """Dollars with as many digits as small amounts need; what was paid never reads as zero."""
    if 0 < value * 10_000 < 1:
        return "below 0.0001 USD"
    return f"{value:,.2f} USD" if value >= 1 or value == 0 else f"{value:.4f} USD"
