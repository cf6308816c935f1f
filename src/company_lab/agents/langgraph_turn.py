"""One turn of a graph: the world's tools as LangChain's, and a callback that writes down what the model says."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    AnyMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel
from langgraph.types import Command

from company_lab.agents.chat_failures import ModelStopped
from company_lab.agents.chat_usage import UNKNOWN, Used, counted
from company_lab.agents.framework_failures import failure_behind
from company_lab.agents.framework_models import end_of
from company_lab.agents.framework_texts import plain, spoken
from company_lab.agents.framework_turns import AskedCall, FrameworkTurn
from company_lab.formats.canonical import Json, NotJson, canonical, parse
from company_lab.formats.errors import WrongUse

_WHAT = "the model of the graph"


async def played(
    factory: Callable[[list[BaseTool]], Any],
    turn: FrameworkTurn,
    *,
    model: str | None,
    recursion_limit: int,
    resume: Callable[[object], object] | None,
) -> str:
    """The reply of the graph to one turn. Raises `Infrastructure` where its model's host gave no answer."""
    written: dict[str, list[Written]] = {}
    graph = factory([WorldTool.of(turn, name, written) for name in turn.names.offers])
    if not is_graph(graph):
        raise WrongUse(f"the factory returned a {type(graph).__name__}; it returns a compiled graph")
    if graph.checkpointer is None:  # without one a graph can not be interrupted
        graph.checkpointer = InMemorySaver()
    recorder = Recorder(turn, model, written)
    config: RunnableConfig = {
        "recursion_limit": recursion_limit,
        "callbacks": [recorder],
        "configurable": {"thread_id": uuid.uuid4().hex},  # never that of another episode
    }
    conversation = turn.conversation()
    given: Any = {"messages": [*_loaded(conversation), HumanMessage(turn.prompt(conversation))]}
    while True:
        try:
            state = await graph.ainvoke(given, config=config)
        except Exception as error:
            failure = None if recorder.failed is None else failure_behind(recorder.failed)
            if failure is None:
                raise
            raise end_of(failure, _WHAT) from error
        if not (waiting := state.get("__interrupt__")):
            break
        given = Command(resume={one.id: _resumed(one.value, resume) for one in waiting})
    messages = state.get("messages")
    if not isinstance(messages, list):
        raise WrongUse("the graph's state has no messages; the adapter gives and reads `messages`")
    recorder.settle(messages, over=True)
    turn.end(_dumped(messages))
    if (answer := state.get("structured_response")) is not None:
        return spoken(answer)
    last = messages[-1] if messages else None
    return str(last.text) if isinstance(last, AIMessage) else ""


def _resumed(asked: object, resume: Callable[[object], object] | None) -> object:
    if resume is not None:
        return resume(asked)
    actions = asked.get("action_requests") if isinstance(asked, Mapping) else None
    if isinstance(actions, list):
        # The graph's own gate asks for a person, and here that is the world's guard: let it through to there.
        return {"decisions": [{"type": "approve"}] * len(actions)}
    raise ModelStopped(f"the graph waits for an answer to {str(asked)[:200]!r}; give resume= a function")


@dataclass(frozen=True, slots=True)
class Written:
    """Arguments as the model wrote them, where LangChain kept that, and as it read them."""

    text: str
    read: Mapping[str, Any]


class WorldTool(BaseTool):
    """One of the world's tools. What was not executed is told as a message with status error."""

    turn: Any
    written: Any
    """`Written` by the ids of calls."""

    @classmethod
    def of(cls, turn: FrameworkTurn, name: str, written: Mapping[str, list[Written]]) -> WorldTool:
        """The tool of a name the model sees."""
        offer = turn.names.offers[name]
        return cls(
            name=name,
            description=offer.description or name,
            args_schema=offer.parameters,
            turn=turn,
            written=written,
        )

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Attempt it: with a model's call, answered by a message, or with arguments alone."""
        called = isinstance(input, dict) and input.get("type") == "tool_call"
        args, id = (input["args"], input.get("id")) if called else (input, None)
        # Where they are none of these somebody has changed them since.
        args = next((one.text for one in self.written.get(id, ()) if one.read == args), args)
        came, executed = self.turn.tool(self.name, args, id=id)
        text = canonical(came)
        if not called:
            return text
        return ToolMessage(
            text, tool_call_id=id or "", name=self.name, status="success" if executed else "error"
        )

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """See `invoke`."""
        return self.invoke(input, config, **kwargs)

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        return self.invoke(kwargs)


class Recorder(BaseCallbackHandler):
    """Writes down every answer of the model, with every call it asks for, before any is carried out."""

    run_inline = True
    raise_error = True

    def __init__(self, turn: FrameworkTurn, model: str | None, written: dict[str, list[Written]]) -> None:
        self._turn = turn
        self._model = model
        self._written = written
        self._models: dict[uuid.UUID, str] = {}
        self._open: list[AskedCall] = []
        """Calls of tools that are not the world's; whether they are the graph's own shows later."""
        self.failed: BaseException | None = None
        """The failure of the last request."""

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: uuid.UUID,
        **kwargs: Any,
    ) -> None:
        """See `BaseCallbackHandler`."""
        said = [one for one in messages[0] if not isinstance(one, SystemMessage)] if messages else []
        self.settle(said)
        self._turn.keep(lambda: _dumped(said))
        named = (kwargs.get("metadata") or {}).get("ls_model_name")
        self._models[run_id] = str(named or self._model or serialized.get("name") or "unknown")

    def on_llm_end(self, response: LLMResult, *, run_id: uuid.UUID, **kwargs: Any) -> None:
        """See `BaseCallbackHandler`."""
        self.failed = None
        found = response.generations[0][0] if response.generations and response.generations[0] else None
        message = found.message if isinstance(found, ChatGeneration) else None
        if not isinstance(message, AIMessage):
            return
        texts = _texts_of(message)
        calls = []
        times = Counter(one.get("id") for one in message.tool_calls)
        self._written.update((one.get("id") or "", []) for one in message.tool_calls)
        for one in message.tool_calls:
            id = one.get("id") or ""
            said, written = plain(one["args"]), self._written[id]
            if len(texts.get(id, ())) == times[one.get("id")]:  # of calls under one id, each has its own
                said = texts[id][len(written)]
                written.append(Written(said, one["args"]))
            calls.append(AskedCall(name=one["name"], arguments=said, id=one.get("id")))
        broken = [
            AskedCall(name=one.get("name") or "", arguments=one.get("args") or "", id=one.get("id"))
            for one in message.invalid_tool_calls
        ]
        finish = message.response_metadata.get("finish_reason") or message.response_metadata.get(
            "stop_reason"
        )
        self._turn.answered(
            model=self._models.pop(run_id, self._model or "unknown"),
            text=str(message.text),
            calls=[*calls, *broken],
            finish=str(finish) if finish else None,
            used=_used_by(message),
        )
        for call in broken:  # the graph answers these itself, so nothing of them may be carried out
            if call.name not in self._turn.names.offers:
                self._turn.attempt_unknown(call.name, call.arguments, id=call.id)
            elif _is_object(call.arguments):
                self._turn.attempt_refused(
                    call, "LangChain calls this call invalid, and carries it out no more"
                )
            else:
                self._turn.attempt(call.name, call.arguments, id=call.id)
        self._open += [call for call in calls if call.name not in self._turn.names.offers]

    def on_llm_error(self, error: BaseException, *, run_id: uuid.UUID, **kwargs: Any) -> None:
        """See `BaseCallbackHandler`."""
        model = self._models.pop(run_id, self._model or "unknown")
        failure = failure_behind(error)
        if failure is not None:
            self._turn.unanswered(model=model, failure=failure)
            self.failed = error

    def on_tool_start(
        self, serialized: dict[str, Any], input_str: str, *, run_id: uuid.UUID, **kwargs: Any
    ) -> None:
        """See `BaseCallbackHandler`. A tool of the graph's own, which may ask models and call tools itself."""
        id = kwargs.get("tool_call_id")
        self._open = [call for call in self._open if call.id is None or call.id != id]

    def settle(self, messages: Sequence[BaseMessage], *, over: bool = False) -> None:
        """Record calls that the graph answered with an error, or not at all: of tools that nobody has.

        What belongs to another conversation, as where one agent of the graph asks another, waits until it goes on
        there, or until the turn is `over`.
        """
        if not self._open:
            return
        here = {call["id"] for one in messages if isinstance(one, AIMessage) for call in one.tool_calls}
        answered = {
            one.tool_call_id for one in messages if isinstance(one, ToolMessage) and one.status != "error"
        }
        calls, self._open = self._open, []
        for call in calls:
            if not over and call.id not in here:
                self._open.append(call)
            elif call.id not in answered:
                self._turn.attempt_unknown(call.name, call.arguments, id=call.id)


def _texts_of(message: AIMessage) -> dict[str, list[str]]:
    """Arguments of calls as texts, by the ids of calls, where LangChain has kept them: streamed ones, items of OpenAI.

    It reads the former leniently: what a broken one of them might have meant is what the tools are called with.
    """
    found: dict[str, list[str]] = {}
    if isinstance(message, AIMessageChunk):
        for chunk in message.tool_call_chunks:
            # Of a call without arguments nothing may have been streamed.
            if chunk.get("id") and chunk.get("args"):
                found.setdefault(str(chunk["id"]), []).append(str(chunk["args"]))
    for block in message.content if isinstance(message.content, list) else ():
        if isinstance(block, dict) and block.get("type") == "function_call":
            id, text = block.get("call_id"), block.get("arguments")
            if isinstance(id, str) and isinstance(text, str):
                found.setdefault(id, []).append(text)
    return found


def _is_object(arguments: Json) -> bool:
    try:
        return (
            isinstance(parse(arguments), dict) if isinstance(arguments, str) else isinstance(arguments, dict)
        )
    except NotJson:
        return False


def _used_by(message: AIMessage) -> Used:
    usage = message.usage_metadata
    if not usage:
        return UNKNOWN
    details = usage.get("input_token_details") or {}
    return counted(
        input_tokens=usage["input_tokens"],
        cached_tokens=details.get("cache_read"),
        cache_write_tokens=details.get("cache_creation"),
        output_tokens=usage["output_tokens"],
    )


def _dumped(messages: Sequence[BaseMessage]) -> list[Json]:
    """Messages as JSON that is the same in every run: what was said, without the ids LangChain draws."""
    return [_document(one) for one in messages if isinstance(one, (HumanMessage, AIMessage, ToolMessage))]


def _document(message: BaseMessage) -> Json:
    document: dict[str, Json] = {"type": message.type, "content": plain(message.content)}
    if isinstance(message, AIMessage):
        if message.tool_calls:
            document["tool_calls"] = plain(message.tool_calls)
        if message.invalid_tool_calls:
            document["invalid_tool_calls"] = plain(message.invalid_tool_calls)
    if isinstance(message, ToolMessage):
        document.update(tool_call_id=message.tool_call_id, name=message.name, status=message.status)
    return document


def _loaded(documents: Sequence[Json]) -> list[AnyMessage]:
    kinds: dict[str, type[Any]] = {"human": HumanMessage, "ai": AIMessage, "tool": ToolMessage}
    return [
        kinds[str(one["type"])](**{name: value for name, value in one.items() if name != "type"})
        for one in documents
        if isinstance(one, dict)
    ]


def is_graph(found: object) -> bool:
    """Whether it is a compiled graph."""
    return isinstance(found, Pregel)
