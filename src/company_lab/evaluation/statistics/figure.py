"""Figure: a number that knows what it estimates, from how many observations, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import Literal

Sides = Literal["both", "upper", "lower"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An estimate with its interval. Prints itself in full; there is no way to print it without n."""

    name: str
    """What is estimated, such as `success rate`."""
    estimator: str
    """How, such as `c/N`."""
    value: float | None
    """None where the figure is undefined or known only between bounds; `reason` then says why."""
    n: int
    """Observations it rests on."""
    N: int
    """Observations planned; what is missing is never dropped from it."""
    of: str = "runs"
    """What n and N count: runs, scenarios, items."""
    low: float | None = None
    high: float | None = None
    interval: str = ""
    """How the interval was made, such as `Wilson`; empty where there is none."""
    level: float | None = None
    """The confidence of the interval, such as 0.95."""
    sides: Sides = "both"
    """`upper` means that only `high` is a bound, `lower` that only `low` is."""
    unit: str = ""
    """`%` prints shares as per cent, anything else is put behind the number; empty prints three decimals."""
    reason: str = ""
    """Why there is no value, or no interval, or what to know about it."""

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def __str__(self) -> str:
        parts = [f"{self.name} {self._said()}"]
        if self.sides == "both" and (self.low is not None or self.high is not None):
            at = f" {_percent(self.level)}" if self.level is not None else ""
            parts.append(f"{self.interval}{at} {self._ends()}".strip())
        parts.append(f"n {self.n} of N {self.N} {self.of}")
        if self.reason and self.value is not None:
            parts.append(self.reason)
        return ", ".join(parts)

    def _said(self) -> str:
        at = f" at {_percent(self.level)}" if self.level is not None else ""
        if self.sides == "upper" and self.high is not None:
            return "not bounded below 100 %" + at if self.high >= 1 else f"below {self._shown(self.high)}{at}"
        if self.sides == "lower" and self.low is not None:
            return f"at least {self._shown(self.low)}{at}"
        if self.value is None:
            return f"undefined ({self.reason or 'no value'})"
        return self._shown(self.value)

    def _ends(self) -> str:
        if self.low is None:
            return f"up to {self._shown(self.high or 0.0)}, no lower end"
        if self.high is None:
            return f"from {self._shown(self.low)}, no upper end"
        return f"{self._shown(self.low)} to {self._shown(self.high)}"

    def _shown(self, value: float) -> str:
        if self.unit == "%":
            return percent(value)
        return f"{value:.3f} {self.unit}" if self.unit else decimals(value)


def decimals(value: float | Fraction) -> str:
    """A share, a difference of shares or a p-value with three decimals; what is not 0 or 1 never prints as that."""
    text = f"{float(value):.3f}"
    if text in ("1.000", "-1.000") and -1 < value < 1:
        return ">0.999" if value > 0 else "<-0.999"
    if text in ("0.000", "-0.000") and value:
        return "<0.001" if value > 0 else ">-0.001"
    return text.removeprefix("-") if not value else text


def percent(value: float) -> str:
    """A share as per cent with three significant digits; what is not 0 or 1 never prints as 0 or 100 %."""
    hundred = value * 100
    if hundred in (0, 100):
        return f"{hundred:.0f} %"
    if 99 < hundred < 100:
        digits = max(2, -floor(log10(100 - hundred)))
    else:
        digits = max(0, 2 - floor(log10(abs(hundred))))
    return f"{hundred:.{digits}f} %"


def _percent(confidence: float) -> str:
    return f"{confidence * 100:g} %"
