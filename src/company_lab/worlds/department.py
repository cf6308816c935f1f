"""Department: the unit a world is built from, with everything it declares."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import Shape, Signature
from company_lab.worlds.annotations import record_shape, shape_of, signature_of
from company_lab.worlds.guard import OwnReading, Rule, RuleCheck
from company_lab.worlds.providers import Provider

if TYPE_CHECKING:
    from company_lab.worlds.context import Context

F = TypeVar("F", bound=Callable[..., Any])
FactGetter: TypeAlias = "Callable[[Context], Json]"
FactSetter: TypeAlias = "Callable[[Context, Any], None]"
FLAT_KINDS = frozenset({"text", "integer", "number", "boolean"})
EventHandler: TypeAlias = "Callable[[Context, Mapping[str, Json]], None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Records of one kind, declared by a TypedDict. Generated ids are `<singular>_<n>`."""

    record: type
    singular: str
    read: str | None = None
    expires: str | None = None
    """The field with the moment at which a record stops being good for anything, as of an approval or a lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """An operation the agent may attempt."""

    name: str
    department: str
    function: Callable[..., Json]
    description: str
    signature: Signature
    writes: bool
    permission: str | None
    spends: bool
    latency_ms: int
    flat: bool
    """Whether no argument can hold a list or an object, so that arguments need no copy."""


@dataclass(slots=True)
class Fact:
    """A named value of the world, with how to read it and, where it may be set, how to set it."""

    name: str
    department: str
    description: str
    shape: Shape
    get: FactGetter | None = None
    set: FactSetter | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
    """Something that reaches the company from outside, and what it does to the records."""

    type: str
    department: str
    shape: Shape
    brings: Mapping[str, str]
    read: str | None
    handle: EventHandler


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """A named stimulus of the short form."""

    name: str
    department: str
    description: str
    shape: Shape
    happen: FactSetter


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A name for a tool with arguments and a task text.

    `never_claims` are claims a real agent must not make unless the request was carried out.
    """

    name: str
    tool: str
    args: Mapping[str, Json]
    task: str
    never_claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A named statement: the phrases that make it and the fact that makes it true at that moment.

    `commitment` marks claims that bind the company (they free a customer, promise money). `languages` are those the
    phrases cover; in another one nobody can tell whether the claim was made. `amounts` names a fact with the amounts
    it may be made of: an object from record id to a list of amounts, each with amount_minor and currency, or to null
    where they can not be told. With `every`, a sentence that names no record speaks of all of them; without, one is
    enough. `denied` are phrases that say that it was not done; who says so of an action of its own that did happen,
    or of one without an answer, says something untrue.
    """

    name: str
    phrases: tuple[str, ...]
    fact: str
    commitment: bool = False
    amounts: str | None = None
    languages: tuple[str, ...] = ("en",)
    every: bool = False
    denied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A named question an agent may ask, and the phrases it is about, in `languages`."""

    name: str
    phrases: tuple[str, ...]
    languages: tuple[str, ...] = ("en",)


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountRole:
    """What an amount is about, and the words that say so.

    `amounts` names a fact with the amounts that are in this role at a moment, in the shape that claims have.
    """

    name: str
    phrases: tuple[str, ...]
    amounts: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A way of making another scenario from one that plays in this department, with what must come of it.

    `derive` gets the plain document of a scenario, which it may change, and a stream to draw from. It returns the new
    document, or in words why it has nothing to do with this one. Wrong conducts that it adds must fail, and so must
    the reference of the original where it `differs`; the lab plays all of that before anybody gets to see it.
    """

    meaning: str
    derive: Callable[[dict[str, Any], Random], dict[str, Any] | str]
    differs: bool = True
    """Whether what was right in the original is wrong in what becomes of it."""


@dataclass(slots=True)
class Department:
    """Tables, tools, rules, providers, facts, claims, stimuli and requests under one name.

    Declare tables and plain data in the constructor and functions with the decorators; a world is a
    list of departments.
    """

    name: str
    tables: Mapping[str, Table] = field(default_factory=dict)
    providers: Sequence[Provider] = ()
    claims: Sequence[Claim] = ()
    questions: Sequence[Question] = ()
    amount_roles: Sequence[AmountRole] = ()
    requests: Sequence[Request] = ()
    reasons: Sequence[str] = ()
    """Reasons this department's rules may give; the guard knows no others."""
    permissions: Sequence[str] = ()
    """Permissions beside those its tools and tables name."""
    tools: dict[str, Tool] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    facts: dict[str, Fact] = field(default_factory=dict)
    events: dict[str, EventKind] = field(default_factory=dict)
    happenings: dict[str, Happening] = field(default_factory=dict)
    mutations: Mapping[str, Mutation] = field(default_factory=dict)
    """Ways of making other scenarios from those that are there, by name (`company-lab mutate`)."""
    on_hold: Callable[[Context, Tool, Mapping[str, Json], str], Json] | None = None
    """Writes down that an action waits for a person; its answer, whose `id` or `approval` names the request,
    reaches the agent with the refusal."""
    on_approved_use: Callable[[Context, str], None] | None = None
    """Uses up an approval that covered an action which was carried out."""

    def tool(
        self,
        *,
        permission: str | None = None,
        writes: bool = False,
        spends: bool = False,
        latency_ms: int = 1000,
        name: str | None = None,
    ) -> Callable[[F], F]:
        """Declare a tool: a function of a context and annotated arguments that returns JSON.

        Its first docstring paragraph is the description an agent reads. Read tools get a read-only context.
        """

        def declare(function: F) -> F:
            full = f"{self.name}.{name or function.__name__}"
            if full in self.tools:
                raise WrongUse(f"the tool {full} is declared twice")
            description = inspect.getdoc(function)
            if not description:
                raise WrongUse(f"the tool {full} needs a docstring: agents read it")
            signature = signature_of(function)
            self.tools[full] = Tool(
                name=full,
                department=self.name,
                function=function,
                description=description.split("\n\n")[0].replace("\n", " "),
                signature=signature,
                writes=writes,
                permission=permission,
                spends=spends,
                latency_ms=latency_ms,
                flat=all(parameter.shape.kind in FLAT_KINDS for parameter in signature.parameters.values()),
            )
            return function

        return declare

    def rule(
        self,
        text: str,
        *,
        tools: Sequence[str],
        reading: OwnReading | None = None,
    ) -> Callable[[RuleCheck], RuleCheck]:
        """Declare a rule for some tools (`department.name`, or `any`); the function's name is the rule's.

        The check serves the guard and the reading of stored episodes alike. `reading` takes its place in the
        latter, for a rule that shows only over several actions.
        """

        def declare(check: RuleCheck) -> RuleCheck:
            self.rules.append(
                Rule(
                    name=check.__name__,
                    text=text,
                    tools=tuple(tools),
                    check=check,
                    department=self.name,
                    reading=reading,
                )
            )
            return check

        return declare

    def fact(self, annotation: object, *, name: str | None = None) -> Callable[[FactGetter], FactGetter]:
        """Declare a named value a scenario may expect; the docstring describes it."""

        def declare(get: FactGetter) -> FactGetter:
            fact = self._fact(name or get.__name__, annotation, get)
            if fact.get is not None:
                raise WrongUse(f"the fact {fact.name} of {self.name} is declared twice")
            fact.get = get
            return get

        return declare

    def sets(self, fact: str, annotation: object) -> Callable[[FactSetter], FactSetter]:
        """Declare how a scenario sets a fact under `initial`."""

        def declare(set: FactSetter) -> FactSetter:
            known = self._fact(fact, annotation, set)
            if known.set is not None:
                raise WrongUse(f"how the fact {fact} of {self.name} is set is declared twice")
            known.set = set
            return set

        return declare

    def _fact(self, name: str, annotation: object, function: Callable[..., object]) -> Fact:
        shape = shape_of(annotation)
        known = self.facts.get(name)
        if known is None:
            known = Fact(name, self.name, inspect.getdoc(function) or "", shape)
            self.facts[name] = known
        elif known.shape != shape:
            raise WrongUse(f"the fact {name} is declared with two different types")
        return known

    def event(
        self, type: str, data: type, *, brings: Mapping[str, str] | None = None, read: str | None = None
    ) -> Callable[[EventHandler], EventHandler]:
        """Declare an event type; the function applies a delivery to the records.

        `brings` maps a key of the data to the table whose record the event brings; `read` is the
        permission that lets a role see it.
        """

        def declare(handle: EventHandler) -> EventHandler:
            if type in self.events:
                raise WrongUse(f"the event {type} is declared twice")
            self.events[type] = EventKind(
                type=type,
                department=self.name,
                shape=record_shape(data),
                brings=dict(brings or {}),
                read=read,
                handle=handle,
            )
            return handle

        return declare

    def stimulus(self, annotation: object, *, name: str | None = None) -> Callable[[FactSetter], FactSetter]:
        """Declare a named happening of the short form; the function applies it with the scenario's value."""

        def declare(happen: FactSetter) -> FactSetter:
            full = name or happen.__name__
            if full in self.happenings:
                raise WrongUse(f"the stimulus {full} is declared twice")
            self.happenings[full] = Happening(
                name=full,
                department=self.name,
                description=inspect.getdoc(happen) or "",
                shape=shape_of(annotation),
                happen=happen,
            )
            return happen

        return declare
