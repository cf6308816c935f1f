"""Pieces of a streamed chat completion: texts one after another, calls by their index, usage from the last."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.agents.chat_streams import BadAnswer
from company_lab.formats.canonical import Json, NotJson, parse


class _Call:
    """A call while its pieces come."""

    def __init__(self) -> None:
        self.id: str | None = None
        self.name = ""
        self.arguments: list[str] = []
        self.given: Json = None
        """Arguments that came as they are, from hosts that send no text."""

    def whole(self) -> bool:
        """Whether its arguments have all come: an object that can not go on."""
        if self.given is not None:
            return True
        try:
            return isinstance(parse("".join(self.arguments)), dict)
        except NotJson:
            return False

    def document(self) -> Json:
        arguments = "".join(self.arguments) if self.given is None else self.given
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": arguments},
        }


class CompletionPieces:
    """See `Pieces`."""

    def __init__(self) -> None:
        self.finished = False
        self.last = False
        self._said: list[str] = []
        self._refused: list[str] = []
        self._calls: list[_Call] = []
        self._by_index: dict[int | None, _Call] = {}
        self._begun = False
        self._finish: str | None = None
        self._top: dict[str, Json] = {}

    def add(self, event: str, piece: dict[str, Json]) -> None:
        """See `Pieces`."""
        for name in ("model", "usage"):  # of counts that go on, the last one stands
            if piece.get(name):
                self._top[name] = piece[name]
        choices = piece.get("choices") or []
        if not isinstance(choices, list):
            raise BadAnswer("the choices of a piece are no list")
        for choice in choices:
            if not isinstance(choice, dict):
                raise BadAnswer("a choice of a piece is no object")
            if choice.get("index") in (0, None):
                self._choice(choice)

    def text(self) -> str:
        """See `Pieces`."""
        return "".join(self._said or self._refused)

    def whole(self) -> Json:
        """See `Pieces`."""
        if not self._begun:
            raise BadAnswer("the stream ended before an answer began")
        if not self.finished:
            raise BadAnswer("the stream ended in the middle of an answer")
        message: dict[str, Json] = {
            "role": "assistant",
            "content": "".join(self._said),
            "refusal": "".join(self._refused) or None,
        }
        if self._calls:
            message["tool_calls"] = [call.document() for call in self._calls]
        return {**self._top, "choices": [{"index": 0, "message": message, "finish_reason": self._finish}]}

    def _choice(self, choice: Mapping[str, Json]) -> None:
        self._begun = True
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish, self.finished = finish, True
        delta = choice.get("delta") or {}
        if not isinstance(delta, dict):
            raise BadAnswer("a delta is no object")
        self._said += _texts(delta.get("content"))
        if isinstance(refusal := delta.get("refusal"), str):
            self._refused.append(refusal)
        calls = delta.get("tool_calls") or []
        if not isinstance(calls, list):
            raise BadAnswer("the tool calls of a delta are no list")
        old = delta.get("function_call")
        for item in [*calls, *([{"index": 0, "function": old}] if old else [])]:
            if not isinstance(item, dict):
                raise BadAnswer("a piece of a tool call is no object")
            self._call(item)

    def _call(self, item: Mapping[str, Json]) -> None:
        function = item.get("function") or {}
        if not isinstance(function, dict):
            raise BadAnswer("a piece of a tool call names no function")
        id, name = item.get("id"), function.get("name")
        arguments = function.get("arguments")
        call = self._belongs(item.get("index"), id, name, arguments)
        if isinstance(id, str) and id:
            call.id = id
        if isinstance(name, str) and name != call.name:  # some hosts say it again with each piece
            call.name += name
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif arguments is not None:
            call.given = arguments

    def _belongs(self, index: Json, id: Json, name: Json, arguments: Json) -> _Call:
        """The call a piece belongs to: that of its index, or without one the last.

        Some hosts number all their calls 0, or give them all one id or none. So a piece that brings another id and a
        name begins another call, and so does one with a name and arguments after those of the call are whole.
        """
        call = self._calls[-1] if index is None and self._calls else self._by_index.get(_number(index))
        another = call is not None and bool(
            name
            and (
                (id and call.id and id != call.id)
                or (index is None and not id and call.name)
                or (arguments not in (None, "") and call.whole())
            )
        )
        if call is None or another:
            call = _Call()
            self._calls.append(call)
            self._by_index[_number(index)] = call
        return call


def _number(index: Json) -> int | None:
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _texts(content: Json) -> list[str]:
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [text_of_part(part) for part in content]
    raise BadAnswer(f"its content is a {type(content).__name__}")


def text_of_part(part: Json) -> str:
    """The text of one part of a content that comes in parts; nothing where it is no text, such as a thought."""
    if not isinstance(part, dict) or part.get("type") not in (None, "text", "output_text", "refusal"):
        return ""
    text = part.get("refusal" if part.get("type") == "refusal" else "text")
    return text if isinstance(text, str) else ""
