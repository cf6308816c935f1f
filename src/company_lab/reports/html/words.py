"""Figures as the page prints and draws them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from company_lab.evaluation.figures import Estimate, Mean, ScenarioFigures


@dataclass(frozen=True, slots=True)
class Stripe:
    """A rate and its interval as places along a line, in percent."""

    low: str
    high: str
    first: str
    last: str
    said: str


def share(value: Fraction | float) -> str:
    """A share in percent. What is not all is never rounded up to all, nor what is not nothing down to nothing."""
    exact = Fraction(value)
    text = f"{float(100 * exact):.1f}".removesuffix(".0")
    if text == "100" and exact < 1:
        return "above 99.9 %"
    if text == "0" and exact > 0:
        return "below 0.1 %"
    return f"{text} %"


def estimate(found: Estimate | None, k: int) -> str:
    """A figure to two digits, its bounds, or why there is none."""
    if found is None:
        return f"n/a (n<{k})"
    if found.point is not None:
        return digits(found.point)
    for places in (2, 3, 4):
        low, high = f"{float(found.low):.{places}f}", f"{float(found.high):.{places}f}"
        if low != high:
            break
    return f"{low}..{high}"


def mean(found: Mean) -> str:
    """A mean over scenarios, or the reason why there is none."""
    return found.reason if found.value is None else estimate(found.value, 1)


def stripe(figure: ScenarioFigures) -> Stripe | None:
    """What is drawn beside a scenario; None where nothing is planned."""
    if figure.wilson is None or figure.rate is None:
        return None
    low, high = figure.wilson
    rate = estimate(figure.rate, 1)
    return Stripe(
        low=f"{100 * low:.2f}",
        high=f"{100 * high:.2f}",
        first=f"{100 * float(figure.rate.low):.2f}",
        last=f"{100 * float(figure.rate.high):.2f}",
        said=f"success rate {rate}, 95 % Wilson interval {digits(low)} to {digits(high)}",
    )


def digits(value: Fraction | float) -> str:
    """A share with two decimals; what is not 0 or 1 is never rounded to that."""
    text = f"{float(value):.2f}"
    if text == "1.00" and value < 1:
        return ">0.99"
    return "<0.01" if text == "0.00" and value > 0 else text
