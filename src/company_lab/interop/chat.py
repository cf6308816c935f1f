"""Conversations in OpenAI chat form as trace records.

Arguments arrive as JSON text: what does not parse strictly is recorded as malformed with its raw text and
never repaired. Ids of calls are hints: results are paired by id, then by occurrence, and whatever does not
fit is a finding. Nothing is dropped; results keep their text unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from company_lab.formats.canonical import Json, NotJson, boundary, parse
from company_lab.traces.record import Record, Trace

FindingKind = Literal[
    "malformed_arguments",
    "duplicate_call_id",
    "missing_call_id",
    "unanswered_call",
    "answer_without_call",
    "answer_names_another_tool",
    "empty_message",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something odd in a recorded conversation that does not keep it from being read."""

    kind: FindingKind
    message: int
    """Index of the message, from 0."""
    detail: str


@dataclass(slots=True)
class _Open:
    call: str
    tool: str
    hint: str
    malformed: bool


class ChatTrace:
    """Adds the messages of one conversation to a trace, and collects findings."""

    def __init__(self, trace: Trace, *, is_error: Callable[[str], bool]) -> None:
        self.trace = trace
        self.findings: list[Finding] = []
        self.turns = 0
        self._is_error = is_error
        self._open: list[_Open] = []
        self._calls = 0
        self._hints: set[str] = set()

    def add(self, index: int, message: Mapping[str, Any]) -> None:
        """Add one message. `message` has the shape that `shape_problem` accepts."""
        role = message["role"]
        if role == "user":
            self._turn(message)
        elif role == "assistant":
            self._answer(index, message)
        elif role == "tool":
            self._result(index, message)

    def close(self, last: int) -> None:
        """Say what was never answered."""
        for pending in self._open:
            if pending.malformed:
                self._record("result", **_malformed(pending.call, None))
            else:
                self._find(
                    "unanswered_call", last, f"{pending.call} {pending.tool} ({pending.hint or 'no id'})"
                )
        self._open.clear()

    def _record(self, kind: str, **fields: Any) -> Record:
        record: Record = {"seq": len(self.trace.records), "at": None, "kind": kind, **fields}
        self.trace.records.append(record)
        return record

    def _find(self, kind: FindingKind, index: int, detail: str) -> None:
        self.findings.append(Finding(kind=kind, message=index, detail=detail))

    def _turn(self, message: Mapping[str, Any]) -> None:
        self.turns += 1
        because = "stimulus" if self.turns == 1 else "answer"
        self._record("turn", turn=self.turns, because=because, sender="user", message=text_of(message))

    def _answer(self, index: int, message: Mapping[str, Any]) -> None:
        text, calls = text_of(message), message.get("tool_calls") or ()
        if not calls:
            if not text.strip():
                self._find("empty_message", index, "the agent said nothing and called nothing")
            self._record("reply", turn=self.turns, to="user", text=text, facts={})
            return
        if text.strip():
            # Said beside a call: part of what the model answered, heard by nobody.
            self._record("choice", request=None, answer=text, observation=None)
        for call in calls:
            self._action(index, call)

    def _action(self, index: int, call: Mapping[str, Any]) -> None:
        self._calls += 1
        name = f"c{self._calls}"
        tool, supplied, hint = (
            call["function"]["name"],
            call["function"].get("arguments"),
            call.get("id") or "",
        )
        args, reason = arguments(supplied)
        if args is None:
            self._find("malformed_arguments", index, f"{name} {tool}: {reason}")
        if not hint:
            self._find("missing_call_id", index, f"{name} {tool}")
        elif hint in self._hints:
            self._find("duplicate_call_id", index, f"{name} {tool} ({hint})")
        self._hints.add(hint)
        self._record(
            "action",
            call=name,
            turn=self.turns,
            tool=tool,
            supplied=supplied,
            args=args,
            by="agent",
            hint=hint or None,
        )
        self._open.append(_Open(name, tool, hint, args is None))

    def _result(self, index: int, message: Mapping[str, Any]) -> None:
        text, hint, tool = text_of(message), message.get("tool_call_id") or "", message.get("name")
        pending = next((call for call in self._open if call.hint == hint), None)
        if pending is None:
            self._find("answer_without_call", index, f"{tool or 'a tool'} ({hint or 'no id'})")
            self._record("result", call=None, **_delivered(text, failed=self._is_error(text)))
            return
        self._open.remove(pending)
        if isinstance(tool, str) and tool != pending.tool:
            self._find(
                "answer_names_another_tool", index, f"{pending.call} {pending.tool}, answered as {tool}"
            )
        if pending.malformed:
            self._record("result", **_malformed(pending.call, text))
        else:
            self._record("result", call=pending.call, **_delivered(text, failed=self._is_error(text)))


def arguments(supplied: Json) -> tuple[dict[str, Json] | None, str]:
    """Parsed arguments, or None and why not. Strict JSON objects only; nothing is repaired."""
    try:
        value = parse(supplied) if isinstance(supplied, str) else boundary(supplied)
    except NotJson as error:
        return None, str(error)
    if not isinstance(value, dict):
        return None, "the arguments are no JSON object"
    return value, ""


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message; parts of a list are joined, null is empty."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def shape_problem(message: Json) -> str | None:
    """What is wrong with the shape of a message, or None."""
    if not isinstance(message, dict):
        return "a message must be an object"
    if message.get("role") not in ("system", "developer", "user", "assistant", "tool"):
        return f"unknown role {message.get('role')!r}; expected system, user, assistant or tool"
    content = message.get("content")
    if not (content is None or isinstance(content, str) or _are_objects(content)):
        return "content must be text, null or a list of parts"
    calls = message.get("tool_calls")
    if calls is None:
        return None
    if not isinstance(calls, list):
        return "tool_calls must be a list"
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if (
            not isinstance(function, dict)
            or not isinstance(function.get("name"), str)
            or not function["name"]
        ):
            return "a tool call needs function.name"
        identifier = call.get("id") if isinstance(call, dict) else None
        if not (identifier is None or isinstance(identifier, str)):
            return "the id of a tool call must be text"
    return None


def _are_objects(content: Json) -> bool:
    return isinstance(content, list) and all(isinstance(part, dict) for part in content)


def _delivered(text: str, *, failed: bool) -> dict[str, Any]:
    error = {"code": "failed", "reason": None, "message": text} if failed else None
    return {
        "outcome": "failed" if failed else "executed",
        "delivery": "delivered",
        "value": None if failed else text,
        "error": error,
        "changes": [],
    }


def _malformed(call: str, answer: str | None) -> dict[str, Any]:
    message = "the arguments are no JSON object" if answer is None else answer
    return {
        "call": call,
        "outcome": "malformed",
        "delivery": "delivered",
        "value": None,
        "error": {"code": "bad_arguments", "reason": None, "message": message},
        "changes": [],
    }


def roles(messages: Sequence[Mapping[str, Any]], role: str) -> list[str]:
    """The texts of all messages of a role."""
    return [text_of(message) for message in messages if message["role"] == role]
