"""One turn of a pydantic-ai agent: the world as its toolset, and a capability that writes down what its model says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai import (
    AbstractToolset,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    ToolDenied,
    ToolFailed,
    UnexpectedModelBehavior,
    UsageLimits,
)
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, ToolCallPart
from pydantic_ai.models import Model, ModelRequestContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import ToolsetTool
from pydantic_ai.usage import RunUsage

from company_lab.agents.chat_usage import UNKNOWN, Used, counted
from company_lab.agents.framework_failures import failure_behind
from company_lab.agents.framework_models import SeenModel, end_of
from company_lab.agents.framework_texts import plain, spoken
from company_lab.agents.framework_turns import AskedCall, FrameworkTurn
from company_lab.formats.canonical import Json, NotJson, canonical, parse

_OWN_ID = "pyd_ai_"
"""How ids begin that the framework draws where a model gave none; they differ from run to run."""
_VOLATILE = frozenset(
    {
        "timestamp",
        "run_id",
        "conversation_id",
        "provider_response_id",
        "usage",
        "metadata",
        "provider_details",
    }
)
_ELSEWHERE = "this tool runs elsewhere and can not be used here"
_UNDECIDED = "nobody has decided about this yet; it still waits for a person"


class Supplied(dict[str, Any]):
    """Arguments with the text the model wrote them as."""

    raw: str


class AsSupplied:
    """Lets arguments through as they are: what is wrong with them is for the world to say, and to record."""

    def validate_json(self, input: str | bytes | bytearray, **options: Any) -> Supplied:
        """The arguments of a JSON text; none, but its text, where it is not JSON."""
        text = input if isinstance(input, str) else bytes(input).decode("utf-8", "replace")
        try:
            read: Json = parse(text)
        except NotJson:
            read = None
        supplied = Supplied(read if isinstance(read, dict) else {})
        supplied.raw = text
        return supplied

    def validate_python(self, input: Any, **options: Any) -> Any:
        """The same arguments."""
        return input


class WorldToolset(AbstractToolset[Any]):
    """The world's tools."""

    def __init__(self, turn: FrameworkTurn, *, defers: bool) -> None:
        self._turn = turn
        self._defers = defers
        self.held: dict[str, str] = {}
        """Approvals that calls wait for, by call id."""
        self.empty: set[str] = set()
        """Ids of calls in the last answer whose arguments are an empty text, which the library takes for `{}`."""
        self.open: list[AskedCall] = []
        """Calls of the world's tools in an answer of which nothing has been carried out yet."""
        self._tools = {
            name: ToolsetTool[Any](
                toolset=self,
                tool_def=ToolDefinition(
                    name=name, description=offer.description, parameters_json_schema=offer.parameters
                ),
                max_retries=1,
                args_validator=AsSupplied(),
            )
            for name, offer in turn.names.offers.items()
        }

    @property
    def id(self) -> str:
        """See `AbstractToolset`."""
        return "company-lab"

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """See `AbstractToolset`."""
        return self._tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Attempt it in the world. What was not executed the model is told as a failed result."""
        self.open = []
        args = tool_args.raw if isinstance(tool_args, Supplied) else tool_args
        if args == "{}" and ctx.tool_call_id in self.empty:
            args = ""
        came = self._turn.attempt(name, args, id=_hint(ctx.tool_call_id))
        if came["status"] == "held" and self._defers and not ctx.tool_call_approved and ctx.tool_call_id:
            self.held[ctx.tool_call_id] = _approval_of(came)
            raise ApprovalRequired(metadata={"reason": came.get("reason")})
        self._turn.add_events(came)
        if came["status"] != "executed":
            raise ToolFailed(canonical(came))
        return came


class Recorder(AbstractCapability[Any]):
    """Writes down every answer of the model, with every call it asks for, before any is carried out."""

    def __init__(self, turn: FrameworkTurn, toolset: WorldToolset, models: Sequence[SeenModel]) -> None:
        self._turn = turn
        self._toolset = toolset
        self._host = models[0].host
        self._urls = {model.name: model.url for model in models}
        self.failed: Exception | None = None
        """The failure of the last request, where it had none but that."""

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Any
    ) -> ModelResponse:
        """See `AbstractCapability`."""
        self._turn.keep(lambda: dumped(request_context.messages))
        async with self._turn.paced(self._host, model=request_context.model.model_name):
            response: ModelResponse = await handler(request_context)
        return response

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """See `AbstractCapability`."""
        self.failed = None
        asked = [part for part in response.parts if isinstance(part, ToolCallPart)]
        calls = [
            AskedCall(name=part.tool_name, arguments=_arguments(part), id=_hint(part.tool_call_id))
            for part in asked
        ]
        self._toolset.empty = {part.tool_call_id for part in asked if part.args == ""}
        model = response.model_name or request_context.model.model_name
        self._turn.answered(
            model=model,
            text=response.text or "",
            calls=calls,
            finish=response.finish_reason,
            used=used_by(response),
            estimated_usd=response.usage.cost,
            url=self._urls.get(model),
        )
        offered = request_context.model_request_parameters
        known = {tool.name for tool in (*offered.function_tools, *offered.output_tools)}
        for call in calls:
            if call.name not in known:
                self._turn.attempt_unknown(call.name, call.arguments, id=call.id)
        self._toolset.open = [
            call for call in calls if call.name in known and call.name in self._turn.names.offers
        ]
        return response

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """See `AbstractCapability`. Another capability of the agent may still answer it."""
        failure = failure_behind(error)
        if failure is not None:
            self._turn.unanswered(model=request_context.model.model_name, failure=failure)
            self.failed = error
        raise error


async def played(
    agent: AbstractAgent[Any, Any],
    turn: FrameworkTurn,
    *,
    model: Model | str | None,
    models: Sequence[SeenModel],
    deps: object,
    limits: UsageLimits,
    keep_own_tools: bool,
) -> str:
    """The reply of the agent to one turn. Raises `Infrastructure` where its model's host gave no answer."""
    toolset = WorldToolset(turn, defers=_defers(agent.output_type))
    recorder = Recorder(turn, toolset, models)
    swapped: dict[str, Any] = {"toolsets": [toolset], "tools": []}
    if keep_own_tools:
        swapped = {}
    if model is not None:
        swapped["model"] = model
    conversation = turn.conversation()
    used = RunUsage()
    run: dict[str, Any] = {
        "deps": deps,
        "usage_limits": limits,
        "capabilities": [recorder],
        "usage": used,
        "toolsets": [toolset] if keep_own_tools else None,
    }
    history = ModelMessagesTypeAdapter.validate_python(conversation)
    prompt: str | None = turn.prompt(conversation)
    results = _decided(turn)

    def tell_rest() -> None:
        turn.overlooked(input_tokens=used.input_tokens, output_tokens=used.output_tokens)

    with agent.override(**swapped):
        while True:
            try:
                result = await agent.run(
                    prompt, message_history=history, deferred_tool_results=results, **run
                )
            except Exception as error:
                tell_rest()
                failure = None if recorder.failed is None else failure_behind(recorder.failed)
                if failure is not None:
                    raise end_of(failure, "the model of pydantic-ai") from error
                if isinstance(error, UnexpectedModelBehavior):
                    for call in toolset.open:
                        turn.attempt_refused(call, f"pydantic-ai refused the answer: {error}"[:500])
                raise
            tell_rest()
            output = result.output
            history = result.all_messages()
            if not isinstance(output, DeferredToolRequests):
                turn.end(dumped(history))
                return spoken(output)
            if any(call.tool_call_id in toolset.held for call in output.approvals):
                names = _steady_ids(history)
                waiting: dict[str, Json] = {
                    names.get(call.tool_call_id, call.tool_call_id): toolset.held.get(call.tool_call_id, "")
                    for call in output.approvals
                }
                turn.end(dumped(history), {"waiting": waiting})
                return result.response.text or ""
            # The agent's own gate asks for a person, and here that is the world's guard: let it through to there.
            results = output.build_results(
                approve_all=True, calls={call.tool_call_id: _ELSEWHERE for call in output.calls}
            )
            prompt = None


def _decided(turn: FrameworkTurn) -> DeferredToolResults | None:
    """What has become of the calls that waited for a person when the last turn ended."""
    memory = turn.session.memory
    waiting = memory.get("waiting") if isinstance(memory, dict) else None
    if not isinstance(waiting, dict) or not waiting:
        return None
    said = {
        str(data["approval"]): data.get("decision")
        for event in turn.task.events
        if isinstance(data := event.get("data"), dict) and "approval" in data
    }
    results = DeferredToolResults()
    for id, approval in waiting.items():
        decision = said.get(str(approval)) if approval else "approved"
        results.approvals[id] = (
            True
            if decision == "approved"
            else ToolDenied("a person said no" if decision == "rejected" else _UNDECIDED)
        )
    return results


def dumped(messages: Sequence[ModelMessage]) -> list[Json]:
    """Messages as JSON that is the same in every run: without moments and the framework's own ids."""
    names = _steady_ids(messages)
    documents = plain(ModelMessagesTypeAdapter.dump_python(list(messages), mode="json"))
    assert isinstance(documents, list)
    return [_steady(document, names) for document in documents]


def _steady(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, dict):
        return {
            key: names.get(item, item)
            if key == "tool_call_id" and isinstance(item, str)
            else _steady(item, names)
            for key, item in value.items()
            if key not in _VOLATILE and item is not None
        }
    if isinstance(value, list):
        return [_steady(item, names) for item in value]
    return value


def _steady_ids(messages: Sequence[ModelMessage]) -> dict[str, str]:
    """Names for the calls whose ids the framework drew, in the order of the conversation."""
    drawn = dict.fromkeys(
        part.tool_call_id
        for message in messages
        if isinstance(message, ModelResponse)
        for part in message.parts
        if isinstance(part, ToolCallPart) and part.tool_call_id.startswith(_OWN_ID)
    )
    return {id: f"call_{number}" for number, id in enumerate(drawn, start=1)}


def _hint(id: str | None) -> str | None:
    return None if not id or id.startswith(_OWN_ID) else id


def _arguments(part: ToolCallPart) -> Json:
    return part.args if part.args is None or isinstance(part.args, str) else plain(part.args)


def _approval_of(came: Mapping[str, Json]) -> str:
    detail = came.get("detail")
    found = detail.get("approval", detail.get("id")) if isinstance(detail, dict) else None
    return str(found or "?")


def _defers(output_type: object) -> bool:
    """Whether an agent's output may be a request for approval."""
    if isinstance(output_type, (list, tuple)):
        return any(_defers(one) for one in output_type)
    return output_type is DeferredToolRequests or DeferredToolRequests in getattr(output_type, "__args__", ())


def used_by(response: ModelResponse) -> Used:
    """What an answer used; unknown where the framework counted nothing at all."""
    usage = response.usage
    if getattr(usage, "unmeasured_requests", 0):  # what stands there nobody has counted
        return UNKNOWN
    return counted(
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
