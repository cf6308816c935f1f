"""One turn of an agent that a framework runs: what it is told, its tools in the world, and what its model said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal

from company_lab.agents.chat_failures import HostFailure, record_failure
from company_lab.agents.chat_names import ToolNames, chosen_names
from company_lab.agents.chat_turns import attempted, beginning, earlier, events_text
from company_lab.agents.chat_usage import Used
from company_lab.agents.framework_failures import failure_behind
from company_lab.agents.framework_models import Prices
from company_lab.agents.prices import report_usage
from company_lab.agents.protocol import Infrastructure, Session, Task, ToolOffer
from company_lab.agents.wire import Unreadable
from company_lab.formats.canonical import Json, NotJson, canonical


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
        self._input = self._output = 0

    def conversation(self) -> list[dict[str, Json]]:
        """The messages of the turns before, and of this one where it had begun before a crash."""
        return earlier(self.session.memory, self.task.turn)

    def prompt(self, conversation: Sequence[Json]) -> str:
        """What the agent is told now."""
        return "\n\n".join(beginning(self.task, conversation))

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

    def attempt_refused(self, call: AskedCall, why: str) -> None:
        """Record a call of one of its tools that the framework refused to carry out: malformed, and never executed."""
        said = call.arguments if isinstance(call.arguments, str) else canonical(call.arguments)
        attempted(
            self.session,
            self.names.offers[call.name].name,
            Unreadable(NotJson("", why), said),
            by="agent",
            hint=call.id,
        )

    def attempt_unknown(self, name: str, args: object, *, id: str | None) -> None:
        """Record a call of a tool that the agent does not have. The framework answers it by itself."""
        attempted(self.session, self.names.unoffered(name), args, by="agent", hint=id)

    def keep(self, conversation: Callable[[], Sequence[Json]]) -> None:
        """Save the conversation if something was written since it was saved: a crash must not forget that."""
        if self.wrote:
            self.wrote = False
            self.session.memory = {"turn": self.task.turn, "conversation": list(conversation())}

    def end(self, conversation: Sequence[Json], more: Mapping[str, Json] | None = None) -> None:
        """Save the conversation for the turn to come."""
        self.session.memory = {
            "turn": self.task.turn + 1,
            "conversation": list(conversation),
            **(more or {}),
        }

    def answered(
        self,
        *,
        model: str,
        text: str,
        calls: Sequence[AskedCall],
        finish: str | None = None,
        used: Used,
        estimated_usd: Decimal | None = None,
        url: str | None = None,
    ) -> None:
        """Record an answer of the model before anything it asks for is carried out.

        `url` is where this model is asked, where the agent has several.
        `estimated_usd` is what the framework itself reckons, for models whose price is not known here.
        """
        parts: dict[str, Json] = {
            "text": text,
            "calls": [call.document() for call in calls],
            "finish": finish,
        }
        answer: Json = {name: part for name, part in parts.items() if part not in (None, "", [])}
        try:
            self.session.asked(role="agent", model=model, answer=answer)
        finally:  # an answer that is too long ends the episode, and was paid for
            self._input += used.input_tokens or 0
            self._output += used.output_tokens or 0
            price = self._prices.of(model, url)
            report_usage(self.session, used, price, model=model, reckoned=estimated_usd)

    def overlooked(self, *, input_tokens: int, output_tokens: int) -> None:
        """Record what the framework has counted in this turn beyond what was recorded so far, at a cost nobody knows.

        Agents that run within the agent's own tools ask models that no adapter sees, and answers that a framework
        throws away were paid for.
        """
        read, written = max(0, input_tokens - self._input), max(0, output_tokens - self._output)
        if read + written:
            self._input += read
            self._output += written
            self.session.usage(input_tokens=read, output_tokens=written)

    def unanswered(self, *, model: str, failure: HostFailure) -> None:
        """Record that the model gave no answer."""
        record_failure(self.session, failure, role="agent", model=model)

    @asynccontextmanager
    async def paced(self, host: str | None, *, model: str) -> AsyncIterator[None]:
        """To be put around a request to a model: waits where the run limits how often its host may be asked.

        A host that asks to be left alone is, by everybody.
        """
        if host is None:
            yield
            return
        pace = self.session.pace(host, model=model)
        await pace.__aenter__()
        try:
            yield
        except Exception as error:
            failure = failure_behind(error)
            if failure is not None:
                await pace.__aexit__(Infrastructure, Infrastructure(retry_after=failure.retry_after), None)
            raise
