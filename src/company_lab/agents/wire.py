"""Wire: how an agent in another process speaks with the lab, one JSON object a line.

The lab says `task` at the beginning of each turn. The program asks as often as it likes, each time with an `id` of
its own, and gets one answer with that id, `result`, `error`, `stopped` or `wrong`; it ends the turn with
`reply`. When the lab closes the line the episode is over. In full:

| the lab says | with |
|---|---|
| `task` | `format` 1, `turn`, `message`, `sender`, `at`, `events`; the first has `tools` too; after a crash `restart` |
| `result` | `id`, `value` |
| `error` | `id`, `code`, `reason`, `message`, `detail`: an attempt that gave no result, see `ToolError` |
| `stopped` | `id`, `reason`, `detail`: the episode is over |
| `wrong` | `id`, `message`: what was asked makes no sense |

| the program says | with | is answered by |
|---|---|---|
| `call` | `id`, `tool`, `args` (an object) or `text` (a model's JSON text), `by`, `hint` | the tool's result |
| `observe` | `id` | the new events |
| `usage` | `id`, `input_tokens`, `output_tokens`, `cost_usd`, `model`, `cached_tokens`, `basis` | null |
| `asked` | `id`, `role`, `model`, `attempt`, `answer` or `error`: a request to a model | null |
| `choice` | `id`, `request`, `answer` | null |
| `remember` | `id`, `value` | null |
| `recall` | `id` | what was remembered last |
| `pace` | `id`, `host`; perhaps `role`, `model`, `attempt`, by whoever tells each answer by `asked` | seconds to wait |
| `hold` | `id`, `host`, `seconds` | null; nobody asks the host so long |
| `reply` | `text`, or null | the next `task`, if there is one |
| `failed` | `detail` | nothing: the agent can not go on |
| `outage` | `detail`, perhaps `retry_after` | nothing: a model's host can not be reached |

A program killed at a crash point is started anew and hears the task of the same turn once more, with `restart`:
`mode` (task, transcript or checkpoint), `crashes`, and in the mode transcript `transcript`, a list of `turn`, `tool`,
`args`, `result`, `error`; in the mode checkpoint `recall` gives what it remembered last.

A tool has `name`, `description`, `writes` and `parameters`, a JSON Schema. A `call` whose arguments are no JSON
says `unreadable` instead of `args`: `path` and `reason` of what is wrong and `shown`, how they look. A reply that is
no text says `other` instead of `text`: the name of its type. Unknown keys are ignored. A line that is no such object
is the agent's failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from company_lab.agents.protocol import EpisodeStopped, Exchange, Restart, Session, Task, ToolError, ToolOffer
from company_lab.formats.canonical import Json, NotJson, parse
from company_lab.formats.errors import CompanyLabError, WrongUse, nearest
from company_lab.formats.shapes import shown

FORMAT = 1
REQUESTS = ("call", "observe", "usage", "asked", "choice", "remember", "recall", "pace", "hold")
ENDINGS = ("reply", "failed", "outage")
_ANSWERS = ("result", "error", "stopped", "wrong")
_USAGE = ("input_tokens", "output_tokens", "cost_usd", "model")
_MORE_USAGE = ("cached_tokens", "basis")
_ASKED = ("role", "model", "answer", "error")
_PACED = ("role", "model", "attempt")

Message = dict[str, Json]

# Not the canonical spelling: the order of keys crosses too, since error texts follow it.
_spell = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":")
).encode


class BadMessage(CompanyLabError):
    """A line that is no message of this protocol."""


class LineTooLong(CompanyLabError):
    """A line that never ends, or too late."""


class Unreadable:
    """Arguments that could not cross, since they are no JSON; `error` says why, `shown` how they look.

    `size` is how long they were, in characters or bytes, where `shown` is only their beginning.
    """

    def __init__(self, error: NotJson, shown: str, size: int | None = None) -> None:
        self.error = error
        self.shown = shown
        self.size = len(shown) if size is None else size


def spell(message: Mapping[str, Json]) -> bytes:
    """A message as its line, ASCII, with the line end."""
    return _spell(message).encode("ascii") + b"\n"


class Lines:
    """Cuts a stream into lines; no more than `longest` bytes are held back."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are complete with `data`, without their line ends. Raises `LineTooLong`."""
        *complete, rest = data.split(b"\n")
        for part in complete:
            self._keep(part)
            line = b"".join(self._parts)
            self._parts, self._size = [], 0
            yield line
        self._keep(rest)

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._longest:
            raise LineTooLong(f"a line of more than {self._longest} bytes")
        if part:
            self._parts.append(part)

    @property
    def rest(self) -> bytes:
        """The beginning of a line whose end has not come."""
        return b"".join(self._parts)


def read(line: bytes, kinds: Sequence[str] = (*REQUESTS, *ENDINGS)) -> Message:
    """The message of a line. Raises `BadMessage` where it is none of these kinds."""
    try:
        message = parse(line)
    except NotJson as error:
        raise BadMessage(f"a line that is no JSON: {error}; it begins {shown(_beginning(line))}") from None
    if not isinstance(message, dict):
        raise BadMessage(f"a line that is no object; it begins {shown(_beginning(line))}")
    kind = message.get("kind")
    if kind not in kinds:
        close = nearest(kind, kinds) if isinstance(kind, str) else None
        hint = f"; did you mean {close}?" if close else ""
        raise BadMessage(f"a message of the kind {shown(kind)}{hint} (known: {', '.join(kinds)})")
    if kind in REQUESTS and not isinstance(message.get("id"), (str, int)):
        raise BadMessage(f"a {kind} whose id is {shown(message.get('id'))}; give a number or a text")
    return message


def _beginning(line: bytes) -> str:
    return line[:60].decode("utf-8", "replace")


# The lab's side


class Served(Session, Protocol):
    """A session that can keep a place at a host for an agent that waits elsewhere."""

    def reserve(self, host: object, asking: object = None) -> float:
        """Seconds until the agent's turn at a host comes; it is expected to wait that long.

        `asking` may say role, model and attempt of the request that follows.
        """
        ...

    def hold(self, host: object, seconds: object) -> None:
        """Let nobody ask a host for so many seconds."""
        ...


def task_message(task: Task, *, with_tools: bool) -> Message:
    """What an agent is told at the start of a turn."""
    message: Message = {
        "kind": "task",
        "format": FORMAT,
        "turn": task.turn,
        "message": task.message,
        "sender": task.sender,
        "at": task.at,
        "events": [dict(event) for event in task.events],
    }
    if with_tools:
        message["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "writes": tool.writes,
                "parameters": tool.parameters,
            }
            for tool in task.tools
        ]
    if task.restart is not None:
        message["restart"] = restart_message(task.restart)
    return message


def restart_message(restart: Restart) -> Message:
    """What an agent is told when it begins a turn again after a crash."""
    return {
        "mode": restart.mode,
        "crashes": restart.crashes,
        "transcript": [exchange_message(exchange) for exchange in restart.transcript],
    }


def exchange_message(exchange: Exchange) -> Message:
    """A call of an earlier life and its answer."""
    return {
        "turn": exchange.turn,
        "tool": exchange.tool,
        "args": exchange.args,
        "result": exchange.result,
        "error": None if exchange.error is None else dict(exchange.error),
    }


def error(id: Json, failed: ToolError) -> Message:
    """The answer to a call that gave no result."""
    return {
        "kind": "error",
        "id": id,
        "code": failed.code,
        "reason": failed.reason,
        "message": str(failed),
        "detail": failed.detail,
    }


def answer(session: Served, request: Message) -> Message:
    """Carry a request out and say what came of it."""
    id = request["id"]
    try:
        return {"kind": "result", "id": id, "value": _carried_out(session, request)}
    except ToolError as failed:
        return error(id, failed)
    except EpisodeStopped as stopped:
        return {"kind": "stopped", "id": id, "reason": stopped.reason, "detail": stopped.detail}
    except (WrongUse, NotJson) as refused:
        return {"kind": "wrong", "id": id, "message": str(refused)}


def _carried_out(session: Served, request: Message) -> Json:
    fields: dict[str, Any] = request
    kind = fields["kind"]
    if kind == "call":
        marks = {name: fields[name] for name in ("by", "hint") if fields.get(name) is not None}
        return session.attempt(fields.get("tool"), _supplied(fields), **marks)  # type: ignore[arg-type, no-any-return]
    if kind == "observe":
        return list[Json](session.observe())
    if kind == "recall":
        return session.memory
    if kind == "pace":
        asking = {name: fields[name] for name in _PACED if fields.get(name) is not None}
        return session.reserve(fields.get("host"), *([asking] if asking else []))
    if kind == "usage":
        more = {name: fields[name] for name in _MORE_USAGE if fields.get(name) is not None}
        session.usage(**{name: fields.get(name) for name in _USAGE}, **more)
    elif kind == "asked":
        asked: dict[str, Any] = {name: fields.get(name) for name in _ASKED}
        session.asked(attempt=fields.get("attempt", 1), **asked)
    elif kind == "choice":
        session.choice(fields.get("request"), fields.get("answer"))
    elif kind == "remember":
        session.memory = fields.get("value")
    else:
        session.hold(fields.get("host"), fields.get("seconds"))
    return None


def _supplied(fields: dict[str, Any]) -> object:
    if isinstance(text := fields.get("text"), str):
        return text
    found = fields.get("unreadable")
    if isinstance(found, dict):
        error = NotJson(str(found.get("path", "")), str(found.get("reason", "not JSON")))
        return Unreadable(error, str(found.get("shown", "")))
    return fields.get("args", {})


# The agent's side


def task_of(message: Message, tools: Sequence[ToolOffer]) -> Task:
    """The task of a `task` message, with the tools as this process knows them."""
    fields: dict[str, Any] = message
    return Task(
        message=fields["message"],
        sender=fields["sender"],
        turn=fields["turn"],
        at=fields["at"],
        events=fields["events"],
        tools=tools,
        restart=_restart_of(fields.get("restart")),
    )


def _restart_of(told: dict[str, Any] | None) -> Restart | None:
    if told is None:
        return None
    return Restart(
        mode=told["mode"],
        crashes=told["crashes"],
        transcript=tuple(Exchange(**exchange) for exchange in told["transcript"]),
    )


def value_of(answered: Message) -> Json:
    """The value of a `result`; raises what any other answer stands for."""
    fields: dict[str, Any] = answered
    kind = fields["kind"]
    if kind == "result":
        return fields["value"]  # type: ignore[no-any-return]
    if kind == "error":
        raise ToolError(fields["code"], fields["reason"], fields["message"], fields["detail"])
    if kind == "stopped":
        raise EpisodeStopped(fields["reason"], fields["detail"])
    raise WrongUse(fields["message"])


def read_answer(line: bytes) -> Message:
    """An answer or a task. Raises `BadMessage`."""
    return read(line, ("task", *_ANSWERS))
