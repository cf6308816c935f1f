"""Rows of `adapters.py` for agents of frameworks: each framework alone with a constant tool, and through its adapter.

A run of a scripted model asks for ten calls in each of five answers and then replies; so many runs are made that the
calls add up. What the framework does by itself (messages, validation, its loop) is in both rows.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

ANSWERS = 5
AT_ONCE = 10
PER_RUN = ANSWERS * AT_ONCE
ARGS = {"id": "C-1"}
NAME = "crm_get"
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}


class Clock:
    """What is measured: wall time, or the processor time of this process with all its threads."""

    read: Callable[[], float] = time.perf_counter


def now() -> float:
    """Seconds on the clock."""
    return Clock.read()


def runs_in(calls: int, per_run: int = PER_RUN) -> int:
    """How many runs make at least so many calls."""
    return -(-calls // per_run)


async def per_call(calls: int, run: Callable[[], Awaitable[object]], *, per_run: int = PER_RUN) -> float:
    """Seconds that so many calls take, made in whole runs, after one run to warm up."""
    await run()
    runs = runs_in(calls, per_run)
    started = now()
    for _ in range(runs):
        await run()
    return (now() - started) * calls / (runs * per_run)


def pydantic_agent() -> Any:
    """An agent of pydantic-ai on its function model."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import RequestUsage

    def answer(messages: Any, info: Any) -> ModelResponse:
        asked = sum(isinstance(one, ModelResponse) for one in messages)
        usage = RequestUsage(input_tokens=1, output_tokens=1)
        if asked == ANSWERS:
            return ModelResponse(parts=[TextPart("done")], usage=usage)
        parts = [ToolCallPart(NAME, ARGS, tool_call_id=f"c{asked}_{n}") for n in range(AT_ONCE)]
        return ModelResponse(parts=parts, usage=usage)

    return Agent(FunctionModel(answer))


def sdk_agent(runs: int) -> Any:
    """An agent of the OpenAI Agents SDK on its scripted model, with a script for so many runs."""
    from agents import Agent
    from agents.testing import ScriptedModel, assistant_message, function_call

    once: list[Any] = [
        [function_call(NAME, ARGS, call_id=f"c{asked}_{n}") for n in range(AT_ONCE)]
        for asked in range(ANSWERS)
    ]
    return Agent(name="clerk", model=ScriptedModel([*once, [assistant_message("done")]] * (runs + 1)))


def graph(tools: Any) -> Any:
    """LangChain's agent on its scripted model, which begins again after its last answer."""
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
    from langchain_core.messages import AIMessage

    class Scripted(FakeMessagesListChatModel):
        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

    asked = [
        AIMessage(
            "", tool_calls=[{"name": NAME, "args": ARGS, "id": f"c{number}_{n}"} for n in range(AT_ONCE)]
        )
        for number in range(ANSWERS)
    ]
    return create_agent(Scripted(responses=[*asked, AIMessage("done")]), tools)


def pydantic_alone(calls: int) -> float:
    """pydantic-ai by itself."""
    agent = pydantic_agent()

    @agent.tool_plain(name=NAME)
    async def read(id: str) -> str:
        return "{}"

    return asyncio.run(per_call(calls, lambda: agent.run("Read C-1.")))


def sdk_alone(calls: int) -> float:
    """The OpenAI Agents SDK by itself."""
    from agents import FunctionTool, RunConfig, Runner

    async def read(context: Any, arguments: str) -> str:
        return "{}"

    agent = sdk_agent(runs_in(calls))
    agent.tools = [
        FunctionTool(
            name=NAME,
            description="",
            params_json_schema=SCHEMA,
            on_invoke_tool=read,
            strict_json_schema=False,
        )
    ]
    quiet = RunConfig(tracing_disabled=True)
    return asyncio.run(per_call(calls, lambda: Runner.run(agent, "Read C-1.", run_config=quiet)))


def graph_alone(calls: int) -> float:
    """LangGraph by itself; the graph is built for each run, as a factory does."""
    from langchain_core.tools import StructuredTool

    async def read(id: str) -> str:
        return "{}"

    tool = StructuredTool.from_function(coroutine=read, name=NAME, description="Read.", args_schema=SCHEMA)
    given = {"messages": [("user", "Read C-1.")]}
    return asyncio.run(per_call(calls, lambda: graph([tool]).ainvoke(given, config={"recursion_limit": 100})))


def through(agent: Any, calls: int, in_an_episode: Callable[[Any], float]) -> float:
    """The same runs through an adapter, in one episode."""

    def acting(task: Any, session: Any) -> float:
        return asyncio.run(per_call(calls, lambda: agent.act(task, session)))

    return in_an_episode(acting)


def pydantic_through(calls: int, in_an_episode: Callable[[Any], float]) -> float:
    """pydantic-ai in the world, given that one tool."""
    from company_lab.agents.pydantic_ai import pydantic_ai_agent

    return through(pydantic_ai_agent(pydantic_agent(), tools=["crm.get"]), calls, in_an_episode)


def sdk_through(calls: int, in_an_episode: Callable[[Any], float]) -> float:
    """The OpenAI Agents SDK in the world, given that one tool."""
    from company_lab.agents.openai_agents import openai_agents_agent

    return through(openai_agents_agent(sdk_agent(runs_in(calls)), tools=["crm.get"]), calls, in_an_episode)


def graph_through(calls: int, in_an_episode: Callable[[Any], float]) -> float:
    """LangGraph in the world, given that one tool."""
    from company_lab.agents.langgraph import langgraph_agent

    return through(langgraph_agent(graph, kind="test_model", tools=["crm.get"]), calls, in_an_episode)
