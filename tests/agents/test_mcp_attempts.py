"""Whatever was meant as a tool call is an attempt on record, however broken, over HTTP and on a local socket."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_host import Host
from company_lab.agents.mcp_messages import LONGEST, SHOWN, read_message
from company_lab.agents.protocol import Session, Task
from company_lab.agents.wire import Unreadable
from company_lab.traces import Trace
from depot import run
from mcp_wire import HELLO, call, path_of, post, spelled, spoken
from processes import eventually

pytestmark = pytest.mark.loopback
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
AFTER = call("depot_get", {"id": "P-2"}, id=99)
"""What a client asks when it has gone on after something broken."""


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    serving = Host()
    yield serving
    serving.close()


Say = Callable[[Host, Task, Session, Path, list[bytes]], list[Any]]


def over_http(host: Host, task: Task, session: Session, folder: Path, messages: list[bytes]) -> list[Any]:
    door = host.open(Desk(task, session))
    answers = [post(host, path_of(door.url), message)[1] for message in (*messages, spelled(AFTER))]
    door.close()
    return answers


def over_stdio(host: Host, task: Task, session: Session, folder: Path, messages: list[bytes]) -> list[Any]:
    door = host.open(Desk(task, session), socket_path=folder / "s")
    lines = [spelled(HELLO), spelled(READY), *messages, spelled(AFTER)]
    answers = spoken(folder / "s", *lines, until=99)
    door.close()
    return [answer for answer in answers if answer.get("id") != 0]


@pytest.fixture(params=[over_http, over_stdio])
def say(request: pytest.FixtureRequest) -> Say:
    found: Say = request.param
    return found


def attempted(say: Say, host: Host, folder: Path, *messages: bytes, **keys: Any) -> tuple[Trace, list[Any]]:
    """The trace of an agent that sends these messages and then reads P-2, and what it heard."""
    heard: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        heard.extend(say(host, task, session, folder, list(messages)))
        return ""

    trace = run(agent, **keys)
    assert trace.stop == "finished"
    last = next(answer for answer in heard if isinstance(answer, dict) and answer.get("id") == 99)
    assert last["result"]["structuredContent"]["id"] == "P-2", "the world goes on"
    return trace, heard


SHIP = {"name": "depot_ship", "arguments": {"id": "P-1"}}
BROKEN = {
    "no JSON": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "depot_ship", "arg',
    "not UTF-8": spelled({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SHIP})[:-1] + b"\xff}",
    "UTF-16": json.dumps({"method": "tools/call", "params": SHIP}).encode("utf-16-be").replace(b"\n", b""),
    "a key twice": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"depot_ship","name":"x"}}',
    "no number": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"depot_ship","arguments":{"n":NaN}}}',
    "too deep": b'{"method":"tools/call","params":{"name":"depot_ship","arguments":' + b"[" * 100_000,
    "no version": spelled({"id": 1, "method": "tools/call", "params": SHIP}),
    "another version": spelled({"jsonrpc": "1.0", "id": 1, "method": "tools/call", "params": SHIP}),
    "no id": spelled({"jsonrpc": "2.0", "method": "tools/call", "params": SHIP}),
    "id null": spelled({"jsonrpc": "2.0", "id": None, "method": "tools/call", "params": SHIP}),
    "id true": spelled({"jsonrpc": "2.0", "id": True, "method": "tools/call", "params": SHIP}),
    "_meta a text": spelled(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**SHIP, "_meta": "x"}}
    ),
    "a batch": spelled([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SHIP}]),
}


@pytest.mark.fault("D06")
@pytest.mark.parametrize("message", BROKEN.values(), ids=BROKEN)
def test_a_broken_call_is_a_malformed_attempt_that_changes_nothing(
    say: Say, message: bytes, host: Host, tmp_path: Path
) -> None:
    trace, heard = attempted(say, host, tmp_path, message)
    broken, after = trace.by_kind("action")
    assert (broken["tool"], broken["args"], after["tool"]) == ("depot.ship", None, "depot.get")
    assert "depot_ship" in broken["supplied"]
    assert [record["outcome"] for record in trace.by_kind("result")] == ["malformed", "executed"]
    assert list(trace.by_kind("effect")) == []
    errors = [answer["error"]["code"] for answer in heard if "error" in answer]
    assert errors in ([-32700], [-32600], [-32602], [])


@pytest.mark.fault("D06")
@pytest.mark.parametrize(
    ("params", "tool"),
    [
        (None, "(unnamed)"),
        ({}, "(unnamed)"),
        (["depot_ship"], "(unnamed)"),
        ({"arguments": {"id": "P-1"}}, "(unnamed)"),
        ({"name": None}, "(unnamed)"),
        ({"name": 5}, "5"),
        ({"name": "depot_ship", "arguments": "P-1"}, "depot.ship"),
        ({"name": "depot_ship", "arguments": '{"id": "P-1"}'}, "depot.ship"),
        ({"name": "depot_ship", "arguments": ["P-1"]}, "depot.ship"),
        ({"name": "depot_ship", "arguments": 5}, "depot.ship"),
        ({"name": "depot_ship"}, "depot.ship"),
    ],
)
def test_a_call_of_the_wrong_shape_is_a_malformed_attempt(
    say: Say, params: object, tool: str, host: Host, tmp_path: Path
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    trace, heard = attempted(say, host, tmp_path, spelled(message))
    assert [record["tool"] for record in trace.by_kind("action")] == [tool, "depot.get"]
    assert [record["outcome"] for record in trace.by_kind("result")] == ["malformed", "executed"]
    answer = next(answer for answer in heard if answer.get("id") == 1)
    assert "error" in answer or answer["result"]["isError"]


def test_each_call_of_a_batch_is_an_attempt(say: Say, host: Host, tmp_path: Path) -> None:
    batch = [call("depot_ship", {"id": "P-1"}), 5, HELLO, call("depot_fetch", {}, id=2)]
    trace, _ = attempted(say, host, tmp_path, spelled(batch))
    assert [record["tool"] for record in trace.by_kind("action")] == [
        "depot.ship",
        "depot_fetch",
        "depot.get",
    ]
    assert [record["hint"] for record in trace.by_kind("action")] == ["1", "2", "99"]
    assert list(trace.by_kind("effect")) == []


@pytest.mark.parametrize(
    "message", [b"{", b"5", b"[]", b"null", b'"tools"', b"[[[", b"\xff\xfe", b"9" * 5000, b"{}"]
)
def test_what_attempts_nothing_is_answered_and_leaves_no_trace(
    say: Say, message: bytes, host: Host, tmp_path: Path
) -> None:
    trace, heard = attempted(say, host, tmp_path, message)
    assert [record["tool"] for record in trace.by_kind("action")] == ["depot.get"]
    assert sum("error" in answer for answer in heard) == 1


def test_a_message_that_is_too_long_is_an_attempt_of_which_the_beginning_is_kept(
    say: Say, host: Host, tmp_path: Path
) -> None:
    long = spelled(call("depot_ship", {"id": "P-1", "note": "x" * (10 << 20)}))
    trace, heard = attempted(say, host, tmp_path, long, limits={"output": 20_000_000})
    broken, _ = trace.by_kind("action")
    assert broken["tool"] == "depot.ship"
    assert broken["args"] is None
    assert SHOWN < len(broken["supplied"]) < SHOWN + 50
    assert f"{LONGEST} are allowed" in heard[0]["error"]["message"]
    assert list(trace.by_kind("effect")) == []


def test_a_long_message_counts_for_the_limit_on_output_with_all_its_bytes(
    say: Say, host: Host, tmp_path: Path
) -> None:
    def agent(task: Task, session: Session) -> str:
        say(host, task, session, tmp_path, [spelled(call("depot_ship", {"id": "x" * (10 << 20)}))])
        return ""

    assert run(agent).stop == "output_limit"


@pytest.mark.fault("D03")
@pytest.mark.fault("D04")
def test_calls_sent_at_once_under_one_id_are_carried_out_in_order_and_answered_each(
    host: Host, tmp_path: Path
) -> None:
    names = ["P-1", "P-2", "P-3"]
    calls = [spelled(call("depot_get", {"id": name}, id=7)) for name in names]
    calls[1:1] = [b'{"method": "tools/call", "params": {"name": "depot_ship"']
    trace, heard = attempted(over_stdio, host, tmp_path, *calls)
    asked = [(record["tool"], (record["args"] or {}).get("id")) for record in trace.by_kind("action")]
    assert asked == [
        ("depot.get", "P-1"), ("depot.ship", None), ("depot.get", "P-2"), ("depot.get", "P-3"), ("depot.get", "P-2"),
    ]  # fmt: skip
    answered = [answer["result"]["structuredContent"]["id"] for answer in heard if answer.get("id") == 7]
    assert sorted(answered) == names


def test_a_call_before_the_handshake_is_an_attempt_and_not_carried_out(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        (answer,) = spoken(tmp_path / "s", spelled(call("depot_ship", {"id": "P-1"})), answers=1)
        door.close()
        return str(answer["error"]["code"])

    trace = run(agent)
    (action,) = trace.by_kind("action")
    (result,) = trace.by_kind("result")
    assert (action["tool"], result["outcome"]) == ("depot.ship", "malformed")
    assert "turned away" in result["error"]["message"]


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("accept", "text/html", 406),
        ("content-type", "text/plain", 415),
        ("mcp-protocol-version", "1999-01-01", 400),
        ("origin", "https://evil.example", 403),
    ],
)
def test_a_call_turned_away_for_its_headers_is_an_attempt(
    header: str, value: str, status: int, host: Host
) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session))
        found = post(host, path_of(door.url), call("depot_ship", {"id": "P-1"}), {header: value})[0]
        door.close()
        return str(found)

    trace = run(agent)
    assert next(trace.by_kind("reply"))["text"] in (str(status), "400")
    (action,) = trace.by_kind("action")
    (result,) = trace.by_kind("result")
    assert (action["tool"], result["outcome"]) == ("depot.ship", "malformed")
    assert f"HTTP {status}" in result["error"]["message"] or "HTTP 400" in result["error"]["message"]


def test_what_a_client_sent_before_it_left_is_carried_out(host: Host, tmp_path: Path) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        lines = [HELLO, READY, *(call("depot_get", {"id": f"P-{1 + n % 3}"}, id=n) for n in range(30))]
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(tmp_path / "s"))
            line.sendall(b"".join(spelled(one) + b"\n" for one in lines))
            line.shutdown(socket.SHUT_WR)
            while line.recv(1 << 16):
                pass
        door.close()
        return ""

    trace = run(agent, limits={"repeats": 20})
    assert [record["args"]["id"] for record in trace.by_kind("action")] == ["P-1", "P-2", "P-3"] * 10


@pytest.mark.parametrize("way", ["http", "stdio"])
def test_a_call_whose_client_left_in_the_middle_of_it_is_a_malformed_attempt(
    way: str, host: Host, tmp_path: Path
) -> None:
    half = spelled(call("depot_ship", {"id": "P-1"}))[:-12]

    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session), socket_path=tmp_path / "s")
        if way == "http":
            head = f"POST {path_of(door.url)} HTTP/1.1\r\nhost: 127.0.0.1:{host.port}\r\ncontent-length: 500\r\n\r\n"
            with socket.create_connection(("127.0.0.1", host.port)) as line:
                line.sendall(head.encode() + half)
        else:
            with socket.socket(socket.AF_UNIX) as local:
                local.connect(str(tmp_path / "s"))
                local.sendall(half)
        assert eventually(lambda: bool(session.calls))  # type: ignore[attr-defined]
        door.close()
        return ""

    trace = run(agent)
    (action,) = trace.by_kind("action")
    assert (action["tool"], action["args"]) == ("depot.ship", None)
    assert list(trace.by_kind("effect")) == []


def test_a_client_can_not_pass_for_another_call(host: Host) -> None:
    def agent(task: Task, session: Session) -> str:
        door = host.open(Desk(task, session))
        for mark in (1, "1", None, [1]):
            message = call("depot_get", {"id": "P-1"})
            message["params"]["_meta"] = {"company-lab/arrival": mark}
            assert post(host, path_of(door.url), message)[1]["result"]["isError"] is False
        door.close()
        return ""

    assert [record["outcome"] for record in run(agent).by_kind("result")] == ["executed"] * 4


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ENVELOPES = st.fixed_dictionaries(
    {"method": st.just("tools/call")},
    optional={
        "jsonrpc": st.just("2.0") | VALUES,
        "id": VALUES,
        "params": VALUES
        | st.fixed_dictionaries({}, optional={"name": VALUES, "arguments": VALUES, "_meta": VALUES}),
    },
)


@given(ENVELOPES)
def test_every_message_that_says_it_is_a_call_is_read_as_one(message: dict[str, Any]) -> None:
    read = read_message(spelled(message))
    (one,) = read.calls
    assert (read.message is None) == (read.wrong is not None) == isinstance(one.args, Unreadable)


@given(st.binary(max_size=200))
def test_reading_never_fails(raw: bytes) -> None:
    read = read_message(raw)
    assert (read.message is None) == (read.wrong is not None)


@given(ENVELOPES, st.integers(min_value=0))
def test_a_call_that_was_cut_is_an_attempt_as_long_as_it_can_be_seen(
    message: dict[str, Any], end: int
) -> None:
    raw = spelled({"method": "tools/call", **message})
    cut = raw[: max(len(b'{"method": "tools/call"'), end % len(raw))]
    assert len(read_message(cut).calls) == 1


@pytest.mark.parametrize(
    "broken",
    [
        call("depot_get", {"id": "\ud800"}),
        call("depot_get", {"id": "P-1"}, id="\udfff"),
    ],
    ids=["arguments", "id"],
)
def test_half_a_character_is_an_attempt_and_no_end_of_the_connection(
    say: Say, host: Host, tmp_path: Path, broken: Any
) -> None:
    trace, heard = attempted(say, host, tmp_path, spelled(broken))
    assert [record["outcome"] for record in trace.by_kind("result")] == ["malformed", "executed"]
    assert "half a character" in heard[0]["error"]["message"]
    assert heard[1]["result"]["structuredContent"]["id"] == "P-2"


def test_whole_characters_spelled_by_two_escapes_are_text(say: Say, host: Host, tmp_path: Path) -> None:
    trace, _ = attempted(say, host, tmp_path, spelled(call("depot_get", {"id": "\U0001f600"})))
    assert next(trace.by_kind("action"))["args"] == {"id": "\U0001f600"}
