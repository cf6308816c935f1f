"""One turn of an agent that a framework runs: what it is told, its tools in the world, and what its model said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import urlsplit

from company_lab.agents.chat_failures import HostFailure, ModelStopped
from company_lab.agents.chat_names import ToolNames, chosen_names
from company_lab.agents.chat_turns import attempted, events_text, restart_text, turn_text
from company_lab.agents.chat_usage import Used
from company_lab.agents.prices import Price, price_of
from company_lab.agents.protocol import (
    FREE_KINDS,
    Agent,
    AgentKind,
    CostBasis,
    Infrastructure,
    Session,
    Task,
    ToolOffer,
)
from company_lab.formats.canonical import Json, NotJson, boundary, canonical, parse_own
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.model import Scenario

LONGEST_SAVES = 100_000
"""Bytes of conversations that are saved within turns, in one episode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldTools:
    """Which of the world's tools an agent is given, and under which names.

    Without `only` it gets all of them. A tool's name is its own with an underscore for the dot, unless `aliases` (tools
    by alias) has another one, such as the name the agent's instructions use.
    """

    only: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def names(self, tools: Sequence[ToolOffer]) -> ToolNames:
        """The tools by the names the model sees. Raises `WrongUse`."""
        return chosen_names(tools, only=self.only, aliases=self.aliases, functions=True)

    def binding(self, agent: Callable[[], Agent]) -> Callable[[Scenario], Agent]:
        """Makes an agent for a scenario; wrong names of tools show there, before anything is played."""

        def bound(scenario: Scenario) -> Agent:
            from company_lab.agents.chat_offers import offers_of

            self.names(offers_of(scenario))
            return agent()

        return bound

    def settings(self) -> dict[str, Json]:
        """As a run keeps it; nothing where nothing was chosen."""
        found: dict[str, Json] = {}
        if self.only:
            found["tools"] = list(self.only)
        if self.aliases:
            found["aliases"] = dict(self.aliases)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call a model asked for, as the framework read it."""

    name: str
    arguments: Json
    id: str | None

    def document(self) -> dict[str, Json]:
        """As the trace keeps it."""
        return {"id": self.id, "name": self.name, "arguments": self.arguments}


class FrameworkTurn:
    """One turn: everything an adapter does in the world goes through it."""

    def __init__(self, task: Task, session: Session, tools: WorldTools, prices: Prices) -> None:
        self.task = task
        self.session = session
        self.names = tools.names(task.tools)
        self.wrote = False
        """Whether something was written that memory does not know of yet."""
        self._prices = prices

    def conversation(self) -> list[Json]:
        """The messages of the turns before, and of this one where it had begun before a crash."""
        memory = self.session.memory
        found = memory.get("conversation") if isinstance(memory, dict) else None
        begun = isinstance(memory, dict) and memory.get("turn") == self.task.turn
        return list(found) if begun and isinstance(found, list) else []

    def prompt(self, conversation: Sequence[Json]) -> str:
        """What the agent is told now."""
        texts: list[str] = []
        if not conversation or not self.task.restart:
            texts.append(turn_text(self.task))
        if self.task.restart and (text := restart_text(self.task.restart)):
            texts.append(text)
        return "\n\n".join(texts)

    def tool(self, name: str, args: object, *, id: str | None) -> tuple[dict[str, Json], bool]:
        """Use a tool by the name the model used: what came of it in one object, and whether it was executed.

        What has reached the company meanwhile stands in the object too.
        """
        came = self.attempt(name, args, id=id)
        self.add_events(came)
        return came, came["status"] == "executed"

    def attempt(self, name: str, args: object, *, id: str | None) -> dict[str, Json]:
        """Use a tool, and nothing more."""
        offer = self.names.offers[name]
        self.wrote = self.wrote or offer.writes
        return attempted(self.session, offer.name, args, by="agent", hint=id)

    def add_events(self, came: dict[str, Json]) -> None:
        """Put into the answer to a call what has reached the company meanwhile."""
        if events := self.session.observe():
            came["events"] = events_text(events)

    def attempt_unknown(self, name: str, args: object, *, id: str | None) -> None:
        """Record a call of a tool that the agent does not have. The framework answers it by itself."""
        there = any(offer.name == name for offer in self.task.tools)
        attempted(self.session, f"{name} (not offered)" if there else name, args, by="agent", hint=id)

    def keep(self, conversation: Callable[[], Sequence[Json]]) -> None:
        """Save the conversation if something was written since it was saved: a crash must not forget that.

        Such saves end at `LONGEST_SAVES` in an episode: a long conversation, saved again and again, would be most of
        what its agent sends.
        """
        if not self.wrote:
            return
        self.wrote = False
        memory = self.session.memory
        found = memory.get("saved") if isinstance(memory, dict) else None
        kept: Json = list(conversation())
        saved = (found if isinstance(found, int) else 0) + len(canonical(kept))
        if saved <= LONGEST_SAVES:
            self.session.memory = {"turn": self.task.turn, "conversation": kept, "saved": saved}

    def end(self, conversation: Sequence[Json], more: Mapping[str, Json] | None = None) -> None:
        """Save the conversation for the turn to come."""
        memory = self.session.memory
        kept: dict[str, Json] = {
            "turn": self.task.turn + 1,
            "conversation": list(conversation),
            **(more or {}),
        }
        if isinstance(memory, dict) and "saved" in memory:
            kept["saved"] = memory["saved"]
        self.session.memory = kept

    def answered(
        self,
        *,
        model: str,
        text: str,
        calls: Sequence[AskedCall],
        finish: str | None = None,
        used: Used,
        estimated_usd: Decimal | None = None,
    ) -> None:
        """Record an answer of the model before anything it asks for is carried out.

        `estimated_usd` is what the framework itself reckons, for models whose price is not known here.
        """
        parts: dict[str, Json] = {
            "text": text,
            "calls": [call.document() for call in calls],
            "finish": finish,
        }
        answer: Json = {name: part for name, part in parts.items() if part not in (None, "", [])}
        self.session.asked(role="agent", model=model, answer=answer)
        price = self._prices.of(model)
        cost = price.cost(used)
        basis: CostBasis = "estimated"
        if used.cost_usd is not None:
            cost, basis = used.cost_usd, "observed"
        elif cost is None and estimated_usd is not None:
            cost = estimated_usd
        elif cost is None and self._prices.free:
            cost, basis = Decimal(0), "observed"
        self.session.usage(
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
            cached_tokens=used.cached_tokens,
            cost_usd=None if cost is None else f"{cost:f}",
            basis=None if cost is None else basis,
            model=model,
        )

    def unanswered(self, *, model: str, failure: HostFailure) -> None:
        """Record that the model gave no answer."""
        self.session.asked(role="agent", model=model, error=failure.document())


class Prices:
    """Prices of the models of an agent: declared ones first, then those of the host at an address.

    A scripted model without a declared price is free.
    """

    def __init__(self, declared: Mapping[str, str] | None, url: str | None, *, kind: AgentKind) -> None:
        self.free = kind in FREE_KINDS
        self._declared = dict(declared or {})
        self._url = url
        self._found: dict[str, Price] = {}
        for model in self._declared:
            self.of(model)

    def of(self, model: str) -> Price:
        """The price of a model."""
        if model not in self._found:
            # Without an address nobody can say whose model it is: one of that name may be served anywhere.
            address = self._url or "unknown://host"
            self._found[model] = price_of(model, address, self._declared)
        return self._found[model]

    def snapshot(self, *models: str) -> dict[str, Json]:
        """What a run keeps of the prices of these models and of the declared ones."""
        return {model: dict(self.of(model).snapshot) for model in (*models, *self._declared)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenModel:
    """What can be seen of the model of an agent."""

    name: str
    kind: AgentKind
    url: str | None = None
    """Where it is asked."""
    host: str | None = None
    """The host of that address, for pacing."""

    @classmethod
    def at(cls, url: object, *, name: str, kind: AgentKind) -> SeenModel:
        """A model at an address, if that is known."""
        address = str(url) if url else None
        host = None if address is None else urlsplit(address).netloc.rpartition("@")[2] or None
        return cls(name=name, kind=kind, url=address, host=host)


def end_of(failure: HostFailure, what: str) -> Exception:
    """The exception a failed request to a model ends a turn with: an outage, or the agent's own end."""
    if failure.agents_own:
        return ModelStopped(f"the model can not go on: {failure.what}")
    return Infrastructure(f"{what} gave no answer: {failure.what}", retry_after=failure.retry_after)


def checked_version(package: str, *, least: tuple[int, ...], below: tuple[int, ...], extra: str) -> str:
    """The installed version of a package. Raises `WrongUse` where it is missing or was never tried."""
    try:
        found = version(package)
    except PackageNotFoundError:
        raise WrongUse(f"{package} is not installed; try: pip install 'company-lab[{extra}]'") from None
    numbers = tuple(int(part) for part in found.split(".")[: len(least)] if part.isdigit())
    if not least <= numbers or not numbers < below:
        wanted = f">={'.'.join(map(str, least))},<{'.'.join(map(str, below))}"
        raise WrongUse(
            f"this adapter was tested with {package} {wanted}, found {found}; "
            f"try: pip install 'company-lab[{extra}]'"
        )
    return found


def known_kind(kind: AgentKind | None, observed: AgentKind) -> AgentKind:
    """The kind that was declared, or the one that can be seen."""
    if kind is None:
        return observed
    if kind not in ("scripted", "test_model", "real_model", "undeclared"):
        raise WrongUse(f"kind={kind!r}: give scripted, test_model or real_model")
    if kind == "real_model" and observed == "test_model":
        raise WrongUse("kind='real_model': the agent's model is the framework's test model, which is none")
    return kind


def spoken(output: object) -> str:
    """A final output as a reply: text as it is, anything else as JSON."""
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    from pydantic_core import to_jsonable_python

    plain = to_jsonable_python(output, serialize_unknown=True)
    try:
        return canonical(boundary(plain))
    except NotJson:
        return str(plain)


def plain(value: object) -> Json:
    """A framework's data as JSON; what is no JSON becomes text."""
    from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

    try:
        text = to_json(value, serialize_unknown=True, inf_nan_mode="null")
    except PydanticSerializationError:  # half a character, which has no UTF-8
        return boundary(to_jsonable_python(value, serialize_unknown=True, inf_nan_mode="null"))
    return boundary(parse_own(text.decode()))
