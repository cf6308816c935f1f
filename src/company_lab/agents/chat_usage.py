"""What a model's answer says it used, under one counting convention: tokens read include those from a cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from company_lab.formats.canonical import MAX_INTEGER, Json


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
_FINEST_USD = Decimal("1e-18")


def read_usage(usage: Json) -> Used:
    """The `usage` of an answer, whichever names and whichever way of counting cached tokens its host has.

    OpenAI's fields include cached tokens in the input (`prompt_tokens`, `input_tokens`; `*_tokens_details`), DeepSeek's
    as well (`prompt_cache_hit_tokens`); Anthropic's count them beside it (`cache_read_input_tokens`). An answer that
    used no token at all, and counts that contradict each other, are unknown.
    """
    if not isinstance(usage, Mapping):
        return UNKNOWN
    read = _count(usage, "prompt_tokens", "input_tokens")
    written = _count(usage, "completion_tokens", "output_tokens")
    cost = _cost(usage.get("cost"))
    if read is None or written is None or not read + written:
        return Used(cost_usd=cost or None)  # free of charge is what nobody counted, and says as little
    beside = _count(usage, "cache_read_input_tokens")
    made = _count(usage, "cache_creation_input_tokens")
    within = _cached_within(usage)
    if (beside or made) and within is None:
        return Used(
            input_tokens=read + (beside or 0) + (made or 0),
            cached_tokens=beside or 0,
            cache_write_tokens=made,
            output_tokens=written,
            cost_usd=cost,
        )
    if within is not None and within > read:
        return Used(cost_usd=cost)  # nobody can say whether the cached tokens are part of the input
    return Used(input_tokens=read, cached_tokens=within, output_tokens=written, cost_usd=cost)


def _cached_within(usage: Mapping[str, Json]) -> int | None:
    for name in ("prompt_tokens_details", "input_tokens_details"):
        details = usage.get(name)
        if isinstance(details, Mapping):
            return _count(details, "cached_tokens")
    return _count(usage, "prompt_cache_hit_tokens")


def _count(usage: Mapping[str, Json], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, float) and value.is_integer() and value <= MAX_INTEGER:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INTEGER // 4:
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
