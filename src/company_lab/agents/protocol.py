"""What an agent is: a callable that gets a task and a session and returns its reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args

from company_lab.formats.canonical import Json, digest
from company_lab.formats.errors import CompanyLabError, WrongUse, nearest
from company_lab.formats.secrets import without_secrets
from company_lab.formats.shapes import Signature
from company_lab.traces.record import REPLAYED

if TYPE_CHECKING:
    from company_lab.agents.pacing import Paced
    from company_lab.scenarios.model import Scenario

AgentKind = Literal["request", "conduct", "scripted", "test_model", "real_model", "replayed", "undeclared"]
Layer = Literal["contract", "runtime", "reasoning"]

EVIDENCE: Mapping[AgentKind, str] = {
    "request": "deterministic simulation",
    "conduct": "deterministic simulation",
    "scripted": "deterministic simulation",
    "test_model": "test model",
    "real_model": "real model",
    "replayed": REPLAYED,
    "undeclared": "undeclared agent",
}
"""What an episode of an agent of each kind is evidence of."""
LAYER: Mapping[AgentKind, Layer] = {
    "request": "contract",
    "conduct": "runtime",
    "scripted": "runtime",
    "test_model": "runtime",
    "real_model": "reasoning",
    "replayed": "runtime",
    "undeclared": "runtime",
}
FREE_KINDS: frozenset[AgentKind] = frozenset({"request", "conduct", "scripted", "test_model"})
"""Kinds that call no priced model: their cost is an observed zero."""

CostBasis = Literal["observed", "estimated"]
"""Where a cost comes from; a cost that is unknown has none."""
ErrorCode = Literal["refused", "held", "failed", "timed_out", "bad_arguments", "unknown_tool"]


class ToolError(CompanyLabError):
    """An attempt that gave no result.

    `code` is refused, held (waits for approval), failed, timed_out (whether it happened is not known),
    bad_arguments or unknown_tool; `reason` is the guard's or the tool's own; `detail` is what the tool
    adds, such as the id of an approval request.
    """

    def __init__(self, code: ErrorCode, reason: str, message: str, detail: Json = None) -> None:
        self.code = code
        self.reason = reason
        self.detail = detail
        super().__init__(message)


class EpisodeStopped(BaseException):
    """The episode is over: a limit was reached or the run was ended. Not an error an agent should catch."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Crashed(BaseException):
    """The agent is dropped at a scheduled crash point. Catching it is of no use: every further call raises it again."""


class Infrastructure(CompanyLabError):
    """Raised by an agent's own plumbing when a model's host is down or limits the rate.

    The episode ends as an outage, not as the agent's failure; it is still judged for what it did. Where the
    host said how long to wait, `retry_after` is that: seconds, or the text of a Retry-After header.
    """

    def __init__(self, *args: object, retry_after: object = None) -> None:
        self.retry_after = retry_after
        super().__init__(*args)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOffer:
    """A tool as an agent may see it."""

    name: str
    description: str
    signature: Signature
    writes: bool

    @property
    def parameters(self) -> dict[str, Json]:
        """The arguments as a JSON Schema object; made anew each time, so it may be changed."""
        return self.signature.json_schema()


RestartMode = Literal["task", "transcript", "checkpoint"]
"""With what an agent comes back after a crash: its task alone, what was said until then, or its own memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A call of an earlier life and its answer."""

    turn: int
    tool: str
    args: Json
    result: Json = None
    error: Mapping[str, Json] | None = None
    """code, reason, message and detail, where the answer was an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """What an agent is told when it begins the same turn again after a crash."""

    mode: RestartMode
    crashes: int
    """How often it has crashed in this episode."""
    transcript: tuple[Exchange, ...] = ()
    """Every call of the episode whose answer had reached the agent, in order; only where the mode is transcript."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What an agent is told at the start of a turn."""

    message: str
    sender: str | None
    turn: int
    """Counts from 1 within the episode."""
    at: str
    """The simulated moment, ISO 8601."""
    events: Sequence[Mapping[str, Json]]
    """What reached the company since the agent last looked: id, type, at, data, from."""
    tools: Sequence[ToolOffer]
    restart: Restart | None = None
    """Set where this turn was begun before and the agent crashed in it."""

    def __str__(self) -> str:
        return self.message


class Session(Protocol):
    """The agent's hands in the world."""

    def call(self, tool: str, /, **args: Any) -> Any:
        """Use a tool and return its JSON result, or raise `ToolError`."""
        ...

    def attempt(self, tool: str, args: object, /, *, by: str = "agent", hint: str | None = None) -> Any:
        """As `call`, for adapters: arguments as one object or as JSON text.

        `by` says who supplied them (agent, selector, writer); `hint` is the agent's own call id.
        """
        ...

    def observe(self) -> list[dict[str, Json]]:
        """Events that reached the company since the agent last looked."""
        ...

    def usage(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cost_usd: str | None = None,
        model: str | None = None,
        cached_tokens: int | None = None,
        basis: CostBasis | None = None,
    ) -> None:
        """Report what a model call used. Cost is a decimal text in USD; None means unknown.

        `input_tokens` counts every token read, `cached_tokens` those of them that came from the host's cache. `basis`
        says where a cost comes from: observed (the host said it) or estimated (tokens times a price).
        """
        ...

    def asked(
        self, *, role: str, model: str, attempt: int = 1, answer: Json = None, error: Json = None
    ) -> None:
        """Record one request to a model: what came back, or what kept an answer from coming.

        `role` says what the model is for (agent, decider, writer); `attempt` counts the tries of one request from 1.
        The calls that follow in the trace, up to the next such record, are those of this answer.
        """
        ...

    def choice(self, request: Json, answer: Json) -> None:
        """Record what a selector was asked and what it answered, raw, before anything is executed."""
        ...

    def pace(self, host: str, *, role: str = "agent", model: str | None = None, attempt: int = 1) -> Paced:
        """To be put around each request to a model's host, with `with` or `async with`.

        Waits where the run limits how often the host may be asked; this waiting counts for no limit on time. Whoever
        tells every answer and failure by `asked` names the model here: should the episode's time end before the answer
        comes, the request is in the trace as well.
        """
        ...

    @property
    def memory(self) -> Json:
        """JSON the world keeps for the agent; assigning it saves."""
        ...

    @memory.setter
    def memory(self, value: Json) -> None: ...


Act = Callable[[Task, Session], Any]


@dataclass(frozen=True, kw_only=True)
class Agent:
    """Whatever is being evaluated.

    `act` is called once a turn with the task and the session and returns the reply as text (or an
    awaitable of it). `kind` says what an episode of it is evidence of. Settings, prompts and prices are
    stored with every run, so keys and passwords in settings are replaced here already (see
    `formats.secrets`): give them to `act` by another way.
    """

    name: str
    kind: AgentKind
    act: Act
    settings: Mapping[str, Json] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Texts its model is given, by name; a run stores each once and is not resumed with others."""
    prices: Mapping[str, Json] = field(default_factory=dict)
    """What its costs are reckoned with."""
    model_free: bool | None = None
    """True where no priced model is called; None follows the kind."""
    hosts: Mapping[str, str | None] = field(default_factory=dict)
    """Hosts of models it asks through `session.pace`, each with the rate it may be asked at, such as 5/s."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values it was given that nobody is to keep: `formats.secrets` replaces them in the record of an episode."""
    code: str = ""
    """SHA-256 of the file the agent is written in, where it has one."""
    apart: bool = False
    """Whether its turns are played in processes of their own already, so that isolating it changes nothing."""
    bound: Callable[[Scenario], Agent] | None = None
    """Makes the agent for one scenario, where it depends on it (conducts)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", without_secrets(dict(self.settings)))

    def for_scenario(self, scenario: Scenario) -> Agent:
        """The agent that plays this scenario."""
        return self if self.bound is None else self.bound(scenario)

    @cached_property
    def code_digest(self) -> str:
        """SHA-256 over the version of this package and the agent's own source."""
        return digest([version("company-lab"), self.code])

    @cached_property
    def described(self) -> Mapping[str, Json]:
        """What a trace says of it: name, kind, settings."""
        return {"name": self.name, "kind": self.kind, "settings": dict(self.settings)}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over name, kind, settings, and the prompts and prices it has."""
        parts = {"prompts": dict(self.prompts), "prices": dict(self.prices)}
        more = {name: part for name, part in parts.items() if part}
        return digest([self.name, self.kind, self.settings, *([more] if more else [])])

    @property
    def costs_nothing(self) -> bool:
        """Whether cost is an observed zero."""
        return self.kind in FREE_KINDS if self.model_free is None else self.model_free


F = TypeVar("F", bound=Callable[..., Any])
DeclaredKind = Literal["scripted", "test_model", "real_model"]


def declare(
    *,
    kind: DeclaredKind,
    model_free: bool | None = None,
    hosts: Mapping[str, str | None] | Sequence[str] = (),
) -> Callable[[F], F]:
    """Say what kind of agent a function is. Undeclared functions do not count as a real model.

    `hosts` names those it asks through `session.pace`, where wanted each with a rate: `{"api.example.com": "5/s"}`.
    """
    kinds = get_args(DeclaredKind)
    if kind not in kinds:
        close = nearest(str(kind), kinds)
        hint = f"; did you mean {close}?" if close else ""
        raise WrongUse(f"there is no kind of agent {kind!r}{hint} (known: {', '.join(kinds)})")
    named = _hosts(hosts)

    def mark(function: F) -> F:
        function.company_lab_kind = kind  # type: ignore[attr-defined]
        function.company_lab_model_free = model_free  # type: ignore[attr-defined]
        function.company_lab_hosts = named  # type: ignore[attr-defined]
        return function

    return mark


def _hosts(hosts: Mapping[str, str | None] | Sequence[str]) -> Mapping[str, str | None]:
    from company_lab.agents.pacing import parse_rate

    if isinstance(hosts, str):
        raise WrongUse(f"hosts are several: write hosts=({hosts!r},)")
    named = dict(hosts) if isinstance(hosts, Mapping) else dict.fromkeys(hosts)
    for rate in named.values():
        if rate is not None:
            parse_rate(rate)
    return named
