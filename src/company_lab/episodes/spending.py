"""What the models of an agent used, as the agent reports it."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation

from company_lab.formats.canonical import MAX_INTEGER
from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import shown

_EXACT = Context(prec=80)
"""Sums are the same whatever precision an agent sets for itself."""
_MOST_USD = Decimal(10**12)
_FINEST = -40


class Spending:
    """Tokens and cost of one episode, added up. Cost is unknown (None) as soon as one part of it is."""

    __slots__ = ("_costs_nothing", "_reported", "cost", "tokens")

    def __init__(self, *, costs_nothing: bool) -> None:
        self._costs_nothing = costs_nothing
        self._reported = False
        self.tokens = 0
        self.cost: Decimal | None = Decimal(0) if costs_nothing else None

    def add(self, *, tokens: int, cost: Decimal | None) -> None:
        """Add one report. Tokens of what is free do not make its cost unknown."""
        self.tokens += tokens
        if cost is None and self._costs_nothing:
            return
        if not self._reported:
            self.cost = cost
        else:
            self.cost = None if cost is None or self.cost is None else _EXACT.add(self.cost, cost)
        self._reported = True


def read_tokens(tokens: object) -> int:
    """A reported number of tokens; None counts as none. Raises `WrongUse`."""
    if tokens is None:
        return 0
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 0 <= tokens <= MAX_INTEGER:
        raise WrongUse(f"tokens are whole numbers from 0, not {_named(tokens)}")
    return int(tokens)


def read_cost(cost: object) -> Decimal | None:
    """A reported cost in US dollars; None is unknown. Raises `WrongUse`."""
    if cost is None:
        return None
    try:
        amount = Decimal(cost if isinstance(cost, str) else "no text")
    except InvalidOperation:
        raise WrongUse(f"cost_usd is a decimal text such as '0.0123', not {_named(cost)}") from None
    if not amount.is_finite() or not 0 <= amount < _MOST_USD or amount.as_tuple().exponent < _FINEST:  # type: ignore[operator]
        raise WrongUse(f"cost_usd is an amount from 0 in US dollars, not {_named(cost)}")
    return amount


def _named(value: object) -> str:
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "an integer beyond 64 bit"
    return shown(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
