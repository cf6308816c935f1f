"""Pieces of a streamed response: items by their place in the output; the event that ends it holds the whole."""

from __future__ import annotations

from company_lab.agents.chat_streams import BadAnswer
from company_lab.formats.canonical import Json

_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_DELTAS = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
}


class ResponsePieces:
    """See `Pieces`."""

    def __init__(self) -> None:
        self.finished = False
        self.last = False
        self._response: dict[str, Json] | None = None
        self._items: dict[int, dict[str, Json]] = {}
        self._ended: set[int] = set()
        self._before: list[Json] = []
        """Items whose place another one took: some hosts give all of them one place."""
        self._said: list[str] = []

    def add(self, event: str, piece: dict[str, Json]) -> None:
        """See `Pieces`."""
        kind = str(piece.get("type") or event)
        if kind in _ENDS:
            response = piece.get("response")
            if not isinstance(response, dict):
                raise BadAnswer(f"{kind} holds no response")
            self._response = response
            self.finished = self.last = True
        elif kind in ("response.output_item.added", "response.output_item.done"):
            item = piece.get("item")
            if not isinstance(item, dict):
                raise BadAnswer(f"{kind} holds no item")
            self._item(_place(piece), item, ended=kind.endswith("done"))
        elif kind in _DELTAS:
            item, name = self._items.setdefault(_place(piece), {}), _DELTAS[kind]
            item[name] = f"{item.get(name) or ''}{_delta(piece, kind)}"
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            self._said.append(_delta(piece, kind))

    def text(self) -> str:
        """See `Pieces`."""
        return "".join(self._said)

    def whole(self) -> Json:
        """See `Pieces`."""
        if self._response is None:
            begun = "in the middle of an answer" if self._items or self._said else "before an answer began"
            raise BadAnswer(f"the stream ended {begun}")
        if self._response.get("output") or not self._items:
            return self._response
        items: list[Json] = [*self._before, *(self._items[place] for place in sorted(self._items))]
        return {**self._response, "output": items}  # some hosts end with a response without its output

    def _item(self, place: int, item: dict[str, Json], *, ended: bool) -> None:
        if place in self._ended and (not ended or item.get("call_id") != self._items[place].get("call_id")):
            self._before.append(self._items[place])
            self._ended.discard(place)
        self._items[place] = dict(item)
        if ended:
            self._ended.add(place)


def _place(piece: dict[str, Json]) -> int:
    place = piece.get("output_index")
    return place if isinstance(place, int) and not isinstance(place, bool) else 0


def _delta(piece: dict[str, Json], kind: str) -> str:
    delta = piece.get("delta")
    if not isinstance(delta, str):
        raise BadAnswer(f"the delta of {kind} is no text")
    return delta
