"""Expected: what must come of a scenario. Every entry gates unless it says `advisory`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)
from pydantic_core import CoreSchema

from company_lab.scenarios.codes import ExpectedStop, Severity
from company_lab.scenarios.part import Given, JsonObject, JsonValue, Named, Part, unfit
from company_lab.scenarios.scalars import Count, Currency, Date, Dollars, Milliseconds, Positive, Token

ToolName: TypeAlias = Annotated[StrictStr, Named("tools")]
Patches: TypeAlias = dict[str, dict[str, JsonObject]]
Name: TypeAlias = StrictStr


class Entry(Part):
    """A single expectation, which may speak for itself."""

    severity: Annotated[Severity | None, Given] = None
    """Instead of the severity its code has in this scenario."""
    advisory: StrictBool = False
    """Reported, and never a reason to fail."""


class TimesRange(Part):
    """A number of times, bounded on one side or both."""

    at_least: Annotated[Count | None, Given] = None
    at_most: Annotated[Count | None, Given] = None

    @model_validator(mode="after")
    def _bounded(self) -> TimesRange:
        low, high = self.at_least, self.at_most
        if low is None and high is None:
            raise unfit("an empty range", expected="at_least, at_most, or both")
        if low is not None and high is not None and low > high:
            raise unfit("a range that nothing is in", expected="at_least not above at_most")
        return self


def _times_form(value: object) -> str:
    return "range" if isinstance(value, (dict, TimesRange)) else "count"


Times: TypeAlias = Annotated[
    Annotated[Count, Tag("count")] | Annotated[TimesRange, Tag("range")], Discriminator(_times_form)
]
"""A count, or a range."""


class ExpectedAction(Entry):
    """An action that must be executed, or under `forbidden` must not even be attempted.

    `args` holds plain values and matchers as written. `tool: any` under `forbidden` means every tool.
    """

    tool: StrictStr
    args: JsonObject = Field(default_factory=dict)
    times: Annotated[Times | None, Given] = None


class ExpectedEffect(Entry):
    """An effect that must stand in a provider's ledger, counted there and nowhere else."""

    provider: Annotated[StrictStr, Named("providers")]
    op: StrictStr
    match: JsonObject = Field(default_factory=dict)
    times: Annotated[Times | None, Given] = None
    sum_minor: Annotated[StrictInt | None, Given] = None
    """What the amounts of all matching effects add up to, in minor units."""


class ExpectedEvidence(Entry):
    """A read that must have succeeded before the first call of `before`."""

    tool: ToolName
    args: JsonObject = Field(default_factory=dict)
    before: ToolName


Actions: TypeAlias = tuple[Annotated[ExpectedAction, Named("action")], ...]
Effects: TypeAlias = tuple[Annotated[ExpectedEffect, Named("effect")], ...]
Evidence: TypeAlias = tuple[Annotated[ExpectedEvidence, Named("arguments")], ...]
_CONTENTS = ("amount_minor", "literal", "number", "date", "id")


class States(Entry):
    """One thing some text must say: exactly one of an amount, a literal, a number, a date, an id."""

    amount_minor: Annotated[StrictInt | None, Given] = None
    currency: Annotated[Currency | None, Given] = None
    literal: Annotated[StrictStr | None, Given, Field(min_length=1)] = None
    number: Annotated[StrictInt | StrictFloat | None, Given] = None
    date: Annotated[Date | None, Given] = None
    id: Annotated[StrictStr | None, Given, Field(min_length=1)] = None
    to: Annotated[StrictStr | None, Given] = None
    """The receiver's address; None is the reply."""
    role: Annotated[StrictStr | None, Given, Named("amount_roles")] = None
    """What the amount is about, such as a refund or an open balance."""
    turn: Annotated[Positive | None, Given] = None

    @model_validator(mode="after")
    def _one_content(self) -> States:
        contents = [name for name in _CONTENTS if getattr(self, name) is not None]
        if len(contents) != 1:
            said = " and ".join(contents) if contents else "nothing to be stated"
            raise unfit(f"{said} in one entry", expected="exactly one of " + ", ".join(_CONTENTS))
        if (self.amount_minor is None) != (self.currency is None):
            raise unfit(
                "an amount is a number and a currency", expected="amount_minor together with currency"
            )
        if self.role is not None and self.amount_minor is None:
            raise unfit("a role is a role of an amount", expected="role together with amount_minor")
        return self


class Asks(Entry):
    """A question some text must ask."""

    question: Annotated[StrictStr, Named("questions")]
    to: Annotated[StrictStr | None, Given] = None
    turn: Annotated[Positive | None, Given] = None


class Disclosure(Entry):
    """Something no text may give away: the value at a record path, or a text."""

    path: Annotated[StrictStr | None, Given] = None
    """`table.record.field`, behind `tenant/` for another tenant's."""
    text: Annotated[StrictStr | None, Given, Field(min_length=1)] = None

    @model_validator(mode="after")
    def _one_form(self) -> Disclosure:
        if (self.path is None) == (self.text is None):
            raise unfit("a disclosure is one thing", expected="a record path, or {text: ...}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, handler(schema)]}


def _spelt_out(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


class Told(Part):
    """What the reply and every text that left the company must and must not say."""

    states: tuple[States, ...] = ()
    asks: tuple[Asks, ...] = ()
    never_claims: tuple[Annotated[StrictStr, Named("claims")], ...] = ()
    claims_only_if_true: tuple[Annotated[StrictStr, Named("claims")], ...] = ()
    never_discloses: tuple[Annotated[Disclosure, BeforeValidator(_spelt_out)], ...] = ()
    turn: Annotated[Positive | None, Given] = None
    """Speaks of this turn only, unless an entry names another."""


class JudgedLimits(Part):
    """Bounds that are judged and do not stop the episode."""

    cost_usd: Annotated[Dollars | None, Given] = None
    latency_ms: Annotated[Milliseconds | None, Given] = Field(default=None, alias="latency")
    simulated_ms: Annotated[Milliseconds | None, Given] = Field(default=None, alias="simulated")
    turns: Annotated[Count | None, Given] = None
    calls: Annotated[Count | None, Given] = None
    tokens: Annotated[Count | None, Given] = None


class Alternative(Part):
    """Another way to be right: it replaces all that must happen and nothing that must not."""

    id: Token
    state: Annotated[Patches, Named("patches")] = Field(default_factory=dict)
    created: Annotated[dict[str, tuple[JsonObject, ...]], Named("created")] = Field(default_factory=dict)
    deleted: Annotated[dict[str, tuple[StrictStr, ...]], Named("deleted")] = Field(default_factory=dict)
    actions: Actions = ()
    effects: Effects = ()
    evidence: Evidence = ()
    told: Told = Told()


def _freedom_form(value: object) -> str:
    return "any" if isinstance(value, str) else "some"


_Any: TypeAlias = Annotated[Literal["any"], Tag("any")]
Freedom: TypeAlias = Annotated[
    _Any
    | Annotated[
        dict[
            str,
            Annotated[_Any | Annotated[tuple[StrictStr, ...], Tag("some")], Discriminator(_freedom_form)],
        ],
        Tag("some"),
    ],
    Discriminator(_freedom_form),
]
"""What may change in a table without being expected: anything, or fields by record."""


class Expected(Part):
    """What must come of a scenario, and what must not."""

    state: Annotated[Patches, Named("patches")] = Field(default_factory=dict)
    """A patch over `initial`, by table and record."""
    created: Annotated[dict[str, tuple[JsonObject, ...]], Named("created")] = Field(default_factory=dict)
    """Partial new records by table, matched one to one by content."""
    deleted: Annotated[dict[str, tuple[StrictStr, ...]], Named("deleted")] = Field(default_factory=dict)
    may_change: Annotated[dict[str, Freedom], Named("may_change")] = Field(default_factory=dict)
    actions: Actions = ()
    forbidden: tuple[Annotated[ExpectedAction, Named("forbidden")], ...] = ()
    effects: Effects = ()
    evidence: Evidence = ()
    told: Told = Told()
    stop: ExpectedStop = "finished"
    limits: JudgedLimits = JudgedLimits()
    alternatives: tuple[Alternative, ...] = ()
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    """Named values of the short form; in YAML they stand beside the other keys."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler.resolve_ref_schema(handler(schema))
        described["properties"].pop("facts", None)
        described["x-names"] = "expected"
        return described
