"""The loaded scenario: what is asked and what must come of it.

One definition for the YAML form, its JSON Schema and the repr. Scenarios are built by `scenarios.loader`,
which turns the short form into this one and checks every name against the world.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)
from pydantic_core import CoreSchema

from company_lab.formats.canonical import Json
from company_lab.scenarios.codes import Severity
from company_lab.scenarios.conduct import ConductTurn, Step, WrongConduct
from company_lab.scenarios.expected import (
    Alternative,
    Asks,
    Disclosure,
    Expected,
    ExpectedAction,
    ExpectedEffect,
    ExpectedEvidence,
    JudgedLimits,
    States,
    Times,
    TimesRange,
    Told,
)
from company_lab.scenarios.part import Given, JsonObject, JsonValue, Named, Part, unfit
from company_lab.scenarios.scalars import Count, Dollars, Locale, Milliseconds, Moment, Positive, Token

__all__ = [
    "DEFAULT_CLOCK",
    "DEFAULT_TENANT",
    "Alternative",
    "Asks",
    "AuditNotes",
    "ConductTurn",
    "Crowd",
    "Disclosure",
    "Event",
    "Expected",
    "ExpectedAction",
    "ExpectedEffect",
    "ExpectedEvidence",
    "Fault",
    "Follow",
    "Initial",
    "JudgedLimits",
    "Person",
    "Role",
    "Scenario",
    "Source",
    "States",
    "Step",
    "Stimulus",
    "StopLimits",
    "Suite",
    "Times",
    "TimesRange",
    "Told",
    "When",
    "WrongConduct",
]

DEFAULT_CLOCK = "2026-03-02T09:00:00+00:00"
"""Where a scenario without a clock begins: a Monday morning."""
DEFAULT_TENANT = "main"

Permissions = Annotated[tuple[Annotated[StrictStr, Named("permissions")], ...] | None, Given]
Records = Annotated[dict[str, dict[str, JsonObject]], Named("records")]


class Role(Part):
    """In whose name the agent works. No permissions named is every permission of the world's departments."""

    tenant: Token = DEFAULT_TENANT
    permissions: Permissions = None


class Person(Part):
    """Somebody who may ask or approve; the guard takes what both the role and the person may."""

    permissions: Permissions = None
    approves: tuple[Annotated[StrictStr, Named("tools")], ...] = ()
    """Tools whose held actions this person may approve."""
    tenant: Annotated[Token | None, Given] = None
    """None is the tenant of the role."""


class Initial(Part):
    """What exists at the start. In YAML, tables and facts stand side by side under their names."""

    tables: dict[str, dict[str, JsonObject]] = Field(default_factory=dict)
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    """Named values in document order."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "object", "x-names": "initial"}


class Crowd(Part):
    """Records that the world adds around those of the scenario, so that searches meet more than what matters."""

    size: Annotated[Positive, Field(le=1_000_000)]
    """How many of each kind."""
    seed: StrictInt = 0


class Event(Part):
    """Something that reaches the company from outside, `at_ms` simulated milliseconds after the clock."""

    at_ms: Milliseconds = Field(alias="at")
    id: Token
    type: Annotated[StrictStr, Named("events")]
    data: JsonObject = Field(default_factory=dict)
    wakes: StrictBool = False
    """Starts another turn of the agent."""
    sender: Annotated[StrictStr | None, Given] = Field(default=None, alias="from")


class When(Part):
    """What a follow-up waits for: a question the agent asked, or a tool it used."""

    asks: Annotated[StrictStr | None, Given, Named("questions")] = None
    after: Annotated[StrictStr | None, Given, Named("tools")] = None

    @model_validator(mode="after")
    def _one_cause(self) -> When:
        if (self.asks is None) == (self.after is None):
            raise unfit("a follow-up waits for one thing", expected="{asks: question} or {after: tool}")
        return self


class Follow(Part):
    """A message that comes later in the conversation."""

    when: When
    sender: Annotated[StrictStr | None, Given] = Field(default=None, alias="from")
    message: StrictStr = Field(min_length=1)


class Stimulus(Part):
    """What sets the agent to work. In YAML the happenings stand beside the other keys under their names."""

    sender: Annotated[StrictStr | None, Given] = Field(default=None, alias="from")
    message: Annotated[StrictStr | None, Given, Field(min_length=1)] = None
    then: tuple[Follow, ...] = ()
    happenings: tuple[tuple[str, JsonValue], ...] = ()
    """Named stimuli with their values, applied in document order, before the request."""
    request: Annotated[StrictStr | None, Given, Named("requests")] = Field(
        default=None, alias="agent_request"
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler.resolve_ref_schema(handler(schema))
        described["properties"].pop("happenings", None)
        described["x-names"] = "stimulus"
        return described


class StopLimits(Part):
    """Bounds that stop the episode."""

    turns: Positive = 8
    calls: Positive = 60
    tokens: Annotated[Positive | None, Given] = None
    cost_usd: Annotated[Dollars | None, Given] = None
    simulated_ms: Milliseconds = Field(default=30 * 86_400_000, alias="simulated")
    wall_ms: Milliseconds = Field(default=120_000, alias="wall")
    output_bytes: Positive = Field(default=1_000_000, alias="output")
    repeats: Positive = 6
    """How often the same action may be attempted in an episode, waiting excepted."""
    crashes: Count = 3
    """How often the agent is restarted after a scheduled crash."""


class Fault(Part):
    """A scheduled misbehaviour of the environment, on a tool or on an event by its id.

    `fault_kinds.KINDS` says what each kind means and which of these keys it takes.
    """

    on: StrictStr
    kind: Annotated[StrictStr, Named("fault_kinds")]
    occurrence: Positive = 1
    """The how-manieth value of the tool's target arguments."""
    attempt: Positive = 1
    """The how-manieth call with that value."""
    by_ms: Annotated[Milliseconds | None, Given] = Field(default=None, alias="by")
    error: Annotated[StrictStr | None, Given] = None
    at: Annotated[Literal["before", "after", "answered", "saved"] | None, Given] = None
    """Where around the call a crash comes: before the effect, after it but before the answer, after the answer
    but before the agent saved anything, after the save."""
    restart: Annotated[Literal["task", "transcript", "checkpoint"] | None, Given] = None
    """With what an agent comes back after a crash; None is its own checkpoint."""
    change: Annotated[dict[str, JsonValue] | None, Given] = None
    """What somebody else changes: `{table: {id: {field: value}}}`; of a forged event, fields of its data."""


class AuditNotes(Part):
    """What an audit of the suite is to know about this scenario. It changes no verdict."""

    accepts: dict[StrictStr, Annotated[StrictStr, Field(min_length=1)]] = Field(default_factory=dict)
    """Audits whose findings are accepted here, by code, each with the reason; such findings are shown all the same."""
    given: tuple[Annotated[StrictStr, Field(min_length=1)], ...] = ()
    """Values that are part of the task, as they stand in it, though they must be stated in the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a scenario was written."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else f"line {self.line}"


def _format(value: object) -> object:
    # Literal[1] alone takes true and 1.0 for 1.
    if type(value) is not int or value != 1:
        raise unfit("this version reads format 1 only", expected="1")
    return value


class Scenario(Part):
    """One fixture and what must come of it."""

    format: Annotated[Literal[1], BeforeValidator(_format)] = 1
    id: Token
    title: StrictStr = Field(min_length=1)
    world: StrictStr = Field(default="company", min_length=1)
    failure_class: Annotated[Token | None, Given] = None
    family: Annotated[Token | None, Given] = None
    severity: Severity = "major"
    split: Literal["development", "held_out"] = "development"
    clock: Moment = DEFAULT_CLOCK
    locale: Locale = "en"
    role: Role = Role()
    people: dict[str, Person] = Field(default_factory=dict)
    initial: Initial = Initial()
    crowd: Annotated[Crowd | None, Given] = None
    other_tenants: dict[str, Records] = Field(default_factory=dict)
    events: tuple[Annotated[Event, Named("event")], ...] = ()
    stimulus: Stimulus = Stimulus()
    expected: Expected
    limits: StopLimits = StopLimits()
    providers: Annotated[dict[str, dict[str, tuple[JsonObject, ...]]], Named("provider_answers")] = Field(
        default_factory=dict
    )
    faults: tuple[Annotated[Fault, Named("fault")], ...] = ()
    reference: tuple[ConductTurn, ...] = ()
    wrong: tuple[WrongConduct, ...] = ()
    variant: Annotated[Token | None, Given] = None
    """The scenario this one is a variant of."""
    twin_of: Annotated[Token | None, Given] = None
    """The nearly identical scenario in which the opposite conduct is right."""
    origin: Annotated[StrictStr | None, Given] = None
    tags: tuple[Token, ...] = ()
    audit: AuditNotes = AuditNotes()

    _source: Source = PrivateAttr(default=Source(file="", line=1))
    _document: dict[str, Json] = PrivateAttr(default_factory=dict)
    _digest: str = PrivateAttr(default="")

    @property
    def source(self) -> Source:
        """Where it was written, for messages."""
        return self._source

    @property
    def document(self) -> dict[str, Json]:
        """The parsed document as plain JSON, in the form in which it was written."""
        return self._document

    @property
    def digest(self) -> str:
        """SHA-256 of the document's content; see `scenarios.loader.content_digest`."""
        return self._digest

    @property
    def is_contract(self) -> bool:
        """Whether a request goes straight to the guard, so that no conduct is needed."""
        return self.stimulus.request is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The scenarios of a folder or a file, in order of file and position."""

    scenarios: tuple[Scenario, ...]
    path: Path
    digest: str
    """SHA-256 over the ids and digests; where the files lie does not matter."""
