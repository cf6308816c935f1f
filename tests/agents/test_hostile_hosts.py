"""Hosts that mean no good, or know no better: each has a recorded outcome, and none gets the key or the memory."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import ScriptedChatServer, Step, call, calls, chooses, fails, says
from company_lab.agents import chat_asking
from company_lab.agents.chat_usage import read_usage
from company_lab.agents.prices import parse_price
from company_lab.agents.retry_after import MOST_S, seconds_to_wait
from company_lab.episodes.spending import Spending, read_cost, read_tokens
from company_lab.traces import Trace
from model_episode import chat, deciding, of_kind, played, shipped

pytestmark = pytest.mark.loopback


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_asking, "_FIRST_PAUSE_S", 0.01)


def answered(message: Any, *, finish: str = "stop", **more: Any) -> Step:
    return Step(body={"choices": [{"message": message, "finish_reason": finish}], **more})


def asking(*steps: Step, **options: Any) -> tuple[Trace, ScriptedChatServer]:
    with ScriptedChatServer([*steps, says("done")]) as server:
        trace = played("openai-chat", chat(server.url, **options))
    return trace, server


def test_a_redirect_is_not_followed_and_nobody_else_gets_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-123")
    with ScriptedChatServer(lambda asked, number: says("caught")) as elsewhere:
        for status in (301, 302, 303, 307, 308):
            away = fails(status, "", location=f"{elsewhere.url}/chat/completions")
            with ScriptedChatServer([away]) as server:
                trace = played("openai-chat", chat(server.url, api_key_env="SOME_KEY"))
            assert (trace.stop, len(server.asked)) == ("infrastructure_error", 1)
            assert str(status) in of_kind(trace, "stopped")[0]["detail"]
    assert elsewhere.asked == []


ENDLESS = b"x" * 20_000_000
PACKED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "gzip twice": ("gzip, gzip", lambda: gzip.compress(gzip.compress(ENDLESS))),
    "zstd": ("zstd", lambda: b"x"),
    "br": ("br", lambda: b"x"),
    "gzip": ("gzip", lambda: gzip.compress(ENDLESS)),
    "no gzip at all": ("gzip", lambda: b"no gzip at all"),
    "deflate": ("deflate", lambda: zlib.compress(ENDLESS)),
}


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("more", [{}, {"stream": True}], ids=["whole", "stream"])
def test_what_would_unpack_without_end_is_an_outage(name: str, more: dict[str, Any]) -> None:
    encoding, body = PACKED[name]
    kind = "text/event-stream" if more else "application/json"
    bomb = Step(body=body(), headers={"content-encoding": encoding, "content-type": kind})
    trace, server = asking(bomb, **more)
    assert [record["error"] is None for record in of_kind(trace, "model")] == [False, True]
    assert trace.stop == "finished"
    assert server.asked[0].headers["accept-encoding"] == "gzip, deflate"


def test_a_recording_unpacks_no_bomb_either(tmp_path: Any) -> None:
    bomb = Step(body=b"x", headers={"content-encoding": "gzip, gzip"})
    trace, _ = asking(bomb, record=str(tmp_path / "traffic.yaml"))
    assert "DecodingError" in of_kind(trace, "model")[0]["error"]["message"]
    assert trace.stop == "finished"


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"a":' * 100_000, "1" * 5000, "\ud800", '{"choices": [], "choices": []}']
)
def test_a_body_that_is_no_decent_json_is_an_outage(body: str) -> None:
    trace, server = asking(Step(body=body.encode("utf-8", "surrogatepass")))
    assert "no JSON" in of_kind(trace, "model")[0]["error"]["message"]
    assert (trace.stop, len(server.asked)) == ("finished", 2)


@pytest.mark.parametrize("asked", ["1e9", "99999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_nobody_waits_longer_than_two_minutes_whatever_is_asked(asked: str) -> None:
    assert seconds_to_wait(asked) in (MOST_S, None)


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ({"content": None}, ""),
        ({}, ""),
        ({"content": []}, ""),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab"),
        ({"content": [{"text": "a"}, 5, None, {"type": "text"}, {"type": "text", "text": 5}]}, "a"),
        ({"content": [{"type": "reasoning", "text": "secretly"}, {"type": "text", "text": "a"}]}, "a"),
        ({"content": [{"type": "refusal", "refusal": "No."}]}, "No."),
        ({"content": None, "refusal": "I will not."}, "I will not."),
        ({"content": "", "refusal": {"reason": 5}}, ""),
        ({"content": "a", "tool_calls": None}, "a"),
        ({"content": "a", "tool_calls": []}, "a"),
        ({"content": "a", "tool_calls": {}}, "a"),
        ({"content": "a\ud83d\x00\x1b[2J"}, "a\ud83d\x00\x1b[2J"),
    ],
)
def test_every_form_of_content_is_the_reply_that_it_says(message: dict[str, Any], reply: str) -> None:
    trace, server = asking(answered(message))
    assert [record["text"] for record in of_kind(trace, "reply")] == [reply]
    assert (trace.stop, len(server.asked)) == ("finished", 1)


@pytest.mark.parametrize("content", [5, True, {"text": "a"}, 1.5])
def test_a_content_that_is_none_is_the_hosts_failure(content: Any) -> None:
    trace, server = asking(answered({"content": content}))
    assert "its content is a" in of_kind(trace, "model")[0]["error"]["message"]
    assert len(server.asked) == 2


ODD_CALLS: dict[str, tuple[dict[str, Any], str, str]] = {
    "no id": ({"id": None, "function": {"name": "orders_get", "arguments": "{}"}}, "orders.get", "{}"),
    "an id that is a number": (
        {"id": 5, "function": {"name": "orders_get", "arguments": "{}"}},
        "orders.get",
        "{}",
    ),
    "no name": ({"id": "a", "function": {"name": None, "arguments": "{}"}}, "", "{}"),
    "a name that is a number": ({"id": "a", "function": {"name": 5, "arguments": "{}"}}, "5", "{}"),
    "a name nobody may send back": (
        {"id": "a", "function": {"name": "orders.get ü" * 20, "arguments": "{}"}},
        "orders.get ü" * 20,
        "{}",
    ),
    "no arguments": ({"id": "a", "function": {"name": "orders_get", "arguments": None}}, "orders.get", ""),
    "nothing": ({"function": {"x": 1}}, "", ""),
}


@pytest.mark.fault("D01", "D06")
@pytest.mark.parametrize("name", ODD_CALLS)
def test_an_odd_call_is_an_attempt_and_is_never_asked_for_again(name: str) -> None:
    odd, tool, supplied = ODD_CALLS[name]
    trace, server = asking(answered({"tool_calls": [odd]}, finish="tool_calls"))
    (action,) = of_kind(trace, "action")
    assert (action["tool"], action["supplied"]) == (tool, supplied)
    assert of_kind(trace, "result")[0]["outcome"] == "malformed"
    assert (trace.stop, len(server.asked)) == ("finished", 2)
    (echoed,) = server.bodies()[1]["messages"][2]["tool_calls"]
    assert echoed["id"]
    # a name that hosts do not allow would have the whole conversation refused
    assert echoed["function"]["name"].isascii()
    assert 0 < len(echoed["function"]["name"]) <= 64
    assert json.loads(echoed["function"]["arguments"]) is not None


@pytest.mark.fault("D04", "D07")
def test_a_thousand_calls_in_one_answer_are_recorded_and_stopped_by_the_limit() -> None:
    wanted = [call("payments_get", {"id": f"ch_{number}"}, id=f"c{number}") for number in range(1000)]
    trace, server = asking(calls(*wanted))
    assert trace.stop == "call_limit"
    assert len(of_kind(trace, "model")[0]["answer"]["calls"]) == 1000
    assert len(of_kind(trace, "action")) == shipped().limits.calls
    assert len(server.asked) == 1


TWICE = '{"charge": "ch_9wd", "amount_minor": 1, "amount_minor": 2500}'


@pytest.mark.fault("D01")
@pytest.mark.parametrize("raw", [TWICE, '{"charge": "ch_9wd", "more": {"a": 1, "a": 2}}'])
@pytest.mark.parametrize(
    ("adapter", "more"),
    [
        ("openai-chat", {}),
        ("openai-chat", {"stream": True}),
        ("openai-responses", {}),
        ("openai-responses", {"stream": True}),
        ("decision", {"writer_mode": "schema"}),
        ("decision", {"writer_mode": "tool"}),
    ],
)
def test_arguments_with_a_key_that_stands_twice_are_malformed_and_kept_raw(
    raw: str, adapter: str, more: dict[str, Any]
) -> None:
    script = [calls(call("payments_refund", raw)), says("done")]
    if adapter == "decision":
        writes = says(raw) if more["writer_mode"] == "schema" else calls(call("refund", raw))
        script = [chooses("refund"), writes, chooses("respond"), says("done")]
    with ScriptedChatServer(script) as server:
        options = deciding(server.root) if adapter == "decision" else chat(server.url)
        trace = played(adapter, {**options, **more})
    (action,) = of_kind(trace, "action")
    assert (action["args"], action["supplied"]) == (None, raw)
    assert of_kind(trace, "result")[0]["outcome"] == "malformed"
    assert trace.records[-1]["ledgers"] == {}


@pytest.mark.fault("D10")
@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": 3},
        {"prompt_tokens": "5", "completion_tokens": "3"},
        {"prompt_tokens": 5.5, "completion_tokens": 3},
        {"prompt_tokens": 1e300, "completion_tokens": 3},
        {"prompt_tokens": 10**18, "completion_tokens": 3, "cost": "-1"},
        {"prompt_tokens": [5], "completion_tokens": {}},
        {"prompt_tokens_details": 5},
        {"cost": "Infinity"},
        "100",
        [],
        True,
        None,
    ],
)
def test_senseless_usage_of_a_real_model_costs_an_unknown_amount_and_never_nothing(usage: Any) -> None:
    trace, _ = asking(answered({"content": "hi"}, usage=usage), test_model=None, price=["scripted=1/2"])
    (record,) = of_kind(trace, "usage")
    assert (record["input_tokens"], record["cost_usd"]) == (None, None)
    assert trace.records[-1]["cost_usd"] is None
    assert trace.stop == "finished"


COUNTS = ("prompt_tokens", "completion_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


@given(
    st.dictionaries(st.sampled_from([*COUNTS, "cost"]), st.integers(-1, 2**63) | st.floats(allow_nan=False))
)
def test_whatever_a_host_counts_can_be_added_up_and_priced(usage: dict[str, Any]) -> None:
    used = read_usage(usage)
    spending = Spending(costs_nothing=False)
    for _ in range(1000):
        spending.add(
            tokens=read_tokens(used.input_tokens) + read_tokens(used.output_tokens), cost=used.cost_usd
        )
    assert read_tokens(spending.tokens) == spending.tokens
    cost = parse_price("m", "9999999/9999999").cost(used)
    assert read_cost(None if cost is None else f"{cost:f}") == cost


def test_a_float_that_is_a_whole_number_is_a_count() -> None:
    used = read_usage({"prompt_tokens": 5.0, "completion_tokens": 3})
    assert (used.input_tokens, used.output_tokens) == (5, 3)


@pytest.mark.fault("D10")
@pytest.mark.parametrize(
    ("price", "cost", "basis"),
    [(["scripted=1/10"], "0.002", "estimated"), ([], "0", "observed"), (["scripted=free"], "0", "observed")],
)
def test_a_host_that_says_zero_is_believed_only_where_no_price_says_otherwise(
    price: list[str], cost: str, basis: str
) -> None:
    usage: dict[str, Any] = {"prompt_tokens": 1000, "completion_tokens": 100, "cost": 0}
    trace, _ = asking(answered({"content": "hi"}, usage=usage), test_model=None, price=price)
    (record,) = of_kind(trace, "usage")
    assert (record["cost_usd"], record["basis"]) == (cost, basis)
    assert parse_price("m", "1/10").cost(read_usage(usage)) == Decimal("0.002")


@pytest.mark.wall_time
@pytest.mark.parametrize("stream", [False, True])
def test_chunks_without_end_are_over_when_the_time_is(stream: bool) -> None:
    begun = time.monotonic()
    slow = Step(body=b"{" + b" " * 400, drip_s=0.02)
    trace, _ = asking(slow, stream=stream, answer_timeout=0.3)
    assert time.monotonic() - begun < 5
    assert "no whole answer" in of_kind(trace, "model")[0]["error"]["message"]
    assert trace.stop == "finished"
