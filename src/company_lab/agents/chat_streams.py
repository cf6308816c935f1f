"""Streamed answers: server-sent events of a host, joined to the answer it would have sent whole.

The events are read by httpx2 itself. What is joined is read and kept exactly as an answer in one piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from company_lab.agents.chat_failures import HostFailure, failure_within
from company_lab.agents.chat_host import LONGEST_ANSWER
from company_lab.formats.canonical import Json, NotJson, boundary, parse

if TYPE_CHECKING:
    import httpx2

_DONE = "[DONE]"
_SHOWN = 200


class BadAnswer(Exception):
    """An answer that is none of its wire format: the host's failure, like a broken line."""


class Pieces(Protocol):
    """The pieces of one answer in one format, as they come."""

    finished: bool
    """Whether all that the model said has come, so that nothing which breaks afterwards takes it away."""
    last: bool
    """Whether nothing can follow that matters, and the host need not be listened to any longer."""

    def add(self, event: str, piece: dict[str, Json]) -> None:
        """Take the next piece; `event` is the name it came under. Raises `BadAnswer`."""
        ...

    def text(self) -> str:
        """What the model has said so far."""
        ...

    def whole(self) -> Json:
        """The answer as it would have come in one piece. Raises `BadAnswer` where its end is missing."""
        ...


async def read_pieces(
    response: httpx2.Response, pieces: Pieces, hide: Callable[[Json], Json]
) -> HostFailure | None:
    """Read a stream to its end, and say where the host itself reported a failure in it.

    `hide` takes the key out of what came before anything is cut off: of half a key nobody could tell that it is one.
    Raises `BadAnswer` for what is no piece of an answer, and what httpx2 raises for a connection that breaks.
    """
    import httpx2

    size = 0
    async for event in httpx2.EventSource(response, max_event_size=LONGEST_ANSWER):
        data = event.data.strip()
        size += len(data)
        if size > LONGEST_ANSWER:
            raise BadAnswer(f"it is longer than {LONGEST_ANSWER:,} bytes")
        if data == _DONE:
            pieces.finished = True
            return None
        if not data:  # an event of which only a name or an id came
            continue
        try:
            piece = hide(boundary(parse(data)))
        except NotJson as error:
            shown = str(hide(data))[:_SHOWN]
            raise BadAnswer(f"a piece of the stream is no JSON ({hide(str(error))}): {shown}") from None
        if not isinstance(piece, dict):
            raise BadAnswer(f"a piece of the stream is no object: {str(hide(data))[:_SHOWN]}")
        if event.event == "error" or piece.get("type") == "error" or piece.get("error"):
            return failure_within(piece, str(hide(data)))
        pieces.add(event.event, piece)
        if pieces.last:
            return None
    return None
