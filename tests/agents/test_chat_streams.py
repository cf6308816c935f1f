"""Streamed answers, from a real HTTP server on loopback: joined they are answers like any other."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import CompletionCreateParams
from pydantic import TypeAdapter

from chat_server import ScriptedChatServer, Step, call, calls, fails, says
from company_lab.agents import chat_asking, chat_streams
from company_lab.agents.chat_streams import BadAnswer
from company_lab.agents.openai_chat import read_completion
from company_lab.agents.openai_chat_pieces import CompletionPieces
from company_lab.agents.openai_responses_pieces import ResponsePieces
from company_lab.agents.protocol import Agent
from company_lab.agents.resolve import resolve_agent
from company_lab.cli.modelling import MODEL_OPTIONS, agent_given
from company_lab.company import company
from company_lab.evaluation import judge
from company_lab.formats.errors import WrongUse
from company_lab.traces import Trace
from model_episode import chat, of_kind, played, shipped
from streamed import HEADERS, delta, events, fragment, streamed

pytestmark = pytest.mark.loopback
ADAPTERS = ("openai-chat", "openai-responses")
USAGE = {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}
STOP = delta("stop")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_asking, "_FIRST_PAUSE_S", 0.01)


def stream(*pieces: Any, done: bool = True, **more: Any) -> Step:
    return Step(body=events(pieces, done=done), headers=HEADERS, **more)


def streaming(steps: list[Step], **options: Any) -> tuple[Trace, ScriptedChatServer]:
    with ScriptedChatServer(steps) as server:
        trace = played("openai-chat", chat(server.url, stream=True, test_model=None, **options))
    return trace, server


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_episode_whose_answers_come_in_pieces_is_the_same_record(adapter: str) -> None:
    (turn,) = shipped().reference
    one_by_one = [
        calls(call(step.tool.replace(".", "_"), step.args, id=f"call_{number}"), text="Next, März.")
        for number, step in enumerate(turn.do)
    ]
    at_once = calls(
        call("orders_get", {"id": "A-104"}, id="a"), call("crm_get", '{"id": "C-7715"', id="b"), text=""
    )
    steps = [at_once, *one_by_one, says(turn.reply or "", usage={"input": 50, "output": 5, "cached": 20})]
    traces = []
    for stream in (False, True):
        with ScriptedChatServer(steps) as server:
            traces.append(played(adapter, chat(server.url, stream=stream, price=["scripted=1/2/0.5"])))
        assert [asked.body.get("stream", False) for asked in server.asked] == [stream] * len(steps)
    whole, pieced = traces
    assert pieced.records[1:] == whole.records[1:]
    assert judge(shipped(), company.spec, pieced) == judge(shipped(), company.spec, whole)
    assert pieced.header["agent"]["settings"]["stream"] is True
    assert "stream" not in whole.header["agent"]["settings"]


def test_what_is_asked_for_is_what_the_openai_library_calls_valid() -> None:
    _, server = streaming([says("hi")])
    (body,) = server.bodies()
    TypeAdapter(CompletionCreateParams).validate_python(body, strict=False)
    assert body["stream_options"] == {"include_usage": True}


WHOLE: dict[str, Step] = {
    "without usage": stream(delta(content="do"), delta(content="ne"), STOP),
    "without [DONE]": stream(delta(content="done"), STOP, USAGE, done=False),
    "without a reason to end": stream(delta(content="done"), USAGE),
    "cut off after its end": Step(
        body=events([delta(content="done"), STOP, ": " + "x" * 900 + "\n\n"]), headers=HEADERS, cut=True
    ),
    "with an error after its end": stream(delta(content="done"), STOP, {"error": {"message": "late"}}),
    "with comments, names and blank lines between": stream(
        ": hello\n\n", "\n\n", "event: ping\n\n", "id: 7\n\n", delta(content="done"), ": on\n\n", STOP
    ),
    "with Windows line ends": Step(
        body=events([delta(content="done"), STOP, USAGE]).replace(b"\n", b"\r\n"), headers=HEADERS
    ),
    "of another choice beside it": stream(
        {"choices": [{"index": 1, "delta": {"content": "no"}}]}, delta(content="done"), STOP
    ),
    "in parts": stream(
        delta(content=[{"type": "thinking", "text": "hm"}, {"type": "text", "text": "done"}]), STOP
    ),
    "in one piece after all": Step(
        body={"choices": [{"message": {"content": "done"}, "finish_reason": "stop"}]}
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_answer_is_one_however_it_ends(name: str) -> None:
    trace, server = streaming([WHOLE[name]])
    assert (trace.stop, len(server.asked)) == ("finished", 1)
    assert [record["text"] for record in of_kind(trace, "reply")] == ["done"]
    (usage,) = of_kind(trace, "usage")
    counted = name in ("without [DONE]", "without a reason to end", "with Windows line ends")
    assert usage["input_tokens"] == (100 if counted else None)


BROKEN: dict[str, tuple[Step, str]] = {
    "cut off in the middle": (
        Step(body=events([delta(content="x" * 50)] * 9), headers=HEADERS, cut=True),
        "RemoteProtocolError",
    ),
    "ended in the middle": (
        stream(delta(content="so far"), done=False),
        "the stream ended in the middle of an answer",
    ),
    "empty": (stream(done=False), "the stream ended before an answer began"),
    "only [DONE]": (stream(), "the stream ended before an answer began"),
    "only comments": (stream(": on\n\n", ": on\n\n", done=False), "the stream ended before an answer began"),
    "an error event": (
        stream(delta(content="so"), 'event: error\ndata: {"message": "busy", "code": 529}\n\n'),
        "the host answered 529: busy",
    ),
    "an error in a piece": (
        stream(delta(content="so"), {"error": {"message": "upstream", "code": "server_error"}}),
        "the host answered 500 server_error: upstream",
    ),
    "a piece that is no JSON": (stream(delta(content="so"), 'data: {"choices": [\n\n'), "is no JSON"),
    "a piece that is NaN": (stream('data: {"choices": [], "x": NaN}\n\n'), "is no JSON"),
    "a piece that is a list": (stream("data: [1]\n\n"), "a piece of the stream is no object"),
    "choices that are none": (stream({"choices": 5}), "the choices of a piece are no list"),
    "a choice that is none": (stream({"choices": [5]}), "a choice of a piece is no object"),
    "a delta that is none": (stream({"choices": [{"delta": [5]}]}), "a delta is no object"),
    "a content that is none": (stream(delta(content=5)), "its content is a int"),
    "calls that are none": (stream(delta(tool_calls={"a": 1})), "the tool calls of a delta are no list"),
    "a call that is none": (stream(delta(tool_calls=[5])), "a piece of a tool call is no object"),
    "a function that is none": (stream(delta(tool_calls=[{"function": "f"}])), "names no function"),
    "HTML": (
        Step(body="<html>busy</html>", headers={"content-type": "text/html"}),
        "an answer that is no JSON",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_is_an_outage_retried_with_every_try_in_the_trace(name: str) -> None:
    step, said = BROKEN[name]
    trace, server = streaming([step, step, says("done")], price=["scripted=1/2"])
    tries = of_kind(trace, "model")
    assert [record["attempt"] for record in tries] == [1, 2, 3]
    assert [said in record["error"]["message"] for record in tries[:2]] == [True, True], tries[0]["error"]
    assert server.bodies()[0] == server.bodies()[1] == server.bodies()[2]
    assert trace.stop == "finished"
    assert trace.records[-1]["cost_usd"] is None  # the broken tries were paid for, and nobody said how much


def test_a_host_that_says_it_is_down_before_it_begins_charges_nothing() -> None:
    down = [fails(503), stream({"error": {"message": "busy", "code": 503}})]
    trace, _ = streaming([*down, says("done")], price=["scripted=1/2"])
    assert [record["attempt"] for record in of_kind(trace, "model")] == [1, 2, 3]
    assert trace.records[-1]["cost_usd"] == "0.00014"


def test_what_had_come_of_a_broken_stream_is_kept() -> None:
    trace, _ = streaming([stream(delta(content="so "), delta(content="far"), done=False), says("done")])
    assert of_kind(trace, "model")[0]["error"]["partial"] == "so far"


def test_a_broken_stream_that_lasts_ends_the_episode_as_an_outage() -> None:
    broken = stream(delta(content="so far"), done=False)
    trace, server = streaming([broken] * 3, retries=2)
    assert (trace.stop, len(server.asked)) == ("infrastructure_error", 3)
    assert judge(shipped(), company.spec, trace).outcome == "unscored"


def test_an_error_that_is_the_agents_own_is_not_retried() -> None:
    trace, server = streaming([stream({"error": {"message": "m", "code": "context_length_exceeded"}})])
    assert (trace.stop, len(server.asked)) == ("agent_error", 1)


@pytest.mark.parametrize("finish", ["length", "content_filter"])
def test_an_answer_that_was_cut_off_by_the_model_is_its_own_end_with_its_usage(finish: str) -> None:
    trace, server = streaming([stream(delta(content="The refund of 25.0"), delta(finish), USAGE)])
    assert (trace.stop, len(server.asked)) == ("agent_error", 1)
    assert of_kind(trace, "model")[0]["answer"]["text"] == "The refund of 25.0"
    assert of_kind(trace, "usage")[0]["output_tokens"] == 20


JOINED: dict[str, tuple[list[dict[str, Any]], list[tuple[Any, str, Any]]]] = {
    "two calls whose pieces take turns": (
        [
            fragment(0, id="a", name="orders_get", arguments='{"id"'),
            fragment(1, id="b", name="crm_get", arguments="{"),
            fragment(0, arguments=': "A-104"}'),
            fragment(1, arguments='"id": "C-1"}'),
        ],
        [("a", "orders_get", '{"id": "A-104"}'), ("b", "crm_get", '{"id": "C-1"}')],
    ),
    "all under one number": (
        [
            fragment(0, id="a", name="orders_get", arguments="{}"),
            fragment(0, id="b", name="crm_get", arguments='{"id":'),
            fragment(0, id="b", arguments='"C-1"}'),
        ],
        [("a", "orders_get", "{}"), ("b", "crm_get", '{"id":"C-1"}')],
    ),
    "without numbers": (
        [
            fragment(None, id="a", name="orders_get", arguments="{"),
            fragment(None, arguments="}"),
            fragment(None, id="b", name="crm_get", arguments="{}"),
        ],
        [("a", "orders_get", "{}"), ("b", "crm_get", "{}")],
    ),
    "without numbers and ids": (
        [fragment(None, name="orders_get", arguments="{}"), fragment(None, name="crm_get", arguments="{}")],
        [(None, "orders_get", "{}"), (None, "crm_get", "{}")],
    ),
    "a name said again with each piece": (
        [
            fragment(0, id="a", name="crm_get", arguments="{"),
            fragment(0, id="a", name="crm_get", arguments="}"),
        ],
        [("a", "crm_get", "{}")],
    ),
    "a name in pieces": (
        [fragment(0, id="a", name="crm"), fragment(0, name="_get"), fragment(0, arguments="{}")],
        [("a", "crm_get", "{}")],
    ),
    "all numbered alike and without ids": (
        [
            fragment(0, name="orders_get", arguments='{"id":"A-1"}'),
            fragment(0, id="", name="crm_get", arguments="{}"),
            fragment(0, id="", name="crm_get", arguments="{}"),
        ],
        [(None, "orders_get", '{"id":"A-1"}'), (None, "crm_get", "{}"), (None, "crm_get", "{}")],
    ),
    "all under one number and one id": (
        [
            fragment(0, id="a", name="crm_get", arguments='{"id":'),
            fragment(0, arguments='"C-1"}'),
            fragment(0, id="a", name="crm_get", arguments='{"id":"C-2"}'),
        ],
        [("a", "crm_get", '{"id":"C-1"}'), ("a", "crm_get", '{"id":"C-2"}')],
    ),
    "one id and no numbers": (
        [
            fragment(None, id="a", name="crm_get", arguments='{"id":"C-1"}'),
            fragment(None, id="a", name="crm_get", arguments='{"id":"C-2"}'),
        ],
        [("a", "crm_get", '{"id":"C-1"}'), ("a", "crm_get", '{"id":"C-2"}')],
    ),
    "objects that are all numbered alike": (
        [
            fragment(0, name="crm_get", arguments={"id": "C-1"}),
            fragment(0, name="orders_get", arguments={"id": "A-1"}),
        ],
        [(None, "crm_get", {"id": "C-1"}), (None, "orders_get", {"id": "A-1"})],
    ),
    "a name said again at the end": (
        [
            fragment(0, id="a", name="crm_get", arguments="{}"),
            fragment(0, id="a", name="crm_get", arguments=""),
        ],
        [("a", "crm_get", "{}")],
    ),
    "whole arguments that go on are no JSON": (
        [fragment(0, id="a", name="crm_get", arguments="{}"), fragment(0, arguments=" thanks")],
        [("a", "crm_get", "{} thanks")],
    ),
    "arguments as an object": (
        [fragment(0, id="a", name="crm_get", arguments={"id": "C-1"})],
        [("a", "crm_get", {"id": "C-1"})],
    ),
    "nothing but an id": ([fragment(0, id="a")], [("a", "", "")]),
    "a second call that never began": (
        [fragment(0, id="a", name="crm_get", arguments="{}"), fragment(5, arguments="}")],
        [("a", "crm_get", "{}"), (None, "", "}")],
    ),
}


@pytest.mark.fault("D03", "D04")
@pytest.mark.parametrize("name", JOINED)
def test_pieces_of_calls_are_joined_by_their_numbers(name: str) -> None:
    pieces, expected = JOINED[name]
    joining = CompletionPieces()
    for piece in pieces:
        joining.add("message", delta(tool_calls=[piece]))
    joining.add("message", delta("tool_calls"))
    found = read_completion(joining.whole()).calls
    assert [(one.id, one.name, one.arguments) for one in found] == expected


@pytest.mark.fault("D03", "D04")
@pytest.mark.parametrize("ids", [("a", "b"), ("a", "a")])
@pytest.mark.parametrize("kinds", [("added", "done"), ("done",)])
def test_items_of_a_response_that_are_given_one_place_are_all_kept(
    ids: tuple[str, str], kinds: tuple[str, ...]
) -> None:
    joining = ResponsePieces()
    items: list[Any] = [
        {"type": "function_call", "call_id": id, "name": "crm_get", "arguments": f'{{"id":"C-{number}"}}'}
        for number, id in enumerate(ids)
    ]
    for item in items:
        for kind in kinds:
            joining.add("", {"type": f"response.output_item.{kind}", "output_index": 0, "item": item})
    joining.add("", {"type": "response.completed", "response": {"status": "completed", "output": []}})
    whole = joining.whole()
    assert isinstance(whole, dict)
    # an item that only ends, and ends again under its id, is the same item
    assert whole["output"] == (items[1:] if kinds == ("done",) and len(set(ids)) == 1 else items)


def test_the_old_way_of_calling_a_function_comes_in_pieces_too() -> None:
    joining = CompletionPieces()
    joining.add("message", delta(function_call={"name": "crm_get", "arguments": "{"}))
    joining.add("message", delta(function_call={"arguments": "}"}))
    joining.add("message", delta("function_call"))
    (found,) = read_completion(joining.whole()).calls
    assert (found.name, found.arguments) == ("crm_get", "{}")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MESSAGES = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": st.none() | TEXTS},
    optional={
        "refusal": TEXTS.filter(bool),
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {"name": TEXTS.filter(bool), "arguments": TEXTS},
            ),
            min_size=1,
            max_size=4,
        ),
    },
)


@given(MESSAGES, st.sampled_from(["stop", "tool_calls", "length"]))
def test_a_streamed_answer_says_what_the_whole_one_says(message: dict[str, Any], finish: str) -> None:
    numbered = enumerate(message.pop("tool_calls", []))
    if made := [{"id": f"c{number}", "function": function} for number, function in numbered]:
        message["tool_calls"] = made
    document: dict[str, Any] = {
        **USAGE,
        "model": "m",
        "choices": [{"message": message, "finish_reason": finish}],
    }
    joining = CompletionPieces()
    for line in streamed(document).decode().split("\n\n"):
        if line.startswith("data: {"):
            joining.add("message", json.loads(line.removeprefix("data: ")))
    joined = read_completion({**joining.whole(), "model": "m"})  # type: ignore[dict-item]
    assert joined == read_completion(document)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ODD = st.fixed_dictionaries(
    {},
    optional={
        "content": json_values,
        "refusal": json_values,
        "function_call": json_values,
        "tool_calls": json_values
        | st.lists(
            st.fixed_dictionaries(
                {},
                optional={
                    "index": json_values,
                    "id": json_values,
                    "function": json_values
                    | st.fixed_dictionaries({}, optional={"name": json_values, "arguments": json_values}),
                },
            ),
            max_size=3,
        ),
    },
)


@given(st.lists(ODD, max_size=5))
def test_whatever_stands_in_pieces_is_an_answer_or_none(pieces: list[dict[str, Any]]) -> None:
    joining = CompletionPieces()
    try:
        for piece in pieces:
            joining.add("message", delta("stop", **piece))
        answer = read_completion(joining.whole())
    except BadAnswer:
        return
    assert pieces
    json.dumps(answer.document())


def named(kind: str, **more: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"


CALL = {"type": "function_call", "call_id": "a", "name": "orders_get", "arguments": ""}
RESPONSES: dict[str, tuple[list[Any], str]] = {
    "its output only in pieces": (
        [
            named("response.output_item.added", output_index=0, item=CALL),
            named("response.function_call_arguments.delta", output_index=0, delta='{"id":'),
            named("response.function_call_arguments.delta", output_index=0, delta='"A-104"}'),
            named("response.completed", response={"status": "completed", "output": []}),
        ],
        "",
    ),
    "no end": (
        [named("response.output_text.delta", output_index=0, delta="so")],
        "the stream ended in the middle of an answer",
    ),
    "nothing": ([], "the stream ended before an answer began"),
    "a failure": (
        [named("response.failed", response={"status": "failed", "output": [], "error": {"message": "busy"}})],
        "the host answered 500: busy",
    ),
    "an error": ([named("error", message="slow down", code="rate_limit_exceeded")], "slow down"),
    "an end without a response": ([named("response.completed")], "holds no response"),
    "an item that is none": ([named("response.output_item.done", item=5)], "holds no item"),
    "a delta that is none": ([named("response.output_text.delta", delta=5)], "is no text"),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_responses_in_pieces_are_whole_or_an_outage(name: str) -> None:
    pieces, said = RESPONSES[name]
    steps = [stream(*pieces, done=False), says("done")]
    with ScriptedChatServer(steps) as server:
        trace = played("openai-responses", chat(server.url, stream=True))
    first = of_kind(trace, "model")[0]
    assert said in (first["error"] or {"message": ""})["message"]
    assert trace.stop == "finished"
    assert [record["args"] for record in of_kind(trace, "action")] == ([] if said else [{"id": "A-104"}])


def test_a_host_that_streams_unasked_is_named_with_what_helps() -> None:
    with ScriptedChatServer(lambda asked, number: stream(delta(content="hi"), STOP)) as server:
        trace = played("openai-chat", chat(server.url))
    assert (trace.stop, len(server.asked)) == ("infrastructure_error", 1)
    assert "give --stream" in of_kind(trace, "stopped")[0]["detail"]


def test_a_stream_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_streams, "LONGEST_ANSWER", 10_000)
    trace, _ = streaming([stream(*[delta(content="x" * 100)] * 100), says("done")])
    assert "it is longer than 10,000 bytes" in of_kind(trace, "model")[0]["error"]["message"]


def test_a_key_that_comes_back_in_pieces_is_kept_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-123")
    halves = [delta(content="you sent hush-"), delta(content="hush-123")]
    steps = [
        stream(*halves, done=False),
        stream({"error": {"message": "wrong: hush-hush-123", "code": 500}}),
        stream("data: hush-hush-123\n\n"),
        stream(*halves, STOP),
    ]
    trace, _ = streaming(steps, api_key_env="SOME_KEY")
    assert "hush" not in trace.text()
    assert of_kind(trace, "model")[0]["error"]["partial"] == "you sent (secret)"
    assert of_kind(trace, "reply")[0]["text"] == "you sent (secret)"


@pytest.mark.parametrize("width", range(420, 500, 5))
def test_a_failure_in_a_stream_keeps_no_part_of_the_key_where_its_words_are_cut(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "hush-hush-123")
    told = {"error": {"message": f"{'x' * width} hush-hush-123", "code": "hush-hush-123"}}
    trace, _ = streaming(
        [stream(told), stream(f"data: {'x' * (width - 300)} hush-hush-123\n\n"), says("ok")],
        api_key_env="SOME_KEY",
    )
    assert "hush" not in trace.text()


@contextmanager
def raw_host(serve: Callable[[socket.socket], None], times: int) -> Iterator[str]:
    """A host that does to each connection what it is told."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def run() -> None:
            for _ in range(times):
                connection, _ = listening.accept()
                with connection, suppress(ConnectionError):
                    connection.recv(1 << 20)
                    serve(connection)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        thread.join(10)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def test_a_stream_whose_connection_breaks_between_chunks_is_an_outage() -> None:
    said = HEAD + chunk(events([delta(content="so far")], done=False))
    with raw_host(lambda connection: connection.sendall(said), 2) as url:
        trace = played("openai-chat", chat(url, stream=True, retries=1))
    assert trace.stop == "infrastructure_error"
    assert [one["error"]["partial"] for one in of_kind(trace, "model")] == ["so far", "so far"]


@pytest.mark.parametrize("finished", [False, True])
def test_a_stream_that_goes_on_for_ever_is_over_when_its_time_is(finished: bool) -> None:
    """With nothing but comments it is an outage; where the model has come to its end, that stands."""

    def serve(connection: socket.socket) -> None:
        connection.sendall(HEAD)
        if finished:
            connection.sendall(chunk(events([delta(content="done"), STOP], done=False)))
        for _ in range(40):
            connection.sendall(chunk(b": still here\n\n"))
            threading.Event().wait(0.05)

    with raw_host(serve, 1) as url:
        trace = played("openai-chat", chat(url, stream=True, retries=0, answer_timeout=0.4))
    assert trace.stop == ("finished" if finished else "infrastructure_error")


def test_the_option_is_there_or_not() -> None:
    with pytest.raises(WrongUse, match="--stream is given or not"):
        resolve_agent("openai-chat", chat("http://127.0.0.1:1", stream="yes"))


def test_the_command_line_hands_the_option_on() -> None:
    given: dict[str, Any] = dict.fromkeys(MODEL_OPTIONS) | {"stream": True, "model": "m"}
    agent = agent_given("openai-responses", {**given, "base_url": "http://127.0.0.1:1"})
    assert isinstance(agent, Agent)
    assert agent.settings["stream"] is True


def test_a_recorded_stream_is_replayed(tmp_path: Any) -> None:
    file = str(tmp_path / "traffic.yaml")
    steps = [calls(call("orders_get", {"id": "A-104"})), says("done")]
    with ScriptedChatServer(steps) as server:
        first = played("openai-chat", chat(server.url, stream=True, record=file))
        again = played("openai-chat", chat(server.url, stream=True, replay=file, test_model=None))
    assert len(server.asked) == 2
    assert [one["answer"] for one in of_kind(again, "model")] == [
        one["answer"] for one in of_kind(first, "model")
    ]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("code", "stop", "times"),
    [("context_length_exceeded", "agent_error", 1), ("insufficient_quota", "infrastructure_error", 1)],
)
def test_a_response_that_failed_means_the_same_in_pieces_and_in_one(
    code: str, stop: str, times: int, streams: bool
) -> None:
    failed = {"status": "failed", "output": [], "error": {"message": "m", "code": code}}
    step = stream(named("response.failed", response=failed), done=False) if streams else Step(body=failed)
    with ScriptedChatServer([step] * 2) as server:
        options = chat(server.url, stream=streams, test_model=None, price=["scripted=1/2"])
        trace = played("openai-responses", options)
    assert (trace.stop, len(server.asked)) == (stop, times)
    assert [record["cost_usd"] for record in of_kind(trace, "usage")] == [None]  # it had begun
