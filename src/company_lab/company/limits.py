"""Limits: up to which amount, or which share, the role may act without asking a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from company_lab.worlds import Context, MinorUnits


class Limit(TypedDict):
    """What the role may do alone, kept under the name of what it limits, such as `payments.refund`.

    `amounts` is by currency; in a currency it does not name the role asks every time. `percent` is a share.
    """

    amounts: NotRequired[dict[str, MinorUnits]]
    percent: NotRequired[int]


def limit_minor(ctx: Context, name: str, currency: str, usual: Mapping[str, int]) -> int:
    """The amount limit called `name` in minor units of `currency`; `usual` where none is on record."""
    limit = ctx.get("limits", name)
    amounts = usual if limit is None else limit.get("amounts")
    amount = amounts.get(currency, 0) if isinstance(amounts, Mapping) else 0
    return amount if isinstance(amount, int) else 0


def limit_percent(ctx: Context, name: str, usual: int) -> int:
    """The share limit called `name` in percent; `usual` where none is on record."""
    limit = ctx.get("limits", name)
    percent = usual if limit is None else limit.get("percent", usual)
    return percent if isinstance(percent, int) else usual


def set_limit(ctx: Context, name: str, **fields: object) -> None:
    """Put a limit on record, in place of what stood there."""
    if ctx.get("limits", name) is None:
        ctx.create("limits", with_id=name)
    ctx.update("limits", name, **fields)  # type: ignore[arg-type]
