"""The same scripted agent in each framework, on that framework's own scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

from company_lab.agents.langgraph import langgraph_agent
from company_lab.agents.openai_agents import openai_agents_agent
from company_lab.agents.protocol import Agent
from company_lab.agents.pydantic_ai import pydantic_ai_agent
from company_lab.scenarios.model import ConductTurn


@dataclass(frozen=True)
class Wanted:
    """A call a scripted model asks for."""

    tool: str
    args: dict[str, Any] | str
    id: str | None = None


@dataclass(frozen=True)
class Says:
    """One answer of a scripted model."""

    text: str = ""
    calls: tuple[Wanted, ...] = ()
    used: tuple[int, int] | None = None
    cached: int = 0
    """How many of the tokens that were read came from a cache."""
    after_s: float = 0.0
    """How long the model takes to say it."""


Script = Sequence[Says | Exception]


@dataclass
class Scripted:
    """An agent on a scripted model, and what the model was sent: one text for each request."""

    agent: Agent
    sent: list[str] = field(default_factory=list)


def replaying(turns: Iterable[ConductTurn]) -> list[Says]:
    """What a model says that works through the turns of a conduct, one call at a time."""
    script: list[Says] = []
    for turn in turns:
        for step in turn.do:
            call = Wanted(step.tool.replace(".", "_"), dict(step.args), id=f"call_{len(script)}")
            script.append(Says(calls=(call,)))
        script.append(Says(text=turn.reply or ""))
    return script


def in_pydantic_ai(script: Script, **given: Any) -> Scripted:
    """An agent of pydantic-ai on its `FunctionModel`."""
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import RequestUsage

    left = chain(script, repeat(Says()))
    sent: list[str] = []

    async def answer(messages: Any, info: Any) -> ModelResponse:
        told = ModelMessagesTypeAdapter.dump_python(messages, mode="json")
        sent.append(json.dumps(told, ensure_ascii=False, separators=(",", ":")))
        step = next(left)
        if isinstance(step, Exception):
            raise step
        parts: list[Any] = [TextPart(step.text)] if step.text or not step.calls else []
        parts += [
            ToolCallPart(call.tool, call.args, tool_call_id=call.id)
            if call.id
            else ToolCallPart(call.tool, call.args)
            for call in step.calls
        ]
        read, written = step.used or (0, 0)
        usage = RequestUsage(input_tokens=read, output_tokens=written, cache_read_tokens=step.cached)
        await asyncio.sleep(step.after_s)
        return ModelResponse(parts=parts, usage=usage, finish_reason="stop")

    options = {name: given.pop(name) for name in ("output_type", "instructions") if name in given}
    agent: Any = PydanticAgent(FunctionModel(answer, model_name="scripted"), name="desk", **options)
    return Scripted(pydantic_ai_agent(agent, **given), sent)


def in_openai_agents(script: Script, **given: Any) -> Scripted:
    """An agent of the OpenAI Agents SDK on its `ScriptedModel`."""
    from agents import Agent as SdkAgent
    from agents import ModelResponse, Usage
    from agents.testing import ScriptedModel, assistant_message, function_call
    from openai.types.responses.response_usage import InputTokensDetails

    def output(step: Says) -> ModelResponse:
        items: list[Any] = [assistant_message(step.text)] if step.text or not step.calls else []
        items += [
            function_call(call.tool, call.args, call_id=call.id or f"call_{number}")
            for number, call in enumerate(step.calls)
        ]
        read, written = step.used or (0, 0)
        usage = Usage(
            requests=1,
            input_tokens=read,
            input_tokens_details=InputTokensDetails(cached_tokens=step.cached, cache_write_tokens=0),
            output_tokens=written,
            total_tokens=read + written,
        )
        return ModelResponse(output=items, usage=usage, response_id=None)

    class Model(ScriptedModel):
        async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
            step = next(waits)
            await asyncio.sleep(0 if isinstance(step, Exception) else step.after_s)
            return await super().get_response(*args, **options)

    steps = [*script, *[Says()] * 8]  # after its script a model says nothing, as a conduct does
    waits = iter(steps)
    model = Model([one if isinstance(one, Exception) else output(one) for one in steps])
    instructions = given.pop("instructions", None)
    agent: Any = SdkAgent(name="desk", model=model, instructions=instructions)
    sent: list[str] = Sent(lambda: [json.dumps(call.input, default=str) for call in model.calls])
    return Scripted(openai_agents_agent(agent, **given), sent)


class Sent(list[str]):
    """A list that is read anew whenever it is looked at."""

    def __init__(self, read: Callable[[], list[str]]) -> None:
        super().__init__()
        self._read = read

    def __getitem__(self, index: Any) -> Any:
        return self._read()[index]

    def __len__(self) -> int:
        return len(self._read())


def in_langgraph(script: Script, **given: Any) -> Scripted:
    """LangChain's `create_agent` on its scripted model."""
    from langchain.agents import create_agent
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, messages_to_dict
    from langchain_core.outputs import ChatGeneration, ChatResult

    left = chain(script, repeat(Says()))
    sent: list[str] = []

    waits: list[float] = []

    class ScriptedChat(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

        def _generate(self, messages: Any, *args: Any, **options: Any) -> ChatResult:
            sent.append(json.dumps(messages_to_dict(messages), default=str))
            step = next(left)
            if isinstance(step, Exception):
                raise step
            waits.append(step.after_s)
            return ChatResult(generations=[ChatGeneration(message=_message(step))])

        async def _agenerate(self, messages: Any, *args: Any, **options: Any) -> ChatResult:
            result = self._generate(messages)
            await asyncio.sleep(waits.pop(0) if waits else 0)
            return result

    def _message(step: Says) -> AIMessage:
        whole = [call for call in step.calls if isinstance(call.args, dict)]
        broken = [call for call in step.calls if isinstance(call.args, str)]
        used: Any = None
        if step.used:
            used = dict(zip(("input_tokens", "output_tokens"), step.used, strict=True))
            used["total_tokens"] = sum(step.used)
            if step.cached:
                used["input_token_details"] = {"cache_read": step.cached}
        return AIMessage(
            content=step.text,
            tool_calls=[
                {"name": call.tool, "args": call.args, "id": call.id or f"call_{number}"}
                for number, call in enumerate(whole)
            ],
            invalid_tool_calls=[
                {
                    "name": call.tool,
                    "args": str(call.args),
                    "id": call.id,
                    "error": None,
                    "type": "invalid_tool_call",
                }
                for call in broken
            ],
            usage_metadata=used,
        )

    prompt, middleware = given.pop("instructions", None), given.pop("middleware", ())
    model = ScriptedChat()

    def factory(tools: Any) -> Any:
        return create_agent(model, tools, system_prompt=prompt, middleware=middleware)

    return Scripted(
        langgraph_agent(factory, **{"kind": "test_model", "name": "langgraph:desk", **given}), sent
    )


FRAMEWORKS: dict[str, Callable[..., Scripted]] = {
    "pydantic-ai": in_pydantic_ai,
    "openai-agents": in_openai_agents,
    "langgraph": in_langgraph,
}
