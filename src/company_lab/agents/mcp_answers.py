"""What an MCP client sees of a session: tools, answers and errors as plain JSON, whatever carries them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from company_lab.agents.protocol import EpisodeStopped, Session, Task, ToolError, ToolOffer
from company_lab.agents.wire import exchange_message, restart_message
from company_lab.formats.canonical import Json, NotJson
from company_lab.formats.errors import WrongUse

TASK = "company-lab://task"
EVENTS = "company-lab://events"
MARKS = {"company-lab/by": "by", "company-lab/call-id": "hint"}
"""Keys of a call's `_meta` that say who supplied its arguments, and the model's own call id."""

Reply = tuple[str, Json, bool]
"""The text of an answer, its structured content, and whether it is an error."""
Said = tuple[str | None, str, str]
"""An earlier turn: the sender, the message, and the reply."""


def names_of(tools: Iterable[ToolOffer]) -> dict[str, str]:
    """The world's names of tools by the names an MCP client sees.

    Most hosts of models take no dots in a name, and most programs hand a tool's name on as it is.
    """
    named = [tool.name for tool in tools]
    for joint in ("_", "__"):
        seen = {name.replace(".", joint): name for name in named}
        if len(seen) == len(named):
            return seen
    return {name: name for name in named}


def listed(tools: Sequence[ToolOffer]) -> list[dict[str, Any]]:
    """The tools as `tools/list` gives them.

    That a tool reads only is known of the world. Whether a write destroys something or may be repeated is not, so
    those hints keep the cautious values the protocol assumes.
    """
    return [
        {
            "name": name,
            "title": tool.name,
            "description": tool.description,
            "inputSchema": tool.parameters,
            "annotations": {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
            if not tool.writes
            else {
                "readOnlyHint": False,
                "destructiveHint": True,
                "idempotentHint": False,
                "openWorldHint": False,
            },
        }
        for name, tool in zip(names_of(tools), tools, strict=True)
    ]


def called(
    session: Session, tool: object, args: object, *, by: str = "agent", hint: str | None = None
) -> Reply:
    """Attempt a tool and put into words what came of it. Lets `EpisodeStopped` through."""
    try:
        value = session.attempt(tool, args, by=by, hint=hint)  # type: ignore[arg-type]
    except ToolError as error:
        return _failed(error.code, error.reason, str(error), error.detail)
    except (WrongUse, NotJson) as error:
        return _failed("bad_arguments", "arguments", str(error), None)
    structured: Json = value if isinstance(value, dict) else {"result": value}
    return spelled(value), structured, False


def over(stopped: EpisodeStopped) -> Reply:
    """What a call is told that came after the end."""
    detail = f": {stopped.detail}" if stopped.detail else ""
    return _failed("stopped", stopped.reason, f"the episode is over ({stopped.reason}){detail}", None)


def spelled(value: Json) -> str:
    """A value as JSON text, for models that read the text of an answer."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def marks_of(meta: object, request_id: object) -> dict[str, str]:
    """Who supplied the arguments, and the agent's own id of a call: from `_meta`, otherwise the request's id."""
    given = meta if isinstance(meta, dict) else {}
    marks = {name: value for key, name in MARKS.items() if isinstance(value := given.get(key), str)}
    if "hint" not in marks and isinstance(request_id, (str, int)):
        marks["hint"] = str(request_id)
    return marks


def _failed(code: str, reason: str, message: str, detail: Json) -> Reply:
    structured: dict[str, Json] = {"code": code, "reason": reason, "message": message, "detail": detail}
    label = "" if message.startswith(f"{code}:") else f"{code}: "
    more = "" if detail is None else f"\n{spelled(detail)}"
    return f"{label}{message}{more}", structured, True


def told(task: Task, conversation: Sequence[Said] = ()) -> str:
    """A task as one text: what was said before, what is said now, and what reached the company.

    A first message without events is handed on as it is.
    """
    parts = []
    if conversation:
        parts.append("The conversation so far:")
        for sender, message, reply in conversation:
            if message:
                parts.append(f"{sender or 'Message'}: {message}")
            parts.append(f"Your reply: {reply}")
        parts.append("Now:")
    if task.message:
        parts.append(f"{task.sender or 'Message'}: {task.message}" if conversation else task.message)
    if task.events:
        parts.append("This reached the company since you last looked:")
        parts += [spelled(dict(event)) for event in task.events]
    if task.restart is not None and task.restart.transcript:
        parts.append("You were interrupted. These calls of yours had been answered before:")
        parts += [spelled(exchange_message(exchange)) for exchange in task.restart.transcript]
    return "\n\n".join(parts)


def task_document(task: Task, conversation: Sequence[Said] = ()) -> dict[str, Json]:
    """A task as a JSON document, with the conversation before it, and what is told after a crash."""
    document: dict[str, Json] = {
        "message": task.message,
        "sender": task.sender,
        "turn": task.turn,
        "at": task.at,
        "events": [dict(event) for event in task.events],
        "conversation": [
            {"sender": sender, "message": message, "reply": reply} for sender, message, reply in conversation
        ],
    }
    if task.restart is not None:
        document["restart"] = restart_message(task.restart)
    return document
