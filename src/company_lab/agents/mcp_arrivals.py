"""MCP arrivals: the tool calls of a world's clients, in order of arrival, each recorded exactly once.

A call is here from when its message has been read. Mostly the SDK hands it to its tool a moment later. Where it does
not, because the message comes before the handshake, say, or lacks a header, the attempt is written down all the same.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from company_lab.agents.mcp_answers import Reply
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_messages import Attempted, refused

ARRIVAL = "company-lab/arrival"
"""The key of a call's `_meta` under which the SDK carries the number of its arrival; clients have no say in it."""
_FAREWELL_S = 2.0
_Found = TypeVar("_Found")


@dataclass(slots=True, eq=False)
class Arrival:
    """One call that has arrived."""

    number: int
    call: Attempted
    before: asyncio.Event | None
    """Set when what arrived before has been dealt with."""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when this has."""
    taken: bool = False
    """Whether somebody has begun to deal with it."""

    def marked(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The message of the call with the number of its arrival."""
        params = message["params"]
        meta = {**params.get("_meta", {}), ARRIVAL: self.number}
        return {**message, "params": {**params, "_meta": meta}}


class Arrivals:
    """Where the calls of one world arrive. Belongs to the event loop that serves it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._last: asyncio.Event | None = None
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Arrival] = {}
        self._under_way: set[asyncio.Future[Any]] = set()

    def enter(self, call: Attempted) -> Arrival:
        """A call that has just arrived, behind all that arrived before."""
        arrival = Arrival(next(self._numbers), call, self._last)
        self._last = arrival.done
        self._waiting[arrival.number] = arrival
        return arrival

    def found(self, meta: object) -> Arrival | None:
        """The arrival of a call with this `_meta`; None for one that has come by another way, or was dealt with."""
        number = meta.get(ARRIVAL) if isinstance(meta, Mapping) else None
        arrival = self._waiting.get(number) if isinstance(number, int) else None
        return None if arrival is None or arrival.taken else arrival

    async def carry_out(self, arrival: Arrival) -> Reply:
        """Attempt the call when its turn has come, and say what came of it.

        It is carried out though nobody may wait for the answer any more: as it would be outside.
        """
        arrival.taken = True
        return await self._in_turn(partial(self._attempt, arrival), arrival.before, arrival.done)

    async def write_down(self, arrival: Arrival, why: str) -> Reply:
        """Record a call that nobody could carry out."""
        arrival.call = refused(arrival.call, why)
        return await self.carry_out(arrival)

    async def look(self) -> str:
        """The events since the last look, after everything that arrived before."""
        before, self._last = self._last, asyncio.Event()
        return await self._in_turn(self._desk.events, before, self._last)

    def _attempt(self, arrival: Arrival) -> Reply:
        call = arrival.call
        del self._waiting[arrival.number]
        return self._desk.call(self._desk.tool_of(call.names), call.args, by=call.by, hint=call.hint)

    async def _in_turn(
        self, work: Callable[[], _Found], before: asyncio.Event | None, done: asyncio.Event
    ) -> _Found:
        async def waited() -> _Found:
            try:
                if before is not None:
                    await before.wait()
                # On a thread, so that what does not come back holds up no other world on this event loop.
                return await asyncio.to_thread(work)
            finally:
                done.set()

        task = asyncio.ensure_future(waited())
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Let what has arrived be dealt with, as far as that takes no time to speak of."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                while self._under_way:
                    await asyncio.wait(set(self._under_way))
