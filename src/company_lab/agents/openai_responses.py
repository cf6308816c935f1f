"""OpenAI's responses, asked without storage at the host: each request carries the whole conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from company_lab.agents.chat_names import ToolNames
from company_lab.agents.chat_streams import BadAnswer
from company_lab.agents.chat_usage import read_usage
from company_lab.agents.openai_loop import (
    Item,
    ModelAnswer,
    call_of,
    spoken_arguments,
    spoken_name,
    tool_calling_agent,
)
from company_lab.agents.openai_responses_pieces import ResponsePieces
from company_lab.agents.protocol import Agent
from company_lab.formats.canonical import Json

_CUT = {"max_output_tokens": "length", "content_filter": "content_filter"}


def responses_agent(options: Mapping[str, Json]) -> Agent:
    """The agent that works with tools through `POST <base URL>/responses`."""
    return tool_calling_agent("openai-responses", Responses(), options, limit="max_output_tokens")


class Responses:
    """See `Format`."""

    path = "/responses"

    def request(self, system: str, tools: ToolNames, items: Sequence[Item]) -> dict[str, Json]:
        """See `Format`."""
        functions: list[Json] = [
            {
                "type": "function",
                "name": name,
                "description": offer.description,
                "parameters": offer.parameters,
                "strict": False,
            }
            for name, offer in tools.offers.items()
        ]
        return {"instructions": system, "input": list(items), "tools": functions, "store": False}

    def streamed(self, body: dict[str, Json]) -> dict[str, Json]:
        """See `Format`."""
        return {**body, "stream": True}  # the event that ends it says what was used

    def pieces(self) -> ResponsePieces:
        """See `Format`."""
        return ResponsePieces()

    def read(self, answer: Json) -> ModelAnswer:
        """See `Format`."""
        output = answer.get("output") if isinstance(answer, dict) else None
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise BadAnswer("it has no output")
        assert isinstance(answer, dict)
        status, model = answer.get("status"), answer.get("model")
        if status in ("failed", "cancelled", "queued", "in_progress"):
            said = answer.get("error")
            more = f" ({said.get('message')})" if isinstance(said, dict) and said.get("message") else ""
            raise BadAnswer(f"its status is {status}{more}")
        texts, refusals, calls = [], [], []
        for item in output:
            assert isinstance(item, dict)
            if item.get("type") == "message":
                texts += _parts(item, "output_text", "text")
                refusals += _parts(item, "refusal", "refusal")
            elif item.get("type") in ("function_call", "custom_tool_call"):
                calls.append(call_of(item.get("call_id"), item))
        details = answer.get("incomplete_details")
        why = details.get("reason") if isinstance(details, dict) else None
        return ModelAnswer(
            text="".join(texts),
            calls=tuple(calls),
            finish=str(why or status) if why or status else None,
            refusal="".join(refusals) or None,
            cut=_CUT.get(str(why), "length") if status == "incomplete" else None,
            used=read_usage(answer.get("usage")),
            model=model if isinstance(model, str) else None,
        )

    def said(self, text: str) -> Item:
        """See `Format`."""
        return {"role": "user", "content": text}

    def echo(self, answer: ModelAnswer, ids: Sequence[str]) -> list[Item]:
        """See `Format`."""
        items: list[Item] = []
        text = answer.text or answer.refusal
        if text:
            items.append({"role": "assistant", "content": text})
        items += [
            {
                "type": "function_call",
                "call_id": id,
                "name": spoken_name(call.name),
                "arguments": spoken_arguments(call.arguments),
            }
            for call, id in zip(answer.calls, ids, strict=True)
        ]
        return items

    def result(self, id: str, text: str) -> Item:
        """See `Format`."""
        return {"type": "function_call_output", "call_id": id, "output": text}


def _parts(item: Mapping[str, Json], kind: str, name: str) -> list[str]:
    content = item.get("content")
    found = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == kind and isinstance(part.get(name), str):
            found.append(str(part[name]))
    return found
