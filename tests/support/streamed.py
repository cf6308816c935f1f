"""Answers of a scripted model as the server-sent events of a host: texts and arguments in small pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

SIZE = 3
"""Characters of a piece."""
HEADERS = {"content-type": "text/event-stream; charset=utf-8"}


def events(pieces: Iterable[Any], *, done: bool = True) -> bytes:
    """A stream of these pieces; a text is sent as it is."""
    lines = [piece if isinstance(piece, str) else f"data: {json.dumps(piece)}\n\n" for piece in pieces]
    return "".join([*lines, *(["data: [DONE]\n\n"] if done else [])]).encode()


def delta(finish: str | None = None, **said: Any) -> dict[str, Any]:
    """A piece of a chat completion."""
    choice = {"index": 0, "delta": said, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}


def fragment(index: int | None, **function: Any) -> dict[str, Any]:
    """A piece of a call; `id` stands beside its function."""
    beside = {name: function.pop(name) for name in ("id",) if name in function}
    number = {} if index is None else {"index": index}
    return {**number, **beside, "function": function}


def streamed(document: Mapping[str, Any]) -> bytes:
    """A chat completion or a response, given whole, as a stream."""
    if "choices" in document:
        return events(_completion(document))
    return events(_response(document), done=False)


def _completion(document: Mapping[str, Any]) -> Iterator[Any]:
    choice = document["choices"][0]
    message = choice["message"]
    yield ": keep-alive\n\n"
    yield delta(role="assistant", content="")
    for name in ("content", "refusal"):
        for piece in _cut(message.get(name) or ""):
            yield delta(**{name: piece})
    calls = message.get("tool_calls", [])
    for index, call in enumerate(calls):
        name = call["function"]["name"]
        yield delta(tool_calls=[fragment(index, id=call["id"], name=name, arguments="")])
    # As many hosts do it, the pieces of several calls take turns.
    left = [(index, _cut(call["function"]["arguments"])) for index, call in enumerate(calls)]
    while any(pieces for _, pieces in left):
        for index, pieces in left:
            if pieces:
                yield delta(tool_calls=[fragment(index, arguments=pieces.pop(0))])
    yield delta(choice["finish_reason"])
    if "usage" in document:
        yield {"model": document["model"], "choices": [], "usage": document["usage"]}


def _response(document: Mapping[str, Any]) -> Iterator[Any]:
    begun = {**document, "status": "in_progress", "output": [], "usage": None}
    yield _named("response.created", response=begun)
    for place, item in enumerate(document["output"]):
        opened = {**item, **({"arguments": ""} if "arguments" in item else {"content": []})}
        yield _named("response.output_item.added", output_index=place, item=opened)
        for part in item.get("content", []):
            for piece in _cut(part.get("text", "")):
                yield _named("response.output_text.delta", output_index=place, delta=piece)
        for piece in _cut(item.get("arguments", "")):
            yield _named("response.function_call_arguments.delta", output_index=place, delta=piece)
        yield _named("response.output_item.done", output_index=place, item=item)
    yield _named(f"response.{document['status']}", response=document)


def _named(kind: str, **more: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"


def _cut(text: str) -> list[str]:
    return [text[start : start + SIZE] for start in range(0, len(text), SIZE)]
