"""What a model's answer says it used, under one counting convention: tokens read include those from a cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from company_lab.formats.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """Tokens of one answer as its host counted them. None is unknown, and never zero."""

    input_tokens: int | None = None
    """Every token that was read, those from the host's cache included."""
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    """Every token that was written, reasoning included."""
    cost_usd: Decimal | None = None
    """What the host itself says that it cost."""


UNKNOWN = Used()
"""What nobody counted."""
_MOST_TOKENS = 10**10
"""No answer uses more; what a host says beyond it is no count, and no sum or cost could hold it."""
_FINEST_USD = Decimal("1e-18")


def read_usage(usage: Json) -> Used:
    """The `usage` of an answer, whichever names and whichever way of counting cached tokens its host has.

    OpenAI's fields include cached tokens in the input (`prompt_tokens`, `input_tokens`; `*_tokens_details`), DeepSeek's
    as well (`prompt_cache_hit_tokens`), and Moonshot's (`cached_tokens`); Anthropic's count them beside it
    (`cache_read_input_tokens`). An answer that used no token at all, counts that contradict each other, and Anthropic's
    names for the cache beside OpenAI's for the input, which gateways use in both ways, are unknown.
    """
    if not isinstance(usage, Mapping):
        return UNKNOWN
    read = _first_count(usage, "prompt_tokens", "input_tokens")
    written = _first_count(usage, "completion_tokens", "output_tokens")
    cached, stored = _cached_within(usage), None
    if cached is None and read is not None:
        beside = _first_count(usage, "cache_read_input_tokens")
        stored = _first_count(usage, "cache_creation_input_tokens")
        if beside or stored:
            cached = beside or 0
            read = None if "prompt_tokens" in usage else read + cached + (stored or 0)
    used = counted(input_tokens=read, output_tokens=written, cached_tokens=cached, cache_write_tokens=stored)
    cost = _cost(usage.get("cost"))
    # Free of charge is what nobody counted, and says as little.
    return replace(used, cost_usd=(cost or None) if used is UNKNOWN else cost)


def counted(
    *,
    input_tokens: object,
    output_tokens: object,
    cached_tokens: object = None,
    cache_write_tokens: object = None,
) -> Used:
    """Counts of somebody who includes cached tokens in the input.

    Unknown where no token at all was counted, and where the counts contradict each other: nobody can say then
    whether the cached tokens are part of the input.
    """
    read, written = _count(input_tokens), _count(output_tokens)
    cached, stored = _count(cached_tokens), _count(cache_write_tokens)
    if read is None or written is None or not read + written or read < (cached or 0) + (stored or 0):
        return UNKNOWN
    return Used(input_tokens=read, cached_tokens=cached, cache_write_tokens=stored, output_tokens=written)


def _cached_within(usage: Mapping[str, Json]) -> int | None:
    for name in ("prompt_tokens_details", "input_tokens_details"):
        details = usage.get(name)
        if isinstance(details, Mapping) and (cached := _count(details.get("cached_tokens"))) is not None:
            return cached
    return _first_count(usage, "prompt_cache_hit_tokens", "cached_tokens")


def _first_count(usage: Mapping[str, Json], *names: str) -> int | None:
    return next((count for name in names if (count := _count(usage.get(name))) is not None), None)


def _count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
        return value
    return None


def _cost(value: Json) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        cost = Decimal(str(value))
    except InvalidOperation:
        return None
    if not cost.is_finite() or not 0 <= cost < 10**9:
        return None
    if not cost:
        return Decimal(0)
    if cost.adjusted() < _FINEST_USD.adjusted():
        return None  # nobody charges so little, and writing it out may take forever
    # Digits beyond the finest are a float's noise.
    return cost.quantize(_FINEST_USD).normalize() + 0
