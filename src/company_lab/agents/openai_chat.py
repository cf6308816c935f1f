"""OpenAI's chat completions, as Ollama, vLLM, llama.cpp and many hosted services speak them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from company_lab.agents.chat_names import ToolNames
from company_lab.agents.chat_streams import BadAnswer
from company_lab.agents.chat_usage import read_usage
from company_lab.agents.openai_chat_pieces import CompletionPieces, text_of_part
from company_lab.agents.openai_loop import (
    Call,
    Item,
    ModelAnswer,
    call_of,
    spoken_arguments,
    spoken_name,
    tool_calling_agent,
)
from company_lab.agents.protocol import Agent
from company_lab.formats.canonical import Json

PATH = "/chat/completions"


def chat_agent(options: Mapping[str, Json]) -> Agent:
    """The agent that works with tools through `POST <base URL>/chat/completions`."""
    return tool_calling_agent("openai-chat", ChatCompletions(), options, limit="max_tokens")


class ChatCompletions:
    """See `Format`."""

    path = PATH

    def request(self, system: str, tools: ToolNames, items: Sequence[Item]) -> dict[str, Json]:
        """See `Format`."""
        functions: list[Json] = [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": offer.description,
                    "parameters": offer.parameters,
                },
            }
            for name, offer in tools.offers.items()
        ]
        messages: list[Json] = [{"role": "system", "content": system}, *items]
        return {"messages": messages, "tools": functions}

    def streamed(self, body: dict[str, Json]) -> dict[str, Json]:
        """See `Format`."""
        return {**body, "stream": True, "stream_options": {"include_usage": True}}

    def pieces(self) -> CompletionPieces:
        """See `Format`."""
        return CompletionPieces()

    def read(self, answer: Json) -> ModelAnswer:
        """See `Format`."""
        return read_completion(answer)

    def said(self, text: str) -> Item:
        """See `Format`."""
        return {"role": "user", "content": text}

    def echo(self, answer: ModelAnswer, ids: Sequence[str]) -> list[Item]:
        """See `Format`."""
        item: Item = {"role": "assistant", "content": answer.text or answer.refusal or ""}
        if answer.calls:
            item["tool_calls"] = [
                {
                    "id": id,
                    "type": "function",
                    "function": {
                        "name": spoken_name(call.name),
                        "arguments": spoken_arguments(call.arguments),
                    },
                }
                for call, id in zip(answer.calls, ids, strict=True)
            ]
        return [item]

    def result(self, id: str, text: str) -> Item:
        """See `Format`."""
        return {"role": "tool", "tool_call_id": id, "content": text}


def read_completion(answer: Json) -> ModelAnswer:
    """What the first choice of a chat completion says. Raises `BadAnswer`."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadAnswer("it has no choices")
    assert isinstance(answer, dict)
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise BadAnswer("its first choice has no message")
    finish = choices[0].get("finish_reason")
    refusal, model = message.get("refusal"), answer.get("model")
    return ModelAnswer(
        text=_text(message.get("content")),
        calls=tuple(_calls(message)),
        finish=finish if isinstance(finish, str) else None,
        refusal=refusal if isinstance(refusal, str) and refusal else None,
        cut=finish if finish in ("length", "content_filter") else None,
        used=read_usage(answer.get("usage")),
        model=model if isinstance(model, str) else None,
    )


def _text(content: Json) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):  # some hosts answer in parts
        return "".join(text_of_part(part) for part in content)
    raise BadAnswer(f"its content is a {type(content).__name__}")


def _calls(message: Mapping[str, Json]) -> list[Call]:
    found: list[Call] = []
    calls = message.get("tool_calls")
    for item in calls if isinstance(calls, list) else []:
        if not isinstance(item, dict):
            raise BadAnswer("one of its tool calls is no object")
        function = item.get("function") or item.get("custom")
        if not isinstance(function, dict):
            raise BadAnswer("one of its tool calls has no function")
        found.append(call_of(item.get("id"), function))
    old = message.get("function_call")
    if not found and isinstance(old, dict):
        found.append(call_of(None, old))
    return found
