"""The tool-calling loop, for every format in which a model asks for tools: ask, carry out, tell, ask again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from company_lab.agents.chat_asking import asking
from company_lab.agents.chat_failures import ModelStopped
from company_lab.agents.chat_host import ModelHost
from company_lab.agents.chat_names import NOT_ALLOWED, ToolNames, chosen_names
from company_lab.agents.chat_offers import looking_first
from company_lab.agents.chat_settings import Options, api_url
from company_lab.agents.chat_streams import Pieces
from company_lab.agents.chat_turns import (
    DEFAULT_SYSTEM,
    attempted,
    beginning,
    earlier,
    events_text,
)
from company_lab.agents.chat_usage import UNKNOWN, Used
from company_lab.agents.prices import Price, price_of, report_usage
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.formats.canonical import Json, NotJson, canonical, parse

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
_OPTIONS = ("base_url", "model", "api_key_env", "system", "stream", "recording")

Item = dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call a model asked for, as it stands in its answer."""

    id: str | None
    """The model's own id, perhaps absent, perhaps given twice."""
    name: str
    arguments: Json
    """The text, as a rule of JSON; some hosts give an object."""


def call_of(id: Json, function: Mapping[str, Json]) -> Call:
    """The call of an id and of what names a function and its arguments.

    A name that is missing is empty, and one that is no text is its JSON: what a model asks for is attempted as it is.
    """
    name, arguments = function.get("name"), function.get("arguments", function.get("input"))
    return Call(
        id=id if isinstance(id, str) and id else None,
        name=name if isinstance(name, str) else "" if name is None else canonical(name),
        arguments="" if arguments is None else arguments,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """One answer of a model: a text, calls, or both."""

    text: str
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    refusal: str | None = None
    cut: str | None = None
    """Why the answer is not whole: length or content_filter."""
    used: Used = UNKNOWN
    model: str | None = None
    """The name the host gives the model."""

    def document(self) -> dict[str, Json]:
        """As the trace keeps it."""
        calls: list[Json] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in self.calls
        ]
        parts: dict[str, Json] = {
            "text": self.text,
            "calls": calls,
            "finish": self.finish,
            "refusal": self.refusal,
            "model": self.model,
        }
        return {name: part for name, part in parts.items() if part not in (None, "", [])}


class Format(Protocol):
    """One way of writing a conversation with tools."""

    path: str
    """Where requests go, after the base URL."""

    def request(self, system: str, tools: ToolNames, items: Sequence[Item]) -> dict[str, Json]:
        """The body of a request, without model and sampling."""
        ...

    def streamed(self, body: dict[str, Json]) -> dict[str, Json]:
        """The request for the same answer in pieces, with what it used."""
        ...

    def pieces(self) -> Pieces:
        """What joins the pieces of one answer."""
        ...

    def read(self, answer: Json) -> ModelAnswer:
        """What the model said. Raises `BadAnswer` where the answer is not of this format."""
        ...

    def said(self, text: str) -> Item:
        """A message to the model."""
        ...

    def echo(self, answer: ModelAnswer, ids: Sequence[str]) -> list[Item]:
        """The model's answer as part of the conversation, its calls under these ids."""
        ...

    def result(self, id: str, text: str) -> Item:
        """What came of a call."""
        ...


def tool_calling_agent(name: str, form: Format, given: Mapping[str, Json], *, limit: str) -> Agent:
    """The agent that works in this format. `limit` is the format's name for the longest answer, in tokens."""
    options = Options(given, adapter=name, known=_OPTIONS)
    model = options.needed("model", "gpt-5-mini")
    common = options.common()
    url = api_url(options.text("base_url") or OPENAI, option="--base-url")
    key = OPENAI_KEY if url == OPENAI else None
    host = options.host("agent", url=url, model=model, key="api_key_env", common=common, default_key=key)
    system = options.prompt("system", DEFAULT_SYSTEM)
    streams = options.flag("stream")
    price = price_of(model, url, common.prices)
    named = partial(chosen_names, only=common.tools, aliases=common.aliases, functions=True)
    sampling = common.sampling(limit)

    async def act(task: Task, session: Session) -> str:
        tools = named(task.tools)
        items = earlier(session.memory, task.turn)
        items += [form.said(text) for text in beginning(task, items)]
        async with asking(session, traffic=common.traffic) as line:
            while True:
                body = {"model": host.model, **form.request(system, tools, items), **sampling}
                if streams:
                    body = form.streamed(body)
                pieces = form.pieces if streams else None
                answer, attempt = await line.post(host, form.path, body, form.read, pieces=pieces)
                record_answer(session, host, price, answer, attempt)
                if not answer.calls:
                    _refuse_cut(answer)
                    text = answer.text or answer.refusal or ""
                    kept: list[Json] = [*items, *form.echo(answer, ())]
                    session.memory = {"turn": task.turn + 1, "conversation": kept}
                    return text
                ids = _distinct_ids(answer.calls, len(items))
                items += form.echo(answer, ids)
                wrote = False
                for call, id in zip(answer.calls, ids, strict=True):
                    came = attempted(session, tools.tool(call.name), call.arguments, by="agent", hint=call.id)
                    items.append(form.result(id, canonical(came)))
                    offer = tools.offers.get(call.name)
                    wrote = wrote or (offer is not None and offer.writes)
                if wrote:  # what was done must be known after a crash
                    session.memory = {"turn": task.turn, "conversation": list[Json](items)}
                if events := session.observe():
                    items.append(form.said(events_text(events)))

    agent = Agent(
        name=name,
        kind=common.kind,
        act=act,
        settings=options.settings,
        prompts={"system": system},
        prices={model: dict(price.snapshot)},
        hosts={host.name: None},
    )
    return looking_first(agent, named)


def record_answer(session: Session, host: ModelHost, price: Price, answer: ModelAnswer, attempt: int) -> None:
    """Record an answer and what it used."""
    try:
        session.asked(role=host.role, model=host.model, attempt=attempt, answer=answer.document())
    finally:  # an answer that is too long ends the episode, and was paid for
        report_usage(session, answer.used, price, model=host.model)


def _refuse_cut(answer: ModelAnswer) -> None:
    if answer.cut == "length":
        raise ModelStopped("the model's answer was cut off at its longest length (finish reason length)")
    if answer.cut == "content_filter":
        raise ModelStopped("the host's content filter withheld the model's answer")


def _distinct_ids(calls: Sequence[Call], position: int) -> list[str]:
    """Ids for the conversation: the model's own where it gave each once, ours otherwise; hosts refuse doubles."""
    times = Counter(call.id for call in calls)
    found = []
    for number, call in enumerate(calls, start=1):
        id = call.id if call.id and times[call.id] == 1 else f"call_{position}_{number}"
        while id != call.id and id in times:  # one that the model happens to have given to another call
            id += "_"
        found.append(id)
    return found


def spoken_name(name: str) -> str:
    """A function's name as the conversation repeats it: hosts refuse a whole request for a name they do not allow."""
    return NOT_ALLOWED.sub("_", name)[:64] or "unnamed"


def spoken_arguments(arguments: Json) -> str:
    """Arguments as the conversation repeats them: the model's own text, where it is JSON.

    Many hosts read what stands there again and answer with an error where they can not. What is no JSON is shown
    inside an object then; what was attempted and recorded is the text itself.
    """
    if not isinstance(arguments, str):
        return canonical(arguments)
    try:
        read = parse(arguments)
    except NotJson:
        return canonical({"unreadable": arguments})
    return arguments if isinstance(read, dict) else canonical({"no_object": arguments})
