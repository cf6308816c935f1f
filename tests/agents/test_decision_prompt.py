"""What the writer is shown: the request first, and nothing a record holds can pass for a line of the prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import ScriptedChatServer, chooses, says
from company_lab.agents.decision_prompt import arguments_text, reply_text
from company_lab.agents.protocol import ToolOffer
from company_lab.company import company
from model_episode import deciding, played


def offer(name: str) -> ToolOffer:
    tool = company.tools[name]
    return ToolOffer(name=name, description=tool.description, signature=tool.signature, writes=tool.writes)


def state(*history: Any, request: str = "Where is O-1?") -> dict[str, Any]:
    return {"request": request, "observation": {"at": "2026-05-11", "events": []}, "history": list(history)}


def test_the_request_comes_first_and_what_is_to_be_written_last() -> None:
    lines = arguments_text(state(), "lookup", offer("orders.get"), parameters=True).splitlines()
    assert lines[:2] == ["The request:", "Where is O-1?"]
    assert "Done so far: nothing." in lines
    assert "The next action: lookup. Read one order." in lines
    assert lines[-1] == "Write the arguments of lookup for this request."
    assert reply_text(state()).splitlines()[-1] == "Write the reply to the request."
    assert "next action" not in reply_text(state())


def test_parameters_that_may_be_left_out_stand_behind_those_that_are_needed_and_say_so() -> None:
    text = arguments_text(state(), "refund", offer("payments.refund"), parameters=True)
    listed = [line.split(":")[0] for line in text.splitlines() if line.startswith("- ")]
    assert listed == [
        "- charge (needed)",
        "- amount_minor (needed)",
        "- currency (may be left out)",
        "- key (may be left out)",
        "- line (may be left out)",
    ]
    assert "- charge" not in arguments_text(state(), "refund", offer("payments.refund"), parameters=False)


def test_a_tool_without_parameters_says_that_there_are_none() -> None:
    text = arguments_text(state(), "queues", offer("handoff.queues"), parameters=True)
    assert "- none: the arguments are {}" in text


@given(st.text())
def test_what_a_record_holds_stays_on_one_line_and_can_be_read_back(held: str) -> None:
    entry = {"action": "lookup", "arguments": {}, "result": {"status": "executed", "value": {"note": held}}}
    lines = reply_text(state(entry)).split("\n")
    (shown,) = [line for line in lines if line.startswith("- ")]
    assert json.loads(shown[2:]) == entry
    assert len(lines) == len(reply_text(state({})).split("\n"))


@pytest.mark.loopback
@pytest.mark.parametrize(("mode", "listed"), [("schema", True), ("tool", False)])
def test_parameters_are_listed_where_no_tool_of_the_request_lists_them(mode: str, listed: bool) -> None:
    script = [chooses("lookup"), says('{"id": "A-104"}'), chooses("respond"), says("x")]
    with ScriptedChatServer(script) as server:
        played("decision", deciding(server.root, writer_mode=mode))
    first = server.bodies("/chat/completions")[0]
    assert ("- id (needed): " in first["messages"][1]["content"]) is listed
