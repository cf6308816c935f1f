"""Outages of a model's host: retried with pauses, every try in the trace, never a failure of the agent."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import ScriptedChatServer, Step, call, calls, fails, says
from company_lab.agents import chat_asking
from company_lab.agents.chat_failures import failure_of
from company_lab.agents.pacing import paced
from company_lab.company import company
from company_lab.evaluation import judge
from model_episode import chat, of_kind, played, shipped


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_asking, "_FIRST_PAUSE_S", 0.01)


OUTAGES = {
    "429": fails(429, retry_after="0"),
    "500": fails(500),
    "503 in HTML": Step(status=503, body="<html>busy</html>"),
    "529 of System One": fails(529, {"detail": {"error_type": "overloaded_error", "message": "busy"}}),
    "a failure under 200": Step(body={"error": {"message": "upstream", "code": 502}}),
    "no JSON": Step(body="<html>hello</html>"),
    "an empty body": Step(body=""),
    "no choices": Step(body={"id": "x", "choices": []}),
    "a list": Step(body=[1, 2]),
    "cut off in the middle": says("x" * 500, cut=True),
    "hung up": Step(hang_up=True),
    "NaN": Step(body='{"choices": [{"message": {"content": NaN}}]}'),
    "a call without a name": Step(body={"choices": [{"message": {"tool_calls": [{"id": "a"}]}}]}),
}


@pytest.mark.loopback
@pytest.mark.parametrize("name", OUTAGES)
def test_an_outage_is_retried_and_every_try_stands_in_the_trace(name: str) -> None:
    with ScriptedChatServer([OUTAGES[name], OUTAGES[name], says("done")]) as server:
        trace = played("openai-chat", chat(server.url))
    models = of_kind(trace, "model")
    assert [record["attempt"] for record in models] == [1, 2, 3]
    assert [record["error"] is None for record in models] == [False, False, True]
    assert trace.stop == "finished"
    assert server.bodies()[0] == server.bodies()[1] == server.bodies()[2]


@pytest.mark.loopback
@pytest.mark.parametrize("name", OUTAGES)
def test_an_outage_that_lasts_ends_the_episode_as_one(name: str) -> None:
    with ScriptedChatServer(lambda asked, number: OUTAGES[name]) as server:
        trace = played("openai-chat", chat(server.url, retries=2))
    assert len(server.asked) == 3
    assert trace.stop == "infrastructure_error"
    (stopped,) = of_kind(trace, "stopped")
    assert "the agent at 127.0.0.1:" in stopped["detail"]
    assert "3 tries" in stopped["detail"]
    assert judge(shipped(), company.spec, trace).outcome == "unscored"


@pytest.mark.loopback
def test_content_is_never_retried() -> None:
    with ScriptedChatServer([calls(call("no_such_tool", "{broken")), says("")]) as server:
        trace = played("openai-chat", chat(server.url))
    assert len(server.asked) == 2
    assert {record["attempt"] for record in of_kind(trace, "model")} == {1}


@pytest.mark.wall_time
@pytest.mark.loopback
@pytest.mark.parametrize(
    "step", [says("late", delay_s=5.0), says("drop by drop", drip_s=0.05)], ids=["silent", "dripping"]
)
def test_an_answer_that_does_not_come_in_time_is_an_outage(step: Step) -> None:
    begun = time.monotonic()
    with ScriptedChatServer([step, says("done")]) as server:
        trace = played("openai-chat", chat(server.url, answer_timeout=0.3))
    assert time.monotonic() - begun < 4
    first, _ = of_kind(trace, "model")
    assert first["error"] == {"message": "no whole answer within 0.3 seconds"}
    assert trace.stop == "finished"


@pytest.mark.loopback
def test_a_host_that_nobody_serves_is_an_outage() -> None:
    trace = played("openai-chat", chat("http://127.0.0.1:9/v1", retries=1))
    assert trace.stop == "infrastructure_error"
    assert len(of_kind(trace, "model")) == 2


@pytest.mark.loopback
@pytest.mark.parametrize(
    "step",
    [
        fails(401, {"error": {"message": "no", "code": "invalid_api_key"}}),
        fails(404, {"error": {"message": "model not found", "type": "not_found_error"}}),
        fails(422, {"detail": [{"loc": ["body", "model"], "msg": "Field required"}]}),
        fails(429, {"error": {"message": "pay", "code": "insufficient_quota"}}),
        fails(501, {"error": {"message": "no tools", "type": "not_supported_error"}}),
        Step(status=302, body="", headers={"location": "http://example.test/"}),
    ],
    ids=lambda step: str(step.status),
)
def test_what_will_not_pass_is_not_retried_and_still_no_failure_of_the_agent(step: Step) -> None:
    with ScriptedChatServer(lambda asked, number: step) as server:
        trace = played("openai-chat", chat(server.url))
    assert len(server.asked) == 1
    assert trace.stop == "infrastructure_error"
    assert str(step.status) in of_kind(trace, "stopped")[0]["detail"]


@pytest.mark.wall_time
@pytest.mark.loopback
@pytest.mark.fault("D15")
@pytest.mark.parametrize("asked", ["-5", "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "nan", ""])
def test_a_wait_that_makes_no_sense_is_answered_by_a_pause_of_our_own(asked: str) -> None:
    begun = time.monotonic()
    with ScriptedChatServer([fails(429, retry_after=asked), says("done")]) as server:
        trace = played("openai-chat", chat(server.url))
    assert trace.stop == "finished"
    assert time.monotonic() - begun < 2


@pytest.mark.loopback
def test_a_host_is_left_alone_as_long_as_it_asks_for_and_that_counts_for_no_limit() -> None:
    script = [fails(429, retry_after_ms="400"), says("done")]
    with ScriptedChatServer(script) as server, paced([f"127.0.0.1:{server.port}"], {}):
        begun = time.monotonic()
        trace = played("openai-chat", chat(server.url))
    assert time.monotonic() - begun >= 0.4
    assert of_kind(trace, "model")[0]["error"]["retry_after"] == "0.4"


@pytest.mark.loopback
def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_asking, "LONGEST_ANSWER", 10_000)
    with ScriptedChatServer([says("x" * 100_000), says("done")]) as server:
        trace = played("openai-chat", chat(server.url))
    assert of_kind(trace, "model")[0]["error"]["message"] == "an answer of more than 10,000 bytes"


TOO_LONG: list[tuple[int, Any]] = [
    (400, {"error": {"message": "m", "type": "invalid_request_error", "code": "context_length_exceeded"}}),
    (400, {"error": {"code": 400, "message": "the request exceeds", "type": "exceed_context_size_error"}}),
    (400, {"message": "This model's maximum context length is 4096 tokens"}),
    (413, {"detail": {"error_type": "request_too_large", "message": ""}}),
    (422, {"detail": {"error_type": "max_tokens_exceeded"}}),
    (400, {"error": "prompt is too long: 9000 tokens"}),
]


@pytest.mark.parametrize(("status", "body"), TOO_LONG)
def test_a_conversation_that_grew_too_long_is_the_agents_own(status: int, body: Any) -> None:
    failure = failure_of(status, body, "", None)
    assert failure.agents_own
    assert not failure.passing


def test_a_filtered_request_is_the_agents_own_and_a_rate_limit_is_not() -> None:
    filtered = failure_of(400, {"error": {"code": "content_filter", "message": "blocked"}}, "", None)
    limited = failure_of(429, {"error": {"code": "rate_limit_exceeded", "message": "too many"}}, "", "7")
    assert (filtered.agents_own, filtered.passing) == (True, False)
    assert (limited.agents_own, limited.passing, limited.retry_after) == (False, True, "7")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.integers(300, 599), json_values | st.fixed_dictionaries({"error": json_values, "detail": json_values})
)
def test_whatever_a_host_says_with_an_error_is_understood_as_one(status: int, body: Any) -> None:
    failure = failure_of(status, body, "text", None)
    assert failure.what.startswith(f"the host answered {status}")
    assert len(failure.what) < 700
    assert not (failure.passing and failure.agents_own)


@pytest.mark.loopback
@pytest.mark.fault("D01", "D06")
def test_half_a_character_in_a_call_is_recorded_as_it_came_and_does_not_end_the_episode() -> None:
    wanted = {"id": "a", "function": {"name": "orders\ud83d", "arguments": '{"id": "\ud83d"}'}}
    script = [Step(body={"choices": [{"message": {"tool_calls": [wanted]}}]}), says("done")]
    with ScriptedChatServer(script) as server:
        trace = played("openai-chat", chat(server.url))
    (action,) = of_kind(trace, "action")
    assert (action["tool"], trace.stop) == ("orders\ud83d", "finished")
    assert server.bodies()[1]["messages"][2]["tool_calls"][0]["function"]["name"] == "orders_"


@pytest.mark.loopback
def test_a_host_that_repeats_the_key_does_not_get_it_into_the_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush/hush-123")
    told = {"error": {"message": "Incorrect API key provided: hush/hush-123", "code": "busy"}}
    escaped = '{"choices": [{"message": {"content": "you sent hush\\/hush-123"}}]}'
    spelled = '{"error": {"message": "you sent \\u0068ush/hush-123", "code": "hush\\u002fhush-123"}}'
    steps = [fails(500, told), Step(status=500, body=spelled), Step(body=escaped)]
    with ScriptedChatServer(steps) as server:
        trace = played("openai-chat", chat(server.url, api_key_env="SOME_KEY"))
    assert server.asked[0].headers["authorization"] == "Bearer hush/hush-123"
    assert "hush-123" not in trace.text()
    assert "Incorrect API key provided: (secret)" in of_kind(trace, "model")[0]["error"]["message"]
    assert of_kind(trace, "reply")[0]["text"] == "you sent (secret)"


@pytest.mark.loopback
@pytest.mark.parametrize("name", ["chunks without end", "a status that is none", "a bomb"])
def test_a_host_that_breaks_http_is_an_outage(name: str) -> None:
    head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
    said = {
        "chunks without end": f"{head}transfer-encoding: chunked\r\n\r\nzz\r\n".encode(),
        "a status that is none": b"\xff\xfe\x00\r\n\r\n",
        "a bomb": f"{head}content-encoding: gzip\r\n\r\n".encode() + gzip.compress(b"x" * 20_000_000),
    }[name]
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listening.accept()
                with connection, suppress(ConnectionError):
                    connection.recv(1 << 20)
                    connection.sendall(said)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        port = listening.getsockname()[1]
        trace = played("openai-chat", chat(f"http://127.0.0.1:{port}/v1", retries=1))
        thread.join(10)
    assert trace.stop == "infrastructure_error"
    assert len(of_kind(trace, "model")) == 2


@pytest.mark.loopback
@pytest.mark.parametrize("key", ["none", "1", "EMPTY"])
def test_what_a_local_host_takes_for_a_key_is_left_alone_in_what_the_model_says(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", key)
    wanted = {"charge": "ch_9wd", "amount_minor": 1000, "reason": key}
    with ScriptedChatServer([calls(call("payments_refund", wanted)), says(key)]) as server:
        trace = played("openai-chat", chat(server.url, api_key_env="SOME_KEY"))
    assert [record["args"] for record in of_kind(trace, "action")] == [wanted]
    assert of_kind(trace, "reply")[0]["text"] == key
