"""One turn of an agent of the OpenAI Agents SDK: clones with the world's tools, whose models are watched."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import agents
from agents.exceptions import (
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailTripwireTriggered,
)
from agents.items import ModelResponse
from agents.tool_context import ToolContext

from company_lab.agents.chat_failures import HostFailure
from company_lab.agents.chat_usage import UNKNOWN, Used, counted
from company_lab.agents.framework_failures import failure_behind
from company_lab.agents.framework_models import SeenModel, end_of
from company_lab.agents.framework_texts import plain, spoken
from company_lab.agents.framework_turns import AskedCall, FrameworkTurn
from company_lab.agents.openai_agents_models import WatchedProvider, Watcher, fleet_of, watched
from company_lab.formats.canonical import Json, canonical
from company_lab.formats.errors import WrongUse
from company_lab.formats.secrets import conceal

_WHAT = "the model of the OpenAI Agents SDK"
_TRIPWIRES = (
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailTripwireTriggered,
)
"""How a guardrail of the agent's own ends its run: what it kept from being done was no attempt."""


async def played(
    agent: agents.Agent[Any],
    turn: FrameworkTurn,
    *,
    config: agents.RunConfig,
    context: object,
    max_turns: int,
    keep_own_tools: bool,
) -> str:
    """The reply of the agent to one turn. Raises `Infrastructure` where its model's host gave no answer."""
    recorder = Recorder(turn)
    clones = Clones(agent, world_tools(turn, recorder), recorder, keep_own_tools=keep_own_tools)
    seeing = dataclasses.replace(
        config,
        model=watched(config.model, recorder),
        model_provider=WatchedProvider(config.model_provider, recorder),
    )
    conversation = turn.conversation()
    begins = clones.by_name.get(_last_agent(turn), clones.first)
    given: Any = [*conversation, {"role": "user", "content": turn.prompt(conversation)}]
    while True:
        try:
            result = await agents.Runner.run(
                begins, given, context=context, max_turns=max_turns, hooks=recorder, run_config=seeing
            )
        except Exception as error:
            failure = recorder.failure(error)
            if failure is None:
                raise
            raise end_of(failure, _WHAT) from error
        if not result.interruptions:
            recorder.settle()
            used = result.context_wrapper.usage
            turn.overlooked(input_tokens=used.input_tokens, output_tokens=used.output_tokens)
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


def world_tools(turn: FrameworkTurn, recorder: Recorder) -> list[agents.Tool]:
    """The world's tools. What was not executed is told as text: an exception would end the SDK's run."""

    def tool(name: str) -> agents.FunctionTool:
        offer = turn.names.offers[name]

        async def invoke(context: ToolContext[Any], arguments: str) -> str:
            id = context.tool_call_id or None
            recorder.carries_out(name, id)
            came, _ = turn.tool(name, arguments, id=id)
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

    def __init__(
        self, agent: agents.Agent[Any], tools: list[agents.Tool], watcher: Watcher, *, keep_own_tools: bool
    ) -> None:
        self._tools = tools
        self._watcher = watcher
        self._keep = keep_own_tools
        self._made: dict[int, agents.Agent[Any]] = {}
        self.first = self._clone(agent)
        self.by_name = {clone.name: clone for clone in reversed(list(self._made.values()))}

    def _clone(self, agent: agents.Agent[Any]) -> agents.Agent[Any]:
        if id(agent) not in self._made:
            own = list(agent.tools) if self._keep else []
            if both := {tool.name for tool in own} & {tool.name for tool in self._tools}:
                raise WrongUse(
                    f"the agent's own tool {min(both)} is called as one of the world's is; "
                    "give that one another name with aliases="
                )
            clone = agent.clone(
                tools=[*own, *self._tools],
                mcp_servers=list(agent.mcp_servers) if self._keep else [],
                model=watched(agent.model, self._watcher),
            )
            self._made[id(agent)] = clone
            # A handoff made by hand is a closure over its agent and hands over to that one, with its own tools.
            clone.handoffs = [
                self._clone(to) if isinstance(to, agents.Agent) else to for to in agent.handoffs
            ]
        return self._made[id(agent)]


class Recorder(agents.RunHooks[Any]):
    """Writes down every answer of a model, with every call it asks for, before any is carried out."""

    def __init__(self, turn: FrameworkTurn) -> None:
        self._turn = turn
        self._asked: SeenModel | None = None
        """Whom no answer has come from yet."""
        self._failed: HostFailure | None = None
        """The failure of the last request."""
        self._open: list[AskedCall] = []
        """Calls of the world's tools in an answer that the SDK has not accepted yet."""
        self._due: list[AskedCall] = []
        """Those in the answer it accepted last that it has not carried out yet."""

    async def on_llm_start(
        self,
        context: agents.RunContextWrapper[Any],
        agent: agents.Agent[Any],
        system_prompt: str | None,
        input_items: list[Any],
    ) -> None:
        """See `RunHooks`. What was to be carried out of the answer before has been by now."""
        self.settle()
        self._turn.keep(lambda: _listed(input_items))

    async def on_llm_end(
        self, context: agents.RunContextWrapper[Any], agent: agents.Agent[Any], response: ModelResponse
    ) -> None:
        """See `RunHooks`. From here on the SDK carries the answer out."""
        self._due, self._open = self._open, []

    def carries_out(self, name: str, id: str | None) -> None:
        """Know that the SDK uses a tool of the world."""
        for place, call in enumerate(self._due):
            if (call.name, call.id) == (name, id):
                del self._due[place]
                return

    def settle(self, why: str = "it takes a call for one it has carried out under the same id") -> None:
        """Record the calls of an accepted answer that the SDK passed over, with nothing said to anybody."""
        calls, self._due = self._due, []
        for call in calls:
            self._turn.attempt_refused(call, f"the OpenAI Agents SDK did not carry it out: {why}")

    @asynccontextmanager
    async def asking(self, seen: SeenModel) -> AsyncIterator[None]:
        """See `Watcher`."""
        try:
            async with self._turn.paced(seen.host, model=seen.name):
                self._asked = seen
                yield
        except Exception as error:
            self._asked = None
            self._failed = failure_behind(error)
            failure = self._failed or HostFailure(what=conceal(_told(error)))
            self._turn.unanswered(model=seen.name, failure=failure)
            raise

    def answered(self, seen: SeenModel, output: Sequence[Any], usage: Any, offered: Iterable[str]) -> None:
        """See `Watcher`."""
        self._asked = self._failed = None
        calls = [
            AskedCall(name=item.name, arguments=item.arguments, id=item.call_id or None)
            for item in output
            if item.type == "function_call"
        ]
        self._turn.answered(
            model=seen.name, text=_text_of(output), calls=calls, used=_used_by(usage), url=seen.url
        )
        known = set(offered)
        for call in calls:
            if call.name not in known:
                self._turn.attempt_unknown(call.name, call.arguments, id=call.id)
        self._open = [call for call in calls if call.name in known and call.name in self._turn.names.offers]

    def failure(self, error: Exception) -> HostFailure | None:
        """What the run's exception says about a model's host; None where it says nothing about it."""
        if isinstance(error, agents.ModelTimeoutError):
            failure = HostFailure(what=_told(error), charged=True)
            if self._asked is not None:
                self._turn.unanswered(model=self._asked.name, failure=failure)
            return failure
        if self._failed is not None:
            return self._failed
        if not isinstance(error, _TRIPWIRES):
            for call in self._open:
                self._turn.attempt_refused(call, f"the OpenAI Agents SDK refused the answer: {_told(error)}")
            self.settle(_told(error))
        return None


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:500]


def _listed(items: list[Any]) -> list[Json]:
    found = plain(items)
    assert isinstance(found, list)
    return found


def _text_of(output: Sequence[Any]) -> str:
    parts = [part for item in output if item.type == "message" for part in item.content]
    return "".join(part.text if part.type == "output_text" else part.refusal for part in parts)


def _used_by(usage: Any) -> Used:
    if usage is None:
        return UNKNOWN
    details = usage.input_tokens_details
    return counted(
        input_tokens=usage.input_tokens,
        cached_tokens=details.cached_tokens,
        cache_write_tokens=getattr(details, "cache_write_tokens", None),
        output_tokens=usage.output_tokens,
    )


def quiet(config: agents.RunConfig | None, model: agents.Model | str | None) -> agents.RunConfig:
    """The run's configuration, with another model where one is given, and without the export of traces."""
    silent = dataclasses.replace(config or agents.RunConfig(), tracing_disabled=True)
    return silent if model is None else dataclasses.replace(silent, model=model)


def prompts_of(agent: agents.Agent[Any]) -> dict[str, str]:
    """The fixed instructions of an agent and of those it hands over to, by their names."""
    found: dict[str, str] = {}
    for one in fleet_of(agent):
        found.setdefault(one.name, one.instructions if isinstance(one.instructions, str) else "")
    return {name: text for name, text in found.items() if text}


def is_agent(found: object) -> bool:
    """Whether it is an agent of the SDK."""
    return isinstance(found, agents.Agent)
