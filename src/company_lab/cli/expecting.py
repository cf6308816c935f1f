"""Telling what a run is expected to take, as far as anybody can know."""

from __future__ import annotations

from decimal import ROUND_UP, Context, Decimal

from company_lab.cli.say import counted
from company_lab.formats.time import format_duration
from company_lab.runs.estimate import Estimate

_FINEST = Decimal("0.0001")
_EXACT = Context(prec=80, rounding=ROUND_UP)
"""The same whatever precision an agent in this process sets for itself."""


def told(expected: Estimate) -> str:
    """The estimate in a line."""
    if not expected.known:
        return "time and cost unknown: this agent has not played these scenarios in this store before"
    wall = "an unknown time" if expected.wall_s is None else f"about {_rounded(expected.wall_s)}"
    if expected.cost_usd is None:
        cost = ", an unknown cost"
    else:
        cost = f", about {spelled(expected.cost_usd)} USD" if expected.cost_usd else ""
    rest = (
        ""
        if expected.known == expected.episodes
        else f" for {expected.known:,} of {expected.episodes:,}; {expected.episodes - expected.known:,} unknown"
    )
    return f"expected from {counted(expected.rests_on, 'earlier episode')}: {wall}{cost}{rest}"


def spelled(cost: Decimal) -> str:
    """An estimated cost in US dollars, rounded up to a hundredth of a cent."""
    return f"{cost.quantize(_FINEST, context=_EXACT).normalize(_EXACT):f}" if cost else "0"


def _rounded(seconds: float) -> str:
    if seconds < 1:
        return "1s"
    return format_duration(1000 * round(seconds) if seconds < 600 else 60_000 * round(seconds / 60))
