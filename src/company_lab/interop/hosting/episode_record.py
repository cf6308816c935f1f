"""What an episode's trace says so far: what was attempted, what really ran, what was replied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from company_lab.formats.canonical import Json

Call = tuple[str, dict[str, Json]]
"""A tool with its department in front, as `banking.send_money`, and the arguments as they were understood."""
TOOL_ERROR = "tool_error"
"""The reason a hosted tool fails with when its own program says no."""


def attempts(record: Sequence[Mapping[str, Any]]) -> Iterator[Call]:
    """Every call the agent asked for, in order, whatever became of it."""
    for entry in record:
        if entry["kind"] == "action":
            args = entry.get("args")
            yield str(entry["tool"]), dict(args) if isinstance(args, dict) else {}


def carried_out(record: Sequence[Mapping[str, Any]], *departments: str) -> Iterator[Call]:
    """The calls that reached the tools of hosted departments, whether or not they succeeded there."""
    asked: dict[str, Mapping[str, Any]] = {}
    for entry in record:
        if entry["kind"] == "action":
            asked[entry["call"]] = entry
        elif entry["kind"] == "result" and _reached(entry) and entry["call"] in asked:
            action = asked[entry["call"]]
            tool, args = str(action["tool"]), action.get("args")
            if tool.partition(".")[0] in departments and isinstance(args, dict):
                yield tool, dict(args)


def _reached(result: Mapping[str, Any]) -> bool:
    error = result.get("error") or {}
    return result["outcome"] == "executed" or error.get("reason") == TOOL_ERROR


def replies(record: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the agent said to whoever asked, in order."""
    return [str(entry["text"]) for entry in record if entry["kind"] == "reply"]
