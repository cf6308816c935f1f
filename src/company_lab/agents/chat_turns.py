"""What a model is told about a turn, and how results are spelled for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from company_lab.agents.protocol import Restart, Session, Task, ToolError
from company_lab.formats.canonical import Json, canonical

DEFAULT_SYSTEM = (
    "You work for a company and use its tools to do what you are asked. Look before you act: read the records that a "
    "decision rests on. A call that failed, was refused, or got no answer has established nothing. When everything is "
    "done, or when nothing more can be done, answer the person who asked in plain words and say only what is true."
)
"""The system prompt where none is given."""


def earlier(memory: Json, turn: int) -> list[dict[str, Json]]:
    """The conversation that memory has kept: of the turns before, and of this one where it had begun before a crash."""
    found = memory.get("conversation") if isinstance(memory, dict) and memory.get("turn") == turn else None
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def beginning(task: Task, conversation: Sequence[Json]) -> list[str]:
    """What a model is told now, after this conversation."""
    texts = [] if conversation and task.restart else [turn_text(task)]
    if task.restart and (text := restart_text(task.restart)):
        texts.append(text)
    return texts


def turn_text(task: Task) -> str:
    """The beginning of a turn as a message: when it is, who writes, what was said, what has happened."""
    lines = [f"Now: {task.at}"]
    if task.sender:
        lines.append(f"From: {task.sender}")
    if task.message:
        lines += ["", task.message]
    if task.events:
        lines += ["", events_text(task.events)]
    return "\n".join(lines)


def restart_text(restart: Restart) -> str | None:
    """What a model is told when it begins a turn again after a crash: nothing where it comes back with its task alone.

    What was said until then stands in the transcript, or in the conversation that memory kept.
    """
    if restart.mode == "task":
        return None
    lines = [
        "You were interrupted in this turn and begin it again. What you did before may have taken effect."
    ]
    lines += [
        canonical(
            {"tool": past.tool, "args": past.args, "result": dict(past.error) if past.error else past.result}
        )
        for past in restart.transcript
    ]
    return "\n".join(lines)


def events_text(events: Sequence[Mapping[str, Json]]) -> str:
    """Events as a message."""
    return "What has happened:\n" + "\n".join(canonical(dict(event)) for event in events)


def attempted(
    session: Session, tool: str, args: object, *, by: str, hint: str | None = None
) -> dict[str, Json]:
    """Use a tool and say in one object what came of it, `status` first: executed, or the code of the error."""
    try:
        return {"status": "executed", "value": session.attempt(tool, args, by=by, hint=hint)}
    except ToolError as error:
        said: dict[str, Json] = {"status": error.code, "reason": error.reason, "message": str(error)}
        if error.detail is not None:
            said["detail"] = error.detail
        return said
