"""What the models of an agent used, as the agent reports it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from company_lab.episodes.supplied import as_name
from company_lab.formats.canonical import MAX_INTEGER, Json
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

    def kept(self) -> dict[str, Json]:
        """What another process needs to go on adding up."""
        cost = None if self.cost is None else str(self.cost)
        return {"tokens": self.tokens, "cost": cost, "reported": self._reported}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on adding up where another process had to stop."""
        self.tokens, self._reported = kept["tokens"], kept["reported"]
        self.cost = None if kept["cost"] is None else Decimal(kept["cost"])


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


def read_model(model: object) -> str | None:
    """The model a report names; None is unknown. Raises `WrongUse`."""
    if model is not None and not isinstance(model, str):
        raise WrongUse(f"the model is named by a text, not by a {type(model).__name__}")
    return None if model is None else as_name(model)


def read_details(
    cached: object, input_tokens: object, basis: object, cost: Decimal | None
) -> dict[str, int | str]:
    """What is known besides tokens and cost, where it is known. Raises `WrongUse`."""
    found: dict[str, int | str] = {}
    if cached is not None:
        found["cached_tokens"] = read_tokens(cached)
        if input_tokens is None or read_tokens(cached) > read_tokens(input_tokens):
            raise WrongUse(
                f"cached_tokens are part of input_tokens, so {_named(cached)} of {_named(input_tokens)} can not be"
            )
    if basis is not None:
        if basis not in ("observed", "estimated"):
            raise WrongUse(f"the basis of a cost is observed or estimated, not {_named(basis)}")
        if cost is None:
            raise WrongUse("an unknown cost has no basis: leave it out")
        found["basis"] = str(basis)
    return found


def _named(value: object) -> str:
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "an integer beyond 64 bit"
    return shown(value) if isinstance(value, (str, int, float)) else f"a {type(value).__name__}"
