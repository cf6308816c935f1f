"""MCP lines: one client that sends a message a line, as over stdio."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from company_lab.agents.mcp_arrivals import Arrival, Arrivals
from company_lab.agents.mcp_messages import (
    INVALID_REQUEST,
    Read,
    Wrong,
    id_of,
    read_message,
    read_overlong,
)

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData

_MOST_OPEN = 100
"""Requests of one client that wait for their answer before the next is read."""
_CANCELLED = "notifications/cancelled"


async def serve_lines(
    server: Server[Any], arrivals: Arrivals, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Serve one client until it closes the stream. `reader` has the limit `LONGEST`."""
    import anyio
    from mcp.shared.message import SessionMessage

    said, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    answers, answered = anyio.create_memory_object_stream[SessionMessage](0)
    client = _Client(arrivals, writer)

    async def listen() -> None:
        async with said:
            while (read := await _next(reader)) is not None:
                message = await client.judged(read)
                if message is not None:
                    await said.send(message)
            # Whoever leaves without waiting has attempted what was sent all the same.
            await client.settled()

    async def speak() -> None:
        async with answered:
            async for message in answered:
                await client.tell(message)

    async with anyio.create_task_group() as group:
        group.start_soon(listen)
        group.start_soon(speak)
        await server.run(heard, answers, server.create_initialization_options())
        group.cancel_scope.cancel()


class _Client:
    """One client: what it has asked for and not been told yet."""

    def __init__(self, arrivals: Arrivals, writer: asyncio.StreamWriter) -> None:
        self._arrivals = arrivals
        self._writer = writer
        self._open = 0
        self._fewer = asyncio.Event()
        self._calls: defaultdict[object, list[Arrival]] = defaultdict(list)
        """By the id of their request. Ids may stand twice: each is a call."""

    async def judged(self, read: Read) -> SessionMessage | None:
        """Deal with a message that can not be handed on; the message, where it can."""
        import mcp_types as types
        from mcp.shared.message import SessionMessage
        from pydantic import ValidationError

        if read.wrong is not None:
            await self._refuse(read, read.wrong)
            return None
        message = read.message or {}
        if message.get("method") == _CANCELLED:
            return None  # nothing here is given up: what has arrived is carried out
        arrival = self._arrivals.enter(read.calls[0]) if read.calls else None
        try:
            sent = types.jsonrpc_message_adapter.validate_python(
                message if arrival is None else arrival.marked(message), by_name=False
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            wrong = Wrong(code=INVALID_REQUEST, text=f"no message of JSON-RPC: {first}", id=id_of(message))
            if arrival is not None:
                await self._arrivals.write_down(arrival, wrong.text)
            await self._send(json.dumps(wrong.answer()))
            return None
        if isinstance(sent, types.JSONRPCRequest):
            await self._fewer_than(_MOST_OPEN)
            self._open += 1
            if arrival is not None:
                self._calls[sent.id].append(arrival)
        return SessionMessage(sent)

    async def _refuse(self, read: Read, wrong: Wrong) -> None:
        for call in read.calls:
            await self._arrivals.write_down(self._arrivals.enter(call), wrong.text)
        if wrong.answered:
            await self._send(json.dumps(wrong.answer()))

    async def _fewer_than(self, most: int) -> None:
        while self._open >= most:
            self._fewer.clear()
            await self._fewer.wait()

    async def tell(self, answer: SessionMessage) -> None:
        """Send an answer of the SDK; a call that it has turned away is recorded before."""
        import mcp_types as types

        message = answer.message
        if isinstance(message, (types.JSONRPCResponse, types.JSONRPCError)):
            self._open -= 1
            self._fewer.set()
            await self._answered(message.id, getattr(message, "error", None))
        await self._send(message.model_dump_json(by_alias=True, exclude_unset=True))

    async def _answered(self, id: object, error: ErrorData | None) -> None:
        calls = self._calls.get(id)
        if calls is None:
            return
        turned_away = None if error is None else next((call for call in calls if not call.taken), None)
        if error is not None and turned_away is not None:
            await self._arrivals.write_down(turned_away, error.message)
        left = [call for call in calls if not call.done.is_set()]
        if left:
            self._calls[id] = left
        else:
            del self._calls[id]

    async def settled(self) -> None:
        """Wait until every call has been dealt with and every request answered."""
        await self._fewer_than(1)

    async def _send(self, text: str) -> None:
        self._writer.write(text.encode() + b"\n")
        with suppress(ConnectionError):
            await self._writer.drain()


async def _next(reader: asyncio.StreamReader) -> Read | None:
    """The next message; None at the end. Empty lines are none."""
    while True:
        head, size = b"", 0
        try:
            while True:
                try:
                    line = await reader.readuntil()
                    break
                except asyncio.LimitOverrunError as over:
                    part = await reader.readexactly(over.consumed)
                    head, size = head or part, size + len(part)
        except asyncio.IncompleteReadError as end:
            line = end.partial
            if not line and not size:
                return None
        except ConnectionError:
            return None
        if size:
            return read_overlong(head, size + len(line))
        if not line.isspace():
            return read_message(line)
