"""One turn of an agent of the OpenAI Agents SDK: clones with the world's tools, and hooks that write down answers."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from typing import Any

import agents
from agents.items import ModelResponse
from agents.models._openai_shared import get_default_openai_client
from agents.models.default_models import get_default_model
from agents.testing import ScriptedModel
from agents.tool_context import ToolContext

from company_lab.agents.chat_failures import HostFailure
from company_lab.agents.chat_usage import UNKNOWN, Used
from company_lab.agents.framework_failures import failure_behind
from company_lab.agents.framework_turns import (
    AskedCall,
    FrameworkTurn,
    SeenModel,
    end_of,
    plain,
    spoken,
)
from company_lab.agents.pacing import Paced
from company_lab.agents.protocol import Infrastructure
from company_lab.formats.canonical import Json, canonical

_OPENAI = "https://api.openai.com/v1"
_WHAT = "the model of the OpenAI Agents SDK"


async def played(
    agent: agents.Agent[Any],
    turn: FrameworkTurn,
    *,
    seen: SeenModel,
    config: agents.RunConfig,
    context: object,
    max_turns: int,
    keep_own_tools: bool,
) -> str:
    """The reply of the agent to one turn. Raises `Infrastructure` where its model's host gave no answer."""
    clones = Clones(agent, world_tools(turn), keep_own_tools=keep_own_tools)
    recorder = Recorder(turn, seen)
    conversation = turn.conversation()
    begins = clones.by_name.get(_last_agent(turn), clones.first)
    given: Any = [*conversation, {"role": "user", "content": turn.prompt(conversation)}]
    while True:
        try:
            result = await agents.Runner.run(
                begins, given, context=context, max_turns=max_turns, hooks=recorder, run_config=config
            )
        except Exception as error:
            failure = await recorder.failure(error)
            if failure is None:
                raise
            raise end_of(failure, _WHAT) from error
        if not result.interruptions:
            kept = plain(result.to_input_list())
            assert isinstance(kept, list)
            turn.end(kept, {"agent": result.last_agent.name})
            return spoken(result.final_output)
        # The agent's own gate asks for a person, and here that is the world's guard: let it through to there.
        given = result.to_state()
        for asked in result.interruptions:
            given.approve(asked)


def _last_agent(turn: FrameworkTurn) -> str:
    memory = turn.session.memory
    return str(memory.get("agent", "")) if isinstance(memory, dict) else ""


def world_tools(turn: FrameworkTurn) -> list[agents.Tool]:
    """The world's tools. What was not executed is told as text: an exception would end the SDK's run."""

    def tool(name: str) -> agents.FunctionTool:
        offer = turn.names.offers[name]

        async def invoke(context: ToolContext[Any], arguments: str) -> str:
            came, _ = turn.tool(name, arguments, id=context.tool_call_id or None)
            return canonical(came)

        return agents.FunctionTool(
            name=name,
            description=offer.description,
            params_json_schema=offer.parameters,
            on_invoke_tool=invoke,
            strict_json_schema=False,
        )

    return [tool(name) for name in turn.names.offers]


class Clones:
    """An agent and all it hands over to, each with the world's tools."""

    def __init__(self, agent: agents.Agent[Any], tools: list[agents.Tool], *, keep_own_tools: bool) -> None:
        self._tools = tools
        self._keep = keep_own_tools
        self._made: dict[int, agents.Agent[Any]] = {}
        self.first = self._clone(agent)
        self.by_name = {clone.name: clone for clone in reversed(list(self._made.values()))}

    def _clone(self, agent: agents.Agent[Any]) -> agents.Agent[Any]:
        if id(agent) not in self._made:
            own = list(agent.tools) if self._keep else []
            clone = agent.clone(
                tools=[*own, *self._tools], mcp_servers=list(agent.mcp_servers) if self._keep else []
            )
            self._made[id(agent)] = clone
            # A handoff made by hand is a closure over its agent and hands over to that one, with its own tools.
            clone.handoffs = [
                self._clone(to) if isinstance(to, agents.Agent) else to for to in agent.handoffs
            ]
        return self._made[id(agent)]


class Recorder(agents.RunHooks[Any]):
    """Writes down every answer of the model, with every call it asks for, before any is carried out."""

    def __init__(self, turn: FrameworkTurn, seen: SeenModel) -> None:
        self._turn = turn
        self._seen = seen
        self._waits = False
        self._paced: Paced | None = None

    async def on_llm_start(
        self,
        context: agents.RunContextWrapper[Any],
        agent: agents.Agent[Any],
        system_prompt: str | None,
        input_items: list[Any],
    ) -> None:
        """See `RunHooks`."""
        self._turn.keep(lambda: _listed(input_items))
        if self._seen.host is not None:
            self._paced = self._turn.session.pace(self._seen.host)
            await self._paced.__aenter__()
        self._waits = True

    async def on_llm_end(
        self,
        context: agents.RunContextWrapper[Any],
        agent: agents.Agent[Any],
        response: ModelResponse,
    ) -> None:
        """See `RunHooks`."""
        self._waits = False
        calls = [
            AskedCall(name=item.name, arguments=item.arguments, id=item.call_id or None)
            for item in response.output
            if item.type == "function_call"
        ]
        self._turn.answered(
            model=self._seen.name, text=_text_of(response), calls=calls, used=_used_by(response)
        )
        known = set(_names(agent))
        for call in calls:
            if call.name not in known:
                self._turn.attempt_unknown(call.name, call.arguments, id=call.id)

    async def failure(self, error: Exception) -> HostFailure | None:
        """What the run's exception says about the model's host; None where it says nothing about it."""
        if not self._waits:
            return None
        failure = (
            HostFailure(what=str(error))
            if isinstance(error, agents.ModelTimeoutError)
            else failure_behind(error)
        )
        if failure is None:
            if isinstance(error, agents.ModelBehaviorError):  # an answer the SDK refused before it showed it
                self._turn.unanswered(model=self._seen.name, failure=HostFailure(what=str(error)))
            return None
        if self._paced is not None:  # everybody leaves the host alone for as long as it asked
            outage = Infrastructure(retry_after=failure.retry_after)
            await self._paced.__aexit__(Infrastructure, outage, None)
        self._turn.unanswered(model=self._seen.name, failure=failure)
        return failure


def _listed(items: list[Any]) -> list[Json]:
    found = plain(items)
    assert isinstance(found, list)
    return found


def _names(agent: agents.Agent[Any]) -> Iterator[str]:
    for tool in agent.tools:
        yield tool.name
    for to in agent.handoffs:
        yield to.tool_name if isinstance(to, agents.Handoff) else agents.Handoff.default_tool_name(to)


def _text_of(response: ModelResponse) -> str:
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    return "".join(part.text if part.type == "output_text" else part.refusal for part in parts)


def _used_by(response: ModelResponse) -> Used:
    usage = response.usage
    if not usage.input_tokens + usage.output_tokens:
        return UNKNOWN
    return Used(
        input_tokens=usage.input_tokens,
        cached_tokens=usage.input_tokens_details.cached_tokens,
        output_tokens=usage.output_tokens,
    )


def seen_model(model: agents.Model | str | None, config: agents.RunConfig | None) -> SeenModel:
    """Name, kind and address of a model, as far as they can be seen."""
    if isinstance(model, ScriptedModel):
        return SeenModel(name="ScriptedModel", kind="test_model")
    if model is None or isinstance(model, str):
        name = model or get_default_model()
        # A prefix names another provider, and a provider of one's own may be anything.
        own = "/" in name or (config is not None and type(config.model_provider) is not agents.MultiProvider)
        return SeenModel.at(None if own else _address(None), name=name, kind="real_model")
    ours = type(model).__module__.split(".")[:2] in (["agents", "models"], ["agents", "extensions"])
    client = getattr(model, "_client", None)
    return SeenModel.at(
        None if client is None else _address(client),
        name=str(getattr(model, "model", None) or type(model).__name__),
        kind="real_model" if ours else "undeclared",
    )


def _address(client: object) -> str:
    client = client or get_default_openai_client()
    url = getattr(client, "base_url", None) or os.environ.get("OPENAI_BASE_URL") or _OPENAI
    return str(url)


def quiet(config: agents.RunConfig | None, model: agents.Model | str | None) -> agents.RunConfig:
    """The run's configuration, with another model where one is given, and without the export of traces."""
    silent = dataclasses.replace(config or agents.RunConfig(), tracing_disabled=True)
    return silent if model is None else dataclasses.replace(silent, model=model)


def prompts_of(agent: agents.Agent[Any]) -> dict[str, str]:
    """The fixed instructions of an agent and of those it hands over to, by their names."""
    found: dict[str, str] = {}
    left = [agent]
    while left:
        one = left.pop(0)
        if one.name in found:
            continue
        found[one.name] = one.instructions if isinstance(one.instructions, str) else ""
        left += [to for to in one.handoffs if isinstance(to, agents.Agent)]
    return {name: text for name, text in found.items() if text}


def is_agent(found: object) -> bool:
    """Whether it is an agent of the SDK."""
    return isinstance(found, agents.Agent)
