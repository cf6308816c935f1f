"""WorldSpec: the names and shapes a world exports, as data.

Scenarios are checked against it at load and judging reads it; neither ever sees the world itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from company_lab.formats.canonical import Json
from company_lab.formats.shapes import Shape, Signature

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario

Reading = Literal["kept", "broken", "not checkable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """Records of one kind. `shape` is an object shape with declared fields."""

    name: str
    department: str
    shape: Shape
    singular: str
    """Generated ids are `<singular>_<n>`."""
    read: str | None = None
    """The permission that lets a role read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """An operation an agent may attempt, `department.name`."""

    name: str
    department: str
    description: str
    signature: Signature
    writes: bool
    permission: str | None = None
    spends: bool = False
    latency_ms: int = 1000

    def json_schema(self) -> dict[str, Json]:
        """Arguments as a JSON Schema object."""
        return self.signature.json_schema()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec:
    """A simulated outside service: operations and the shape of each operation's payload in its ledger."""

    name: str
    department: str
    operations: Mapping[str, Shape]
    answers: tuple[str, ...] = ()
    """Business answers a scenario may set under `providers` (declined, pending, permissive)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSpec:
    """Something that reaches the company from outside. `brings` maps a data key to the table whose record it brings."""

    type: str
    department: str
    shape: Shape
    brings: Mapping[str, str] = field(default_factory=dict)
    read: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactSpec:
    """A named value of the world. `settable` under `initial`, `expectable` under `expected`."""

    name: str
    department: str
    description: str
    shape: Shape
    settable: bool
    expectable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StimulusSpec:
    """A named happening of the short form, with the shape of its value."""

    name: str
    department: str
    description: str
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSpec:
    """A name for a tool with arguments and a task text (`agent_request`)."""

    name: str
    department: str
    tool: str
    args: Mapping[str, Json]
    task: str
    never_claims: tuple[str, ...] = ()
    """Claims a real agent must not make unless the request was carried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSpec:
    """A named statement: the phrases that make it, and the fact that makes it true at that moment.

    A fact behind a claim is true, false, or an object from record id to true or false.
    """

    name: str
    department: str
    phrases: tuple[str, ...]
    fact: str
    commitment: bool = False
    amounts: str | None = None
    """The fact with the amounts it may be made of, where it names one: from record id to a list of amounts."""
    languages: tuple[str, ...] = ("en",)
    """Codes of the languages the phrases cover; in another one nobody can tell whether it was made."""
    every: bool = False
    """A sentence that names no record says it of all of them; otherwise one is enough."""
    denied: tuple[str, ...] = ()
    """Phrases that say that it was not done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSpec:
    """A named question (`asks`) and the phrases it is about."""

    name: str
    department: str
    phrases: tuple[str, ...]
    languages: tuple[str, ...] = ("en",)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountRoleSpec:
    """What an amount is about (refund, open balance), and the words that say so."""

    name: str
    department: str
    phrases: tuple[str, ...]
    amounts: str | None = None
    """The fact with the amounts that are in this role at a moment: from record id to a list of amounts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSpec:
    """A rule of the company: its name, its text, and the tools it concerns (`any` for all)."""

    name: str
    department: str
    text: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCompliance:
    """Whether one rule was kept in one episode, and the records that show it."""

    rule: str
    reading: Reading
    why: str
    evidence: tuple[int, ...] = ()
    """`seq` of records: the actions that broke the rule with their results, or the actions it was asked about."""


RuleReadings: TypeAlias = "Callable[[Scenario, Sequence[Mapping[str, Any]]], Sequence[RuleCompliance]]"
"""Reads every rule of a world over the records of one stored episode of a scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpec:
    """Everything scenarios and judging may know of a world."""

    name: str
    departments: tuple[str, ...]
    tables: Mapping[str, TableSpec]
    tools: Mapping[str, ToolSpec]
    providers: Mapping[str, ProviderSpec]
    events: Mapping[str, EventSpec]
    facts: Mapping[str, FactSpec]
    stimuli: Mapping[str, StimulusSpec]
    requests: Mapping[str, RequestSpec]
    claims: Mapping[str, ClaimSpec]
    questions: Mapping[str, QuestionSpec]
    amount_roles: Mapping[str, AmountRoleSpec]
    rules: Mapping[str, RuleSpec]
    permissions: frozenset[str]
    reasons: frozenset[str]
    """Every reason the guard may give, a closed list."""
    fault_kinds: frozenset[str]
    digest: str
    """SHA-256 over all of the above and the rule readings, functions by their source."""
    crowd: bool = False
    """Whether scenarios may ask for a crowd around their records."""
    hosted: bool = False
    """Whether the suite is somebody else's: its own verdict, given as facts, decides with how the episode ended, and
    everything found beside it is advisory."""
    caveat: str | None = None
    """What a reader of its verdicts must know about how its scenarios are played; stands beside every verdict."""
    read_rules: RuleReadings | None = None
    """How the rules are read over a stored episode; None where nobody can."""
