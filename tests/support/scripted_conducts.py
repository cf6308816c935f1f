"""Models that work through conducts, at a host that speaks the wire formats, and know nothing but what they are sent.

Where a model is in its conduct it reads off each request, as a real one would: its own replies end turns, and the
results since the last of them are the steps it has taken. An adapter that lost, doubled or swapped a part of the
conversation would make it do something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from chat_server import Asked, ScriptedChatServer, Step, call, calls, chooses, says
from company_lab.agents.protocol import Agent
from company_lab.agents.resolve import resolve_agent
from company_lab.scenarios.conduct import ConductTurn
from company_lab.scenarios.conduct import Step as Wanted

WRITER = "/writer/v1"
_RESULTS = ("tool", "function_call_output")


class ConductHost:
    """Serves one model for each conduct it is given, and the decider and writer that share it."""

    def __init__(self) -> None:
        self._conducts: dict[str, Sequence[ConductTurn]] = {}
        self._numbers = count(1)
        self.server = ScriptedChatServer(self._answer)

    def agent(self, adapter: str, turns: Sequence[ConductTurn], **more: Any) -> Agent:
        """An agent of this adapter whose model, or whose two models, work through these turns."""
        self._conducts.clear()
        self.server.asked.clear()  # a request that offers a whole company's tools is large, and there are thousands
        model = f"conduct-{next(self._numbers)}"
        self._conducts[model] = turns
        options: dict[str, Any] = {"base_url": self.server.url, "model": model}
        if adapter == "decision":
            options = {"decider": self.server.root, "decider_model": model}
            options |= {"writer": self.server.root + WRITER, "writer_model": model}
        return resolve_agent(adapter, {"test_model": True, **options, **more})

    def _answer(self, asked: Asked, number: int) -> Step:
        turns = self._conducts[asked.model]
        if asked.path.startswith(WRITER):
            return _writes(asked.body, turns)
        if asked.path.endswith("/systemone"):
            return _decides(asked.body, turns)
        return _works(asked.body, turns)


@contextmanager
def conduct_host() -> Iterator[ConductHost]:
    """A host that listens meanwhile."""
    host = ConductHost()
    with host.server:
        yield host


def _works(body: Mapping[str, Any], turns: Sequence[ConductTurn]) -> Step:
    """The next answer of a tool-calling model, in either of OpenAI's formats."""
    turn, done = 1, 0
    for item in body.get("messages") or body["input"]:
        if item.get("role") in _RESULTS or item.get("type") in _RESULTS:
            done += 1
        elif item.get("role") == "assistant" and not item.get("tool_calls"):
            turn, done = turn + 1, 0
    step = _step(turns, turn, done)
    if step is None:
        return says(_reply(turns, turn))
    offered = {tool.get("function", tool)["name"] for tool in body["tools"]}
    name = step.tool.replace(".", "_")
    return calls(call(name if name in offered else step.tool, dict(step.args), id=f"call_{turn}_{done}"))


def _decides(body: Mapping[str, Any], turns: Sequence[ConductTurn]) -> Step:
    step = _step(turns, *_place(body["state"]))
    return chooses("respond" if step is None else step.tool)


def _writes(body: Mapping[str, Any], turns: Sequence[ConductTurn]) -> Step:
    shown = body["messages"][-1]["content"]
    history = [json.loads(line[2:]) for line in shown.splitlines() if line.startswith('- {"')]
    turn, done = _place({"history": history})
    step = _step(turns, turn, done)
    asked = re.search(r"^The next action: (\S+)\. ", shown, re.MULTILINE)
    if asked is None:
        return says(_reply(turns, turn))
    if step is None or asked[1] != step.tool:
        return says("arguments were asked for that belong to another step")
    return says(json.dumps(step.args))


def _place(state: Mapping[str, Any]) -> tuple[int, int]:
    """The turn, counted from 1, and how many of its steps the history of a decision loop holds."""
    turn, done = 1, 0
    for entry in state["history"]:
        if entry.get("action") == "respond":
            turn, done = turn + 1, 0
        elif "result" in entry:
            done += 1
    return turn, done


def _step(turns: Sequence[ConductTurn], turn: int, done: int) -> Wanted | None:
    steps = turns[turn - 1].do if turn <= len(turns) else ()
    return steps[done] if done < len(steps) else None


def _reply(turns: Sequence[ConductTurn], turn: int) -> str:
    return turns[turn - 1].reply or "" if turn <= len(turns) else ""
