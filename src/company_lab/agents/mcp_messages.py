"""MCP messages as they arrive: which of them attempt a tool, and which can be handed on to the SDK.

The SDK drops or turns away what it can not read, so that nobody would learn what was attempted. Here a message is
looked at before that: whatever was meant as a `tools/call` is an attempt, however broken it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from company_lab.agents.mcp_answers import marks_of
from company_lab.agents.wire import Unreadable
from company_lab.formats.canonical import Json, NotJson, parse
from company_lab.formats.hostile import cut

CALL = "tools/call"
LONGEST = 4 << 20
"""Bytes of one message, over HTTP and on a local socket; the SDK allows as many in an HTTP request."""
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

SHOWN = 2000
"""How much of a message that can not be read is kept, in characters."""
_SEARCHED = 1 << 16
"""How much of a message that is no JSON is searched for what it attempts, in characters."""
_MOST_NAMES = 20
_CALLS = re.compile(r"tools\\?/call")
_NAMES = re.compile(r'"name"\s{0,20}:\s{0,20}"([^"\\]{1,100})')


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempted:
    """One tool call that a message attempts."""

    names: tuple[object, ...]
    """What may be its tool: one where the message can be read, the names found in it where not."""
    args: object
    """Its arguments as they came, or `Unreadable` where the call can not be carried out."""
    by: str = "agent"
    hint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """What is wrong with a message, as JSON-RPC says it."""

    code: int
    text: str
    id: str | int | None = None
    answered: bool = True
    """A notification gets no answer, not even an error."""

    def answer(self) -> dict[str, Json]:
        """The error a client is sent."""
        return {"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.text}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A message that has been looked at."""

    message: dict[str, Any] | None = None
    """The message, where it is one that the SDK may judge further."""
    calls: tuple[Attempted, ...] = ()
    """The tool calls it attempts. With a `message` there is at most one, and it can be carried out."""
    wrong: Wrong | None = None
    """Why it is not handed on."""


def read_message(raw: bytes) -> Read:
    """Look at one message. Never raises."""
    try:
        message = parse(raw)
        _refuse_half_characters(raw, message)
    except NotJson as error:
        return Read(calls=_in_text(raw, error, len(raw)), wrong=Wrong(code=PARSE_ERROR, text=str(error)))
    if isinstance(message, list):
        wrong = Wrong(code=INVALID_REQUEST, text="a batch of messages: send one message at a time")
        calls = [_broken(one, wrong.text) for one in message if isinstance(one, dict) and _attempts(one)]
        return Read(calls=tuple(calls), wrong=wrong)
    if not isinstance(message, dict):
        return Read(wrong=Wrong(code=INVALID_REQUEST, text="a message is a JSON object"))
    if not _attempts(message):
        return Read(message=message)
    found = _wrong_with(message)
    if found is not None:
        return Read(calls=(_broken(message, found.text),), wrong=found)
    params: Any = message["params"]
    call = call_of(params.get("name"), params.get("arguments"), params.get("_meta"), message["id"])
    return Read(message=message, calls=(call,))


def _refuse_half_characters(raw: bytes, message: Json) -> None:
    """Escapes can spell half of a character, which JSON allows and no answer could carry."""
    if b"\\ud" in raw or b"\\uD" in raw:
        try:
            json.dumps(message, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise NotJson("", "an escape stands for half a character") from None
        except RecursionError:
            raise NotJson("", "nested too deeply") from None


def call_of(tool: object, args: object, meta: object, request: object) -> Attempted:
    """The call of a request that can be read."""
    marks = marks_of(meta, request)
    by, hint = marks.get("by", "agent"), marks.get("hint")
    return Attempted(names=(tool,), args={} if args is None else args, by=by, hint=hint)


def read_overlong(head: bytes, size: int) -> Read:
    """Look at the beginning of a message of so many bytes, which are more than are allowed."""
    wrong = Wrong(code=INVALID_REQUEST, text=f"a message of {size} bytes; {LONGEST} are allowed")
    return Read(calls=_in_text(head, NotJson("the message", wrong.text), size), wrong=wrong)


def refused(call: Attempted, why: str) -> Attempted:
    """A call that was turned away before anybody could carry it out."""
    error = NotJson("the message", f"it was turned away: {why}")
    if isinstance(call.args, Unreadable):
        return call
    return Attempted(names=call.names, args=_unreadable(error, call.args), by=call.by, hint=call.hint)


def _attempts(message: Mapping[str, Json]) -> bool:
    return message.get("method") == CALL


def id_of(message: Mapping[str, Json]) -> str | int | None:
    """The id of a message, where it has one that JSON-RPC allows."""
    given = message.get("id")
    return given if isinstance(given, (str, int)) and not isinstance(given, bool) else None


def _wrong_with(message: Mapping[str, Json]) -> Wrong | None:
    """What is wrong with the envelope of a call; None where the SDK may look further."""
    id, params = id_of(message), message.get("params")
    if message.get("jsonrpc") != "2.0":
        return Wrong(code=INVALID_REQUEST, text='a message says "jsonrpc": "2.0"', id=id)
    if id is None:
        text = "a tool call has an id, a text or a whole number"
        return Wrong(code=INVALID_REQUEST, text=text, answered="id" in message)
    if not isinstance(params, dict):
        return Wrong(
            code=INVALID_PARAMS, text="a tool call has params, an object with name and arguments", id=id
        )
    if not isinstance(params.get("_meta", {}), dict):
        return Wrong(code=INVALID_PARAMS, text="_meta is an object", id=id)
    return None


def _broken(message: Mapping[str, Json], why: str) -> Attempted:
    params = message.get("params")
    given: Mapping[str, Json] = params if isinstance(params, dict) else {}
    args = _unreadable(NotJson("the message", why), message)
    return call_of(given.get("name"), args, given.get("_meta"), message.get("id"))


def _in_text(raw: bytes, error: NotJson, size: int) -> tuple[Attempted, ...]:
    """The call that a message attempts which is no JSON. Several in one text are one attempt: nobody can part them."""
    # Without zeros, text in other encodings than UTF-8 shows itself too.
    text = raw[:_SEARCHED].replace(b"\0", b"").decode("utf-8", "replace")
    if _CALLS.search(text) is None:
        return ()
    names = tuple(match[1] for match, _ in zip(_NAMES.finditer(text), range(_MOST_NAMES), strict=False))
    return (Attempted(names=names, args=Unreadable(error, cut(text, SHOWN), size)),)


def _unreadable(error: NotJson, value: object) -> Unreadable:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:  # it was read with less of the stack in use
        text = "(nested too deeply to be shown)"
    return Unreadable(error, cut(text, SHOWN), len(text))
