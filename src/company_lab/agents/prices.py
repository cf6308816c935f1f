"""Prices of models, from the table of `genai-prices` (offline) or as declared; without a price a cost is unknown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from company_lab.agents.chat_usage import Used
from company_lab.agents.protocol import CostBasis, Session
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

_AMOUNT = r"[0-9]{1,7}(?:\.[0-9]{1,9})?"
_DECLARED = re.compile(rf"({_AMOUNT})/({_AMOUNT})(?:/({_AMOUNT}))?", re.ASCII)
_FINEST = Decimal("1e-12")
_OBSERVED: CostBasis = "observed"
_ESTIMATED: CostBasis = "estimated"
_KEYS = ("input_mtok", "cache_read_mtok", "cache_write_mtok", "output_mtok")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of one model as it stood when the agent was made."""

    snapshot: Mapping[str, Json]
    """Where it is from, and its figures in US dollars per million tokens."""
    _table: ModelPrice | None = field(default=None, repr=False)
    """None where it is not known."""

    def cost(self, used: Used) -> Decimal | None:
        """What this use costs in US dollars; None where tokens or price are not known."""
        if self._table is None or used.input_tokens is None or used.output_tokens is None:
            return None
        from genai_prices import Usage

        usage = Usage(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cache_read_tokens=used.cached_tokens or None,
            cache_write_tokens=used.cache_write_tokens or None,
        )
        try:
            total = self._table.calc_price(usage)["total_price"]
        except (ValueError, LookupError, TypeError):  # a table without a price for what was used
            return None
        return total.quantize(_FINEST).normalize() + 0


def price_of(model: str, url: str, declared: Mapping[str, str]) -> Price:
    """The price of a model at an address. `declared` goes first: texts by model, see `parse_price`.

    A host that the table does not know has no price, whatever its model is called: a local server is no provider.
    """
    if model in declared:
        return parse_price(model, declared[model])
    try:
        from genai_prices import __version__ as table
        from genai_prices.data_snapshot import get_snapshot
    except ModuleNotFoundError:
        return Price(snapshot={"source": "unknown", "why": "genai-prices is not installed"})
    from datetime import UTC, datetime

    try:
        provider, found = get_snapshot().find_provider_model(model, None, None, url)
    except LookupError:
        return Price(snapshot={"source": "unknown", "why": f"genai-prices {table} has no price for it there"})
    prices = found.get_prices(datetime.now(UTC))
    return Price(
        snapshot={
            "source": f"genai-prices {table}",
            "provider": provider.id,
            "model": found.id,
            "usd_per_million": _figures(prices),
        },
        _table=prices,
    )


def parse_price(model: str, text: str) -> Price:
    """The price a text declares: `free`, or dollars per million tokens as `INPUT/OUTPUT` or `INPUT/OUTPUT/CACHED`."""
    match = _DECLARED.fullmatch(text.strip())
    if text.strip() == "free":
        given: Sequence[str | None] = ("0", "0", "0")
    elif match:
        given = match.groups()
    else:
        raise WrongUse(
            f"--price {model}={text}: give dollars per million tokens as INPUT/OUTPUT, such as 0.15/0.60, "
            "with the price of cached input behind it where there is one, or free"
        )
    try:
        from genai_prices.types import ModelPrice
    except ModuleNotFoundError:
        raise WrongUse(
            "costs are reckoned by genai-prices, which is not installed; try: pip install 'company-lab[openai]'"
        ) from None
    names = ("input_mtok", "output_mtok", "cache_read_mtok")
    amounts = {name: Decimal(amount) for name, amount in zip(names, given, strict=True) if amount is not None}
    prices = ModelPrice(**amounts)
    return Price(snapshot={"source": "declared", "usd_per_million": _figures(prices)}, _table=prices)


def parse_prices(texts: Sequence[str]) -> dict[str, str]:
    """Declared prices by model, from `MODEL=PRICE` texts. Raises `WrongUse`."""
    found: dict[str, str] = {}
    for text in texts:
        model, equals, price = text.rpartition("=")
        if not equals or not model:
            raise WrongUse(
                f"--price {text}: give a model and its price, such as llama3=free or my-model=0.15/0.60"
            )
        if model in found:
            raise WrongUse(f"--price gives {model} two prices")
        parse_price(model, price)
        found[model] = price
    return found


def report_usage(
    session: Session, used: Used, price: Price, *, model: str, reckoned: Decimal | None = None
) -> None:
    """Tell the session what an answer used and what it cost: observed, estimated, or unknown.

    A host that says zero is believed only where no price says otherwise: many pass the bill on to somebody else.
    `reckoned` is somebody else's estimate, taken where no price is known here.
    """
    cost, basis = used.cost_usd, _OBSERVED
    if not cost:
        estimated = price.cost(used)
        estimated = reckoned if estimated is None else estimated
        if cost is None or estimated:
            cost, basis = estimated, _ESTIMATED
    session.usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cached_tokens=used.cached_tokens,
        cost_usd=None if cost is None else f"{cost:f}",
        basis=None if cost is None else basis,
        model=model,
    )


def _figures(prices: ModelPrice) -> dict[str, Json]:
    return {name: _figure(found) for name in _KEYS if (found := getattr(prices, name, None)) is not None}


def _figure(price: Any) -> Json:
    if isinstance(price, Decimal):
        return f"{price:f}"
    tiers: list[Json] = [{"from_tokens": tier.start, "price": f"{tier.price:f}"} for tier in price.tiers]
    return {"base": f"{price.base:f}", "tiers": tiers}
