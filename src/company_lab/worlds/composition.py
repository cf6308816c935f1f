"""Composition: what the departments of a world declare together, and whether it fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, TypeVar

from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.shapes import Shape
from company_lab.worlds.annotations import record_shape
from company_lab.worlds.arguments import argument_check
from company_lab.worlds.department import Department
from company_lab.worlds.guard import CORE_RULES, Rule

if TYPE_CHECKING:
    from company_lab.worlds.world import World

T = TypeVar("T")


def together(
    departments: Sequence[Department], what: str, declared: Callable[[Department], Iterable[tuple[str, T]]]
) -> dict[str, T]:
    """Everything of one sort that the departments declare, by name; a name that stands twice is `WrongUse`."""
    found: dict[str, T] = {}
    owner: dict[str, str] = {}
    for department in departments:
        for name, item in declared(department):
            if name in owner:
                by = (
                    f"by {owner[name]} and by {department.name}"
                    if owner[name] != department.name
                    else "twice"
                )
                raise WrongUse(f"the {what} {name} is declared {by}")
            found[name] = item
            owner[name] = department.name
    return found


def the_only(departments: Sequence[Department], name: str) -> Department | None:
    """The one department that sets `name` (`on_hold`, `on_approved_use`), if any."""
    setting = [department for department in departments if getattr(department, name) is not None]
    if len(setting) > 1:
        raise WrongUse(f"{name} is set by {setting[0].name} and by {setting[1].name}; a world has one")
    return setting[0] if setting else None


def all_rules(departments: Sequence[Department]) -> tuple[Rule, ...]:
    """The rules every world has, then the departments' own."""
    core = {rule.name: rule for rule in CORE_RULES}
    own = together(departments, "rule", lambda department: [(rule.name, rule) for rule in department.rules])
    for name in own:
        if name in core:
            raise WrongUse(
                f"the rule {name} of {own[name].department} has the name of a rule every world has"
            )
    return (*core.values(), *own.values())


def check_references(world: World) -> None:
    """Refuse names that lead nowhere: `WrongUse` says which, where, and the nearest that exists."""
    for rule in world.guard.rules:
        for tool in rule.tools:
            if tool != "any":
                _known(
                    tool,
                    world.tools,
                    f"the rule {rule.name} concerns {tool}, which is no tool of {world.name}",
                )
    for claim in world.claims.values():
        _known(
            claim.fact,
            world.facts,
            f"the claim {claim.name} rests on the fact {claim.fact}, which is not declared",
        )
    for item, amounts in _amounts(world):
        _known(
            amounts,
            world.facts,
            f"{item} takes its amounts from the fact {amounts}, which is not declared",
        )
    for request in world.requests.values():
        _known(request.tool, world.tools, f"the request {request.name} uses {request.tool}, which is no tool")
        problem = argument_check(world.tools[request.tool].signature)(dict(request.args))
        if problem is not None:
            raise WrongUse(f"the request {request.name} does not fit {request.tool}: {problem}")
        for name in request.never_claims:
            _known(
                name,
                world.claims,
                f"the request {request.name} names the claim {name}, which is not declared",
            )
    for event in world.events.values():
        for key, table in event.brings.items():
            _known(
                key,
                event.shape.fields or {},
                f"the event {event.type} has no {key} that could bring a record",
            )
            _known(
                table, world.tables, f"the event {event.type} brings a record of {table}, which is no table"
            )
    for name, declared in world.tables.items():
        if declared.expires is not None:
            fields = record_shape(declared.record).fields or {}
            _known(declared.expires, fields, f"the records of {name} have no {declared.expires} to expire by")
            if not fields[declared.expires].moment:
                raise WrongUse(f"{declared.expires} of {name} is no moment, so nothing can expire by it")
    for place, shape in _shapes(world):
        for table in _references(shape):
            _known(table, world.tables, f"{place} refers to {table}, which is no table of {world.name}")


def claim_facts(world: World) -> dict[str, None]:
    """The facts that texts are held against: those behind claims, and the amounts of claims and roles."""
    named = [claim.fact for claim in world.claims.values()]
    return dict.fromkeys([*named, *(amounts for _, amounts in _amounts(world))])


def _amounts(world: World) -> Iterator[tuple[str, str]]:
    for claim in world.claims.values():
        if claim.amounts is not None:
            yield f"the claim {claim.name}", claim.amounts
    for role in world.amount_roles.values():
        if role.amounts is not None:
            yield f"the amount role {role.name}", role.amounts


def _known(name: str, names: Mapping[str, object], message: str) -> None:
    if name not in names:
        _unknown(name, names, message)


def _unknown(name: str, names: Mapping[str, object], message: str) -> NoReturn:
    close = nearest(name, names)
    raise WrongUse(f"{message}; did you mean {close}?" if close else message)


def _shapes(world: World) -> Iterator[tuple[str, Shape]]:
    for tool in world.tools.values():
        for name, parameter in tool.signature.parameters.items():
            yield f"the argument {name} of {tool.name}", parameter.shape
    for name, table in world.tables.items():
        yield f"the table {name}", record_shape(table.record)
    for event in world.events.values():
        yield f"the event {event.type}", event.shape
    for fact in world.facts.values():
        yield f"the fact {fact.name}", fact.shape
    for happening in world.happenings.values():
        yield f"the stimulus {happening.name}", happening.shape
    for provider in world.providers.values():
        for op, payload in provider.shapes().items():
            yield f"the operation {op} of {provider.name}", payload


def _references(shape: Shape) -> Iterator[str]:
    if shape.references is not None:
        yield shape.references
    for inner in (shape.items, shape.values, *(shape.fields or {}).values()):
        if inner is not None:
            yield from _references(inner)
