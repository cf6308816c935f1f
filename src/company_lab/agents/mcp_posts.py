"""MCP posts: messages over HTTP, looked at before the SDK has them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from company_lab.agents.mcp_arrivals import Arrival, Arrivals
from company_lab.agents.mcp_messages import LONGEST, Read, Wrong, read_message, read_overlong
from company_lab.formats.canonical import NotJson, parse

Event: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Event]]
Send: TypeAlias = Callable[[Event], Awaitable[None]]
Handle: TypeAlias = Callable[[Any, Receive, Send], Awaitable[None]]

_MOST_HEARD = 16 * LONGEST
"""Bytes of a message that are listened to; most clients hear an answer only when they have said everything."""


async def answer_post(handle: Handle, arrivals: Arrivals, scope: Any, receive: Receive, send: Send) -> None:
    """Answer one request over HTTP, with `handle` of the SDK as far as that can read it."""
    if scope["method"] != "POST":
        await handle(scope, receive, send)
        return
    body, size, complete = await _heard(receive)
    read = read_message(body) if size <= LONGEST else read_overlong(body, size)
    if not complete:
        # The client has gone in the middle of what it said; nobody hears an answer.
        for call in read.calls:
            await arrivals.write_down(arrivals.enter(call), "the connection was closed before its end")
    elif read.wrong is not None and (read.calls or size > LONGEST):
        await _refuse(read, read.wrong, arrivals, send, 413 if size > LONGEST else 400)
    elif read.message is None or not read.calls:
        await handle(scope, _said(body, receive), send)
    else:
        arrival = arrivals.enter(read.calls[0])
        body = json.dumps(arrival.marked(read.message), separators=(",", ":")).encode("ascii")
        answering = _Answering(arrival, arrivals, send)
        try:
            await handle(_with_length(scope, len(body)), _said(body, receive), answering.send)
        finally:
            if not arrival.taken:
                # The client has gone before it was looked at; it is carried out like any other that has arrived.
                await arrivals.carry_out(arrival)


class _Answering:
    """Passes an answer of the SDK on. A call that it turns away is recorded before anybody hears of that."""

    def __init__(self, arrival: Arrival, arrivals: Arrivals, send: Send) -> None:
        self._arrival = arrival
        self._arrivals = arrivals
        self._send = send
        self._start: Event | None = None

    async def send(self, event: Event) -> None:
        if event["type"] == "http.response.start" and not self._arrival.taken:
            self._start = event
            return
        if self._start is not None:
            start, self._start = self._start, None
            if not self._arrival.taken:
                await self._arrivals.write_down(self._arrival, _why(start["status"], event.get("body", b"")))
            await self._send(start)
        await self._send(event)


def _why(status: int, body: bytes) -> str:
    try:
        found: Any = parse(body)
        return f"{found['error']['message']} (HTTP {status})"
    except (NotJson, TypeError, KeyError):
        return f"HTTP {status}"


async def _refuse(read: Read, wrong: Wrong, arrivals: Arrivals, send: Send, status: int) -> None:
    for call in read.calls:
        await arrivals.write_down(arrivals.enter(call), wrong.text)
    body = json.dumps(wrong.answer(), separators=(",", ":")).encode("ascii")
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode("ascii"))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _heard(receive: Receive) -> tuple[bytes, int, bool]:
    """The body of a request as far as it is kept, its size, and whether the client stayed until its end."""
    parts: list[bytes] = []
    size = 0
    more = True
    while more and size <= _MOST_HEARD:
        event = await receive()
        if event["type"] == "http.disconnect":
            return b"".join(parts), size, False
        part = event.get("body", b"")
        if size <= LONGEST:
            parts.append(part)
        size += len(part)
        more = event.get("more_body", False)
    return b"".join(parts), size, True


def _said(body: bytes, receive: Receive) -> Receive:
    """Says a body once more, then whatever comes."""
    left = [body]

    async def again() -> Event:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again


def _with_length(scope: Any, length: int) -> Any:
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    return {**scope, "headers": [*headers, (b"content-length", str(length).encode("ascii"))]}
