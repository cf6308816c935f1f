"""ScriptedChatServer: a real HTTP server on loopback that speaks the wire formats of models, as a script tells it.

It answers `/chat/completions`, `/responses` and `/systemone` (also behind `/v1`), as a stream where
one is asked for. Each request takes the next step of
the script, or is handed to a function; every request is kept. Steps may be errors, slow, cut off in the middle, or
nonsense.

    with ScriptedChatServer([calls(call("orders_get", {"id": "O-1"})), says("Shipped.")]) as server:
        agent = resolve_agent("openai-chat", {"base_url": server.url, "model": "scripted"})
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from streamed import HEADERS, streamed

USAGE = {"input": 100, "output": 20}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One answer of the server."""

    text: str | None = None
    calls: tuple[Mapping[str, Any], ...] = ()
    finish: str | None = None
    refusal: str | None = None
    choice: str | None = None
    probabilities: Mapping[str, float] | None = None
    usage: Mapping[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    """input, output, perhaps cached; None leaves it out."""
    raw_usage: Mapping[str, Any] | None = None
    """In place of `usage`, as a host might spell it."""
    status: int = 200
    body: Any = None
    """In place of an answer: an object, or text or bytes as they are."""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False
    """Close the connection in the middle of the body."""
    hang_up: bool = False
    """Close the connection without a word."""
    drip_s: float = 0.0
    """Seconds between single bytes of the body."""


def says(text: str, **more: Any) -> Step:
    """An answer in words."""
    return Step(text=text, **more)


def call(name: str, arguments: Any = None, *, id: str | None = "call_1") -> dict[str, Any]:
    """A call a model asks for; arguments as a text are sent as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps({} if arguments is None else arguments)
    return {"name": name, "arguments": text, "id": id}


def calls(*wanted: Mapping[str, Any], **more: Any) -> Step:
    """An answer that asks for calls."""
    return Step(calls=wanted, **more)


def chooses(option: str, probabilities: Mapping[str, float] | None = None, **more: Any) -> Step:
    """A decision."""
    return Step(choice=option, probabilities=probabilities or {option: 1.0}, **more)


def fails(status: int, body: Any = None, **headers: str) -> Step:
    """An error; header names are written with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    default = {"error": {"message": "scripted failure", "type": "server_error", "code": None}}
    return Step(status=status, body=default if body is None else body, headers=named)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    body: Any
    headers: Mapping[str, str]

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model"))


Script = Callable[[Asked, int], Step]
"""What to answer to a request; the number counts requests from 0."""


class ScriptedChatServer:
    """Serves inside `with`. `url` is the base URL with `/v1`; `asked` holds every request in order of arrival."""

    def __init__(self, script: Iterable[Step] | Script) -> None:
        self._script: Script = script if callable(script) else _in_order(list(script))
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._at_once = 0
        self._loop = asyncio.new_event_loop()
        # Event loops send small answers at once (TCP_NODELAY) only on sockets that say they are TCP.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(512)
        self.port = int(self._socket.getsockname()[1])
        self.root = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.root}/v1"
        self._thread = threading.Thread(target=self._run, name="scripted-chat-server", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join(10)

    def bodies(self, path: str = "") -> list[Any]:
        """The bodies of all requests whose path ends so."""
        return [asked.body for asked in list(self.asked) if asked.path.endswith(path)]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(lambda loop, context: None)  # clients that leave are no news
        serving = asyncio.start_server(self._connected, sock=self._socket)
        server = self._loop.run_until_complete(serving)
        try:
            self._loop.run_forever()
        finally:
            server.close()
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def _stop(self) -> None:
        self._loop.stop()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await _request(reader)) is not None:
                self.asked.append(asked)
                step = self._script(asked, len(self.asked) - 1)
                self._at_once += 1
                self.most_at_once = max(self.most_at_once, self._at_once)
                try:
                    await asyncio.sleep(step.delay_s)
                finally:
                    self._at_once -= 1
                if not await _answered(writer, asked, step):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            writer.close()


async def _request(reader: asyncio.StreamReader) -> Asked | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    headers = {name.lower(): value for name, value in headers.items()}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(first.split(" ")[1], json.loads(raw) if raw else {}, headers)


async def _answered(writer: asyncio.StreamWriter, asked: Asked, step: Step) -> bool:
    """Whether the connection stays open."""
    if step.hang_up:
        return False
    body = step.body if step.body is not None else _document(asked, step)
    as_stream = step.body is None and bool(asked.body.get("stream"))
    if as_stream:
        body = streamed(body)
    raw = (
        body
        if isinstance(body, bytes)
        else body.encode()
        if isinstance(body, str)
        else json.dumps(body).encode()
    )
    kind = HEADERS if as_stream else {"content-type": "application/json"}
    headers = {**kind, "content-length": str(len(raw)), **step.headers}
    head = f"HTTP/1.1 {step.status} Scripted\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers.items())
    writer.write(head.encode("latin-1") + b"\r\n")
    if step.cut:
        writer.write(raw[: len(raw) // 2])
        await writer.drain()
        return False
    if step.drip_s:
        for byte in raw:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(step.drip_s)
    else:
        writer.write(raw)
    await writer.drain()
    return True


def _document(asked: Asked, step: Step) -> dict[str, Any]:
    if asked.path.endswith(("/systemone", "/decisions")):
        return _decision(asked, step)
    return _response(asked, step) if asked.path.endswith("/responses") else _completion(asked, step)


def _completion(asked: Asked, step: Step) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text, "refusal": step.refusal}
    if step.calls:
        message["tool_calls"] = [
            {
                "id": wanted["id"],
                "type": "function",
                "function": {"name": wanted["name"], "arguments": wanted["arguments"]},
            }
            for wanted in step.calls
        ]
    finish = step.finish or ("tool_calls" if step.calls else "stop")
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
    }
    return document | _usage(step, ("prompt_tokens", "completion_tokens", "prompt_tokens_details"))


def _response(asked: Asked, step: Step) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    parts: list[dict[str, Any]] = []
    if step.text is not None:
        parts.append({"type": "output_text", "text": step.text, "annotations": []})
    if step.refusal is not None:
        parts.append({"type": "refusal", "refusal": step.refusal})
    if parts:
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": parts}
        )
    output += [
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": wanted["id"],
            "name": wanted["name"],
            "arguments": wanted["arguments"],
            "status": "completed",
        }
        for wanted in step.calls
    ]
    cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(step.finish or "")
    document = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": asked.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": cut} if cut else None,
        "error": None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    return document | _usage(step, ("input_tokens", "output_tokens", "input_tokens_details"))


def _decision(asked: Asked, step: Step) -> dict[str, Any]:
    options = asked.body["questions"]["next_action"]["criteria"]
    given = step.probabilities or {}
    answer = {
        "type": "choice",
        "choice": step.choice,
        "probabilities": {name: given.get(name, 0.0) for name in options},
        "confidence": max(given.values(), default=0.0),
    }
    document = {"model": asked.model, "answers": {"next_action": answer}}
    return document | _usage(step, ("input_tokens", "output_tokens", "input_tokens_details"))


def _usage(step: Step, names: tuple[str, str, str]) -> dict[str, Any]:
    if step.raw_usage is not None:
        return {"usage": step.raw_usage}
    if step.usage is None:
        return {}
    read, written, details = names
    used: dict[str, Any] = {read: step.usage["input"], written: step.usage["output"]}
    used["total_tokens"] = step.usage["input"] + step.usage["output"]
    if "cached" in step.usage:
        used[details] = {"cached_tokens": step.usage["cached"]}
    return {"usage": used}


def _in_order(steps: list[Step]) -> Script:
    lock = threading.Lock()
    waiting = iter(steps)

    def step(asked: Asked, number: int) -> Step:
        with lock:
            found = next(waiting, None)
        return found or fails(418, {"error": {"message": f"the script has no answer to request {number}"}})

    return step
