"""What all agents of the bank have in common: patience, and reading an answer only when it is whole."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from company_lab.agents.protocol import Session, ToolError

PATIENCE = ("1m", "1h", "6h", "12h", "1d", "2d", "4d", "8d")
"""What is waited for between attempts; together it outlasts any outage a day or two long."""

Record = dict[str, Any]


def pause(session: Session, duration: str) -> None:
    """Let time pass."""
    with suppress(ToolError):
        session.call("clock.wait", duration=duration)


def answer_of(session: Session, tool: str, **args: Any) -> Record | None:
    """What a call answers; None where it fails, does not answer, or answers what nobody can read."""
    try:
        answer = session.call(tool, **args)
    except ToolError:
        return None
    return answer if isinstance(answer, dict) else None


def read(session: Session, tool: str, whole: Callable[[Record], bool], **args: Any) -> Record | None:
    """What a tool shows, asked for until the answer is whole; None where patience ends before that."""
    for duration in PATIENCE:
        answer = answer_of(session, tool, **args)
        if answer is not None and whole(answer):
            return answer
        pause(session, duration)
    return None


def listed(answer: Record, name: str) -> bool:
    """Whether a list is as long as the answer says."""
    items = answer.get(name)
    return isinstance(items, list) and answer.get("count") == len(items)


def is_there(session: Session, tool: str, name: str, **about: str) -> bool | None:
    """Whether a look-up finds something; None where it can not be had. An answer of yesterday says "nothing" once."""
    for _ in range(2):
        found = read(session, tool, lambda answer: listed(answer, name), **about)
        if found is None or found["count"]:
            return None if found is None else True
    return False


def once(
    session: Session, tool: str, *, key: str, look_up: str, name: str, doubt: bool, **about: str
) -> bool | None:
    """Do something that must not happen twice; whether it has happened, None where nobody can tell.

    In doubt, which after the first try one always is, it looks before it acts: a key is forgotten after a day.
    """
    for duration in PATIENCE:
        if doubt:
            there = is_there(session, look_up, name, **about)
            if there is None:
                return None
            if there:
                return True
        answer = answer_of(session, tool, **about, key=key)
        if answer is not None and all(answer.get(field) == value for field, value in about.items()):
            return True
        doubt = True
        pause(session, duration)
    return is_there(session, look_up, name, **about) or None
