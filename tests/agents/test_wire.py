"""Lines of JSON between an agent and the lab: whatever is said arrives, and nonsense is named."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.agents import wire
from company_lab.agents.protocol import EpisodeStopped, Task, ToolError, ToolOffer
from company_lab.formats.canonical import NotJson
from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import Parameter, Shape, Signature

scalars = st.none() | st.booleans() | st.integers(-(2**63) + 1, 2**63 - 1) | st.text() | st.floats(-1e9, 1e9)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
messages = st.fixed_dictionaries({"kind": st.just("choice"), "id": st.integers(), "request": values})


@given(st.lists(messages, max_size=5), st.lists(st.integers(1, 40), max_size=60))
def test_messages_arrive_as_they_were_however_the_stream_is_cut(
    sent: list[wire.Message], cuts: list[int]
) -> None:
    stream = b"".join(map(wire.spell, sent))
    lines = wire.Lines(longest=10_000_000)
    arrived: list[wire.Message] = []
    for size in [*cuts, max(1, len(stream))]:
        arrived += map(wire.read, lines.feed(stream[:size]))
        stream = stream[size:]
    assert arrived == sent
    assert [list(message) for message in arrived] == [list(message) for message in sent]
    assert lines.rest == b""


def test_a_line_is_plain_ascii_on_one_line() -> None:
    line = wire.spell({"kind": "reply", "text": "é\n\u2028\ud800"})
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert wire.read(line[:-1])["text"] == "é\n\u2028\ud800"


def test_a_line_may_be_as_long_as_is_said_and_not_longer() -> None:
    lines = wire.Lines(longest=10)
    assert list(lines.feed(b"0123456789\n01234")) == [b"0123456789"]
    with pytest.raises(wire.LineTooLong):
        list(lines.feed(b"567890"))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"hello", "no JSON"),
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[]", "no object"),
        (b"{}", "kind null"),
        (b'{"kind":"cal","id":1}', "did you mean call?"),
        (b'{"kind":["call"]}', "of the kind ['call']"),
        (b'{"kind":"call"}', "id is null"),
        (b'{"kind":"call","id":{}}', "id is"),
        (b'{"kind":"call","id":1,"id":1}', "stands twice"),
        (b'{"kind":"usage","id":1,"input_tokens":NaN}', "NaN"),
        (b'{"kind":"task","id":1}', "of the kind 'task'"),
        (b"[" * 100_000, "nested"),
    ],
)
def test_a_line_that_is_no_message_is_named(line: bytes, told: str) -> None:
    with pytest.raises(wire.BadMessage, match=r"^a (line|message|call)") as refused:
        wire.read(line)
    assert told in str(refused.value)
    assert len(str(refused.value)) < 400


class Recorder:
    """A session that writes down what it is asked and answers what it was told to."""

    def __init__(self, answers: Any = None) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._answers = answers

    def _answer(self, *asked: Any) -> Any:
        self.asked.append(asked)
        if isinstance(self._answers, BaseException):
            raise self._answers
        return self._answers

    def attempt(self, tool: Any, args: Any, /, **marks: Any) -> Any:
        return self._answer("attempt", tool, args, marks)

    def observe(self) -> Any:
        return self._answer("observe")

    def usage(self, **report: Any) -> None:
        self._answer("usage", report)

    def choice(self, request: Any, answer: Any) -> None:
        self._answer("choice", request, answer)

    def reserve(self, host: Any, *asking: Any) -> Any:
        return self._answer("reserve", host, *asking)

    def hold(self, host: Any, seconds: Any) -> None:
        self._answer("hold", host, seconds)

    @property
    def memory(self) -> Any:
        return self._answer("memory")

    @memory.setter
    def memory(self, value: Any) -> None:
        self._answer("memory", value)


NO_USAGE = {"output_tokens": None, "cost_usd": None, "model": None}


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ({"kind": "call", "tool": "a.b", "args": {"x": 1}}, ("attempt", "a.b", {"x": 1}, {})),
        ({"kind": "call", "tool": "a.b", "text": "{"}, ("attempt", "a.b", "{", {})),
        ({"kind": "call", "tool": "a.b"}, ("attempt", "a.b", {}, {})),
        (
            {"kind": "call", "tool": 7, "args": [], "by": "writer", "hint": "x"},
            ("attempt", 7, [], {"by": "writer", "hint": "x"}),
        ),
        ({"kind": "observe"}, ("observe",)),
        ({"kind": "usage", "input_tokens": 3}, ("usage", {"input_tokens": 3, **NO_USAGE})),
        ({"kind": "choice", "request": 1, "answer": [2]}, ("choice", 1, [2])),
        ({"kind": "remember", "value": {"a": 1}}, ("memory", {"a": 1})),
        ({"kind": "recall"}, ("memory",)),
        ({"kind": "pace", "host": "h"}, ("reserve", "h")),
        (
            {"kind": "pace", "host": "h", "model": "m", "attempt": 2, "more": 1},
            ("reserve", "h", {"model": "m", "attempt": 2}),
        ),
        ({"kind": "hold", "host": "h", "seconds": 2}, ("hold", "h", 2)),
    ],
)
def test_every_request_reaches_the_session(request_: wire.Message, asked: tuple[Any, ...]) -> None:
    session = Recorder([])
    answered = wire.answer(session, {"id": "r1", **request_})  # type: ignore[arg-type]
    assert session.asked == [asked]
    assert (answered["kind"], answered["id"]) == ("result", "r1")


@pytest.mark.parametrize(
    "error",
    [
        ToolError("held", "heavy", "it waits", {"approval": "a1"}),
        EpisodeStopped("call_limit", "60 calls were made"),
        WrongUse("tokens are whole numbers"),
    ],
)
def test_what_a_request_raises_is_raised_on_the_other_side(error: BaseException) -> None:
    answered = wire.answer(Recorder(error), {"kind": "call", "id": 1, "tool": "a.b"})  # type: ignore[arg-type]
    again = wire.read_answer(wire.spell(answered)[:-1])
    with pytest.raises(type(error)) as raised:
        wire.value_of(again)
    assert (str(raised.value), vars(raised.value)) == (str(error), vars(error))


def test_arguments_that_could_not_cross_keep_what_was_wrong_with_them() -> None:
    session = Recorder()
    unreadable: wire.Message = {"path": "x", "reason": "nan is not a JSON number", "shown": "{'x': nan}"}
    wire.answer(session, {"kind": "call", "id": 1, "tool": "t", "unreadable": unreadable})  # type: ignore[arg-type]
    args = session.asked[0][2]
    assert isinstance(args, wire.Unreadable)
    assert isinstance(args.error, NotJson)
    assert (str(args.error), args.shown) == ("x: nan is not a JSON number", "{'x': nan}")


def test_a_task_crosses_with_its_tools_as_json_schema() -> None:
    signature = Signature({"id": Parameter(name="id", shape=Shape(kind="text"))})
    tool = ToolOffer(name="a.get", description="Read it.", signature=signature, writes=False)
    event = {
        "id": "e1",
        "type": "memo",
        "at": "2026-03-05T08:00:00+01:00",
        "data": dict[str, Any](),
        "from": None,
    }
    task = Task(
        message="Do it.",
        sender="ida",
        turn=2,
        at="2026-03-05T08:00:00+01:00",
        events=[event],
        tools=[tool],
    )
    message = json.loads(wire.spell(wire.task_message(task, with_tools=True)))
    assert message["tools"] == [
        {
            "name": "a.get",
            "description": "Read it.",
            "writes": False,
            "parameters": signature.json_schema(),
        }
    ]
    assert "tools" not in wire.task_message(task, with_tools=False)
    assert wire.task_of(message, [tool]) == task
