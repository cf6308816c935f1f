"""Tokens and costs: observed, estimated or unknown, and each token charged once."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import ScriptedChatServer, call, calls, says
from company_lab.agents.chat_usage import UNKNOWN, Used, read_usage
from company_lab.agents.prices import parse_price, price_of
from company_lab.formats.errors import WrongUse
from model_episode import chat, of_kind, played

PRICE = "2.00/8.00/0.20"
"""Dollars per million: input, output, cached input."""
CONVENTIONS: list[tuple[dict[str, Any], str | None]] = [
    (
        {"prompt_tokens": 12000, "prompt_tokens_details": {"cached_tokens": 9000}, "completion_tokens": 800},
        "0.0142",
    ),
    (
        {"input_tokens": 12000, "input_tokens_details": {"cached_tokens": 9000}, "output_tokens": 800},
        "0.0142",
    ),
    ({"prompt_tokens": 12000, "prompt_cache_hit_tokens": 9000, "completion_tokens": 800}, "0.0142"),
    (
        {
            "prompt_tokens": 12000,
            "prompt_tokens_details": {},
            "prompt_cache_hit_tokens": 9000,
            "completion_tokens": 800,
        },
        "0.0142",
    ),
    ({"prompt_tokens": 12000, "cached_tokens": 9000, "completion_tokens": 800}, "0.0142"),
    ({"input_tokens": 3000, "cache_read_input_tokens": 9000, "output_tokens": 800}, "0.0142"),
    # one vendor's name for the input and another's for the cache: either way of counting may be meant
    ({"prompt_tokens": 12000, "cache_read_input_tokens": 9000, "completion_tokens": 800}, None),
    # cached tokens that can not be part of the input, in names that say they are: nobody knows what was meant
    (
        {"prompt_tokens": 3000, "prompt_tokens_details": {"cached_tokens": 9000}, "completion_tokens": 800},
        None,
    ),
]


@pytest.mark.fault("D11")
@pytest.mark.parametrize(("usage", "expected"), CONVENTIONS)
def test_both_ways_of_counting_cached_tokens_cost_the_same(
    usage: dict[str, Any], expected: str | None
) -> None:
    used = read_usage(usage)
    cost = parse_price("m", PRICE).cost(used)
    assert cost == (None if expected is None else Decimal(expected))
    if expected is not None:
        assert (used.input_tokens, used.cached_tokens, used.output_tokens) == (12000, 9000, 800)


@pytest.mark.fault("D10")
@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": "900", "completion_tokens": 7},
        {"prompt_tokens": True, "completion_tokens": 7},
        {"prompt_tokens": -1, "completion_tokens": 7},
        {"prompt_tokens": 900},
        [900, 7],
    ],
)
def test_missing_zero_and_senseless_counts_are_unknown_and_cost_nothing_known(usage: Any) -> None:
    assert read_usage(usage) == UNKNOWN
    assert parse_price("m", "1/2").cost(read_usage(usage)) is None


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(1, 10**6))
def test_no_token_is_charged_twice(fresh: int, cached: int, written: int) -> None:
    within: dict[str, Any] = {
        "prompt_tokens": fresh + cached,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens": written,
    }
    beside: dict[str, Any] = {
        "input_tokens": fresh,
        "cache_read_input_tokens": cached,
        "output_tokens": written,
    }
    price = parse_price("m", "3/15/0.3")
    expected = (Decimal(3) * fresh + Decimal("0.3") * cached + 15 * written) / 10**6
    assert price.cost(read_usage(within)) == expected
    assert price.cost(read_usage(beside)) == expected


def test_the_price_table_knows_hosts_by_their_address_and_its_snapshot_is_kept() -> None:
    price = price_of("gpt-4o-mini", "https://api.openai.com/v1", {})
    assert str(price.snapshot["source"]).startswith("genai-prices ")
    assert price.snapshot["usd_per_million"] == {
        "input_mtok": "0.15",
        "cache_read_mtok": "0.075",
        "output_mtok": "0.6",
    }
    assert price.cost(Used(input_tokens=1_000_000, output_tokens=0)) == Decimal("0.15")
    json.dumps(price.snapshot)


@pytest.mark.parametrize(
    ("model", "url"),
    [("gpt-4o-mini", "http://127.0.0.1:8080/v1"), ("no-such-model-at-all", "https://api.openai.com/v1")],
)
def test_a_model_without_a_price_costs_an_unknown_amount(model: str, url: str) -> None:
    price = price_of(model, url, {})
    assert price.snapshot["source"] == "unknown"
    assert price.cost(Used(input_tokens=900, output_tokens=90)) is None


def test_a_declared_price_goes_first_and_free_is_a_known_zero() -> None:
    declared = {"gpt-4o-mini": "free"}
    price = price_of("gpt-4o-mini", "https://api.openai.com/v1", declared)
    assert price.cost(Used(input_tokens=900, output_tokens=90)) == 0
    assert price.snapshot["source"] == "declared"
    assert price.cost(UNKNOWN) is None


@pytest.mark.parametrize("text", ["", "1", "1/2/3/4", "-1/2", "1e3/2", "nan/1", "cheap", "1,5/2"])
def test_prices_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="dollars per million tokens"):
        parse_price("m", text)


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("usage", "options", "cost", "basis"),
    [
        (
            {"prompt_tokens": 1000, "completion_tokens": 100},
            {"price": ["scripted=1/10"]},
            "0.002",
            "estimated",
        ),
        (
            {"prompt_tokens": 1000, "completion_tokens": 100, "cost": 0.0042},
            {"price": ["scripted=1/10"]},
            "0.0042",
            "observed",
        ),
        ({"prompt_tokens": 1000, "completion_tokens": 100}, {}, None, None),
        ({"prompt_tokens": 0, "completion_tokens": 0}, {"price": ["scripted=1/10"]}, None, None),
        ({"prompt_tokens": 1000, "completion_tokens": 100}, {"price": ["scripted=free"]}, "0", "estimated"),
    ],
)
def test_a_cost_is_observed_estimated_or_unknown(
    usage: dict[str, Any], options: dict[str, Any], cost: str | None, basis: str | None
) -> None:
    with ScriptedChatServer([says("hi", raw_usage=usage)]) as server:
        trace = played("openai-chat", chat(server.url, test_model=None, **options))
    (record,) = of_kind(trace, "usage")
    assert record["cost_usd"] == cost
    assert record.get("basis") == basis
    assert trace.records[-1]["cost_usd"] == cost
    assert trace.header["evidence"] == "real model"


@pytest.mark.loopback
def test_one_answer_of_unknown_cost_makes_the_episodes_cost_unknown() -> None:
    known = {"prompt_tokens": 1000, "completion_tokens": 100}
    with ScriptedChatServer(
        [calls(call("orders_get", {"id": "A-104"}), raw_usage=known), says("hi", usage=None)]
    ) as server:
        trace = played("openai-chat", chat(server.url, test_model=None, price=["scripted=1/10"]))
    assert [record["cost_usd"] for record in of_kind(trace, "usage")] == ["0.002", None]
    assert trace.records[-1]["cost_usd"] is None


@pytest.mark.fault("D10")
@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        ("1e-999999999", None),
        ("0e-999999999", Decimal(0)),
        (1e-50, None),
        ("-0.01", None),
        ("NaN", None),
        ("free", None),
        (True, None),
        (0.00012, Decimal("0.00012")),
        ("0.1234567890123456789012345", Decimal("0.123456789012345679")),
    ],
)
def test_a_cost_that_nobody_charges_is_unknown_and_takes_no_time_to_write(cost: Any, expected: Any) -> None:
    used = read_usage({"prompt_tokens": 9, "completion_tokens": 7, "cost": cost})
    assert used.cost_usd == expected
    assert len(f"{used.cost_usd}") < 30


@pytest.mark.fault("D10")
@pytest.mark.parametrize("counts", [{}, {"prompt_tokens": 0, "completion_tokens": 0}])
def test_a_cost_of_nothing_for_tokens_that_nobody_counted_is_unknown(counts: dict[str, int]) -> None:
    assert read_usage({**counts, "cost": 0}) == UNKNOWN
    assert read_usage({**counts, "cost": 0.25}).cost_usd == Decimal("0.25")
