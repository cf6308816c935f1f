"""Model cost as a trace holds it: decimal text in US dollars, the only money that is not in minor units."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

_FARTHEST = 30
"""Powers of ten on either side of the point; beyond them a sum would be inexact, or none at all."""


def model_cost(value: object) -> Decimal | None:
    """A cost in US dollars from 0; None for what is none, which is unknown and not free."""
    if not isinstance(value, str):
        return None
    try:
        cost = Decimal(value)
    except InvalidOperation:
        return None
    if not cost.is_finite() or cost < 0 or abs(cost.adjusted()) > _FARTHEST:
        return None
    return cost
