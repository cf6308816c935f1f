from __future__ import annotations

from typing import Any

import pytest

from company_lab.interop.chat import ChatTrace, arguments, shape_problem
from company_lab.traces.record import Trace

Message = dict[str, Any]


def call(identifier: str | None, tool: str, raw: str) -> Message:
    return {"id": identifier, "type": "function", "function": {"name": tool, "arguments": raw}}


def assistant(*calls: Message, content: str | None = None) -> Message:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def answer(identifier: str, content: str, tool: str | None = None) -> Message:
    message: Message = {"role": "tool", "tool_call_id": identifier, "content": content}
    return message if tool is None else {**message, "name": tool}


def converted(*messages: Message) -> ChatTrace:
    chat = ChatTrace(Trace(), is_error=lambda text: text.startswith("Error"))
    for index, message in enumerate(messages):
        assert shape_problem(message) is None
        chat.add(index, message)
    chat.close(len(messages) - 1)
    return chat


def of_kind(chat: ChatTrace, kind: str) -> list[dict[str, Any]]:
    return list(chat.trace.by_kind(kind))


@pytest.mark.parametrize(
    "raw",
    [
        '{"charge":"ch_1","amount":"4',
        "{'charge':'ch_1'}",
        '{"charge":"ch_1","amount":"40.00"} thanks',
        "",
        "[1]",
        '{"amount":NaN}',
        '{"a":1,"a":2}',
    ],
)
@pytest.mark.fault("D01")
def test_arguments_that_are_no_strict_json_object_are_malformed_and_kept_raw(raw: str) -> None:
    chat = converted(assistant(call("c", "payments.refund", raw)))
    (action,), (result,) = of_kind(chat, "action"), of_kind(chat, "result")
    assert action["args"] is None
    assert action["supplied"] == raw
    assert result["outcome"] == "malformed"
    assert result["call"] == action["call"]
    assert [finding.kind for finding in chat.findings] == ["malformed_arguments"]


def test_good_arguments_are_parsed_and_kept_raw_too() -> None:
    raw = '{"amount_minor": 2500.0, "note": "A, ] and {C, }"}'
    chat = converted(assistant(call("c", "payments.refund", raw)), answer("c", "done"))
    (action,) = of_kind(chat, "action")
    assert action["args"] == {"amount_minor": 2500, "note": "A, ] and {C, }"}
    assert action["supplied"] == raw
    assert not chat.findings


@pytest.mark.fault("D03")
def test_calls_that_share_an_id_are_both_kept_and_paired_in_order() -> None:
    chat = converted(
        assistant(call("x", "email.send", '{"to":"a"}'), call("x", "email.send", '{"to":"b"}')),
        answer("x", "sent a"),
        answer("x", "sent b"),
        assistant(call("", "crm.note", "{}")),
        answer("", "noted"),
    )
    assert [action["args"].get("to") for action in of_kind(chat, "action")] == ["a", "b", None]
    assert [(result["call"], result["value"]) for result in of_kind(chat, "result")] == [
        ("c1", "sent a"),
        ("c2", "sent b"),
        ("c3", "noted"),
    ]
    assert [finding.kind for finding in chat.findings] == ["duplicate_call_id", "missing_call_id"]


@pytest.mark.fault("D04")
def test_results_out_of_order_are_paired_by_id_and_the_rest_is_a_finding() -> None:
    chat = converted(
        assistant(*(call(f"c{n}", "invoices.get", f'{{"id":"I-{n}"}}') for n in (1, 2, 3))),
        answer("c2", "I-2 20.00"),
        answer("c1", "I-1 10.00"),
        answer("c9", "whose?"),
        {"role": "assistant", "content": "I-1 has 20.00 open."},
    )
    assert [(result["call"], result["value"]) for result in of_kind(chat, "result")] == [
        ("c2", "I-2 20.00"),
        ("c1", "I-1 10.00"),
        (None, "whose?"),
    ]
    assert [finding.kind for finding in chat.findings] == ["answer_without_call", "unanswered_call"]
    assert "c3" in chat.findings[1].detail


def test_an_answer_under_another_name_is_a_finding() -> None:
    chat = converted(assistant(call("c", "invoices.get", "{}")), answer("c", "x", tool="orders.get"))
    assert [finding.kind for finding in chat.findings] == ["answer_names_another_tool"]


def test_an_error_is_a_failed_result_with_its_text_unchanged() -> None:
    chat = converted(assistant(call("c", "invoices.get", "{}")), answer("c", "Error: no such invoice"))
    (result,) = of_kind(chat, "result")
    assert (result["outcome"], result["error"]["message"]) == ("failed", "Error: no such invoice")


def test_user_messages_begin_turns_and_plain_answers_are_replies() -> None:
    chat = converted(
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": [{"type": "text", "text": "and "}, {"type": "text", "text": "again"}]},
        assistant(call("c", "think", "{}"), content="let me see"),
        answer("c", ""),
        {"role": "assistant", "content": "  \n"},
    )
    assert [(turn["turn"], turn["because"], turn["message"]) for turn in of_kind(chat, "turn")] == [
        (1, "stimulus", "hello"),
        (2, "answer", "and again"),
    ]
    assert [reply["text"] for reply in of_kind(chat, "reply")] == ["hi", "  \n"]
    assert [choice["answer"] for choice in of_kind(chat, "choice")] == ["let me see"]
    assert [finding.kind for finding in chat.findings] == ["empty_message"]
    assert [record["seq"] for record in chat.trace.records] == list(range(len(chat.trace)))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("hello", "must be an object"),
        ({"role": "wizard", "content": ""}, "unknown role 'wizard'"),
        ({"role": "user", "content": 5}, "content must be text"),
        ({"role": "assistant", "tool_calls": {}}, "tool_calls must be a list"),
        ({"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}, "function.name"),
        ({"role": "assistant", "tool_calls": [{"id": 5, "function": {"name": "x"}}]}, "must be text"),
    ],
)
def test_messages_of_another_shape_are_named(message: Any, said: str) -> None:
    assert said in str(shape_problem(message))


def test_arguments_given_as_an_object_are_taken_as_they_are() -> None:
    assert arguments({"id": "I-1"}) == ({"id": "I-1"}, "")
    assert arguments(None)[0] is None
