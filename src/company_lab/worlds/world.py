"""World: a named composition of departments; exports its names and opens episodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from company_lab.formats.canonical import boundary
from company_lab.formats.errors import CompanyLabError, WrongUse
from company_lab.formats.shapes import shown
from company_lab.formats.time import parse_moment
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.spec import WorldSpec
from company_lab.traces.record import Trace
from company_lab.worlds import export
from company_lab.worlds.arguments import argument_check
from company_lab.worlds.composition import all_rules, check_references, claim_facts, the_only, together
from company_lab.worlds.context import Failed
from company_lab.worlds.crowd import Crowded, CrowdedIndex, CrowdMaker
from company_lab.worlds.department import Department, Fact, Tool
from company_lab.worlds.fixture import Fixture, FixtureTables, tables_digest
from company_lab.worlds.guard import CORE_REASONS, Guard
from company_lab.worlds.inbox import Delivery
from company_lab.worlds.index import Index, Tables
from company_lab.worlds.live import LiveWorld
from company_lab.worlds.source import source_digest
from company_lab.worlds.state import NoSuchRecord
from company_lab.worlds.waiting import clock_department

T = TypeVar("T")


class World:
    """Departments under one name.

    No table, tool, rule, fact, event, claim or other name may be declared twice, and none may lead nowhere:
    `WrongUse` says which and where.
    Every world also offers `clock.wait`.
    """

    def __init__(
        self, name: str, departments: Sequence[Department], *, crowd: CrowdMaker | None = None
    ) -> None:
        self.name = name
        self.crowd = crowd
        """Makes the crowd of scenarios that ask for one; None where this world has none to offer."""
        self.departments = (*departments, clock_department)
        self.tables = self._all("table", lambda department: department.tables.items())
        self.tools = self._all("tool", lambda department: department.tools.items())
        self.facts: Mapping[str, Fact] = self._all("fact", lambda department: department.facts.items())
        self.events = self._all("event", lambda department: department.events.items())
        self.happenings = self._all("stimulus", lambda department: department.happenings.items())
        self.requests = self._all("request", lambda department: _by_name(department.requests))
        self.claims = self._all("claim", lambda department: _by_name(department.claims))
        self.questions = self._all("question", lambda department: _by_name(department.questions))
        self.amount_roles = self._all("amount role", lambda department: _by_name(department.amount_roles))
        self.providers = self._all("provider", lambda department: _by_name(department.providers))
        self.mutations = self._all("mutation", lambda department: department.mutations.items())
        self.reasons = CORE_REASONS.union(*(department.reasons for department in self.departments))
        self.guard = Guard(all_rules(self.departments), self.tools.values(), self.reasons)
        self.singular = {table: declared.singular for table, declared in self.tables.items()}
        self.claim_fact_names = tuple(claim_facts(self))
        holding, using = (the_only(self.departments, name) for name in ("on_hold", "on_approved_use"))
        self.on_hold = None if holding is None else holding.on_hold
        self.on_approved_use = None if using is None else using.on_approved_use
        self._checks = {tool.name: argument_check(tool.signature) for tool in self.tools.values()}
        check_references(self)

    def extended(self, name: str, *departments: Department) -> World:
        """A world of another name with the departments of this one and some more."""
        own = [one for one in self.departments if one is not clock_department]
        return World(name, [*own, *departments], crowd=self.crowd)

    def _all(self, what: str, declared: Callable[[Department], Iterable[tuple[str, T]]]) -> dict[str, T]:
        return together(self.departments, what, declared)

    @cached_property
    def spec(self) -> WorldSpec:
        """The names and shapes this world exports."""
        return export.world_spec(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over what the departments are made of: their code, names and phrases."""
        return source_digest(self.name, self.departments, crowd=self.crowd)

    def bad_arguments(self, tool: Tool, args: object) -> str | None:
        """What is wrong with the arguments of a call, in words, or None."""
        return self._checks[tool.name](args)

    def prepare(self, scenario: Scenario) -> Fixture:
        """The start of a scenario: records as written, facts set in document order, hashed."""
        own = scenario.role.tenant
        tables: FixtureTables = {table: dict(records) for table, records in scenario.initial.tables.items()}
        if scenario.initial.facts:
            tables = self._with_facts(scenario, tables)
        tenants: dict[str, Tables] = {own: tables}
        for tenant, foreign in scenario.other_tenants.items():
            tenants[tenant] = {table: dict(records) for table, records in foreign.items()}
        deliveries = tuple(
            Delivery(
                due_ms=event.at_ms,
                position=position,
                id=event.id,
                type=event.type,
                data=event.data,
                sender=event.sender,
                wakes=event.wakes,
            )
            for position, event in enumerate(scenario.events)
        )
        crowd = None
        indexes = {tenant: Index(tables) for tenant, tables in tenants.items()}
        if scenario.crowd is not None:
            if self.crowd is None:
                raise WrongUse(f"the world {self.name} has no crowd, which {scenario.id} asks for")
            crowd = self.crowd(scenario, tables)
            tenants[own] = {
                table: Crowded(tables.get(table, {}), crowd, table)
                if table in crowd.bulk.tables or table in crowd.near
                else tables[table]
                for table in dict.fromkeys((*tables, *crowd.bulk.tables, *crowd.near))
            }
            indexes[own] = CrowdedIndex(tenants[own], crowd)
        return Fixture(
            world=self,
            scenario=scenario,
            start=parse_moment(scenario.clock),
            tenants=tenants,
            indexes=indexes,
            deliveries=deliveries,
            digest=tables_digest(tenants, crowd),
        )

    def _with_facts(self, scenario: Scenario, tables: FixtureTables) -> FixtureTables:
        own = scenario.role.tenant
        building = Fixture(
            world=self,
            scenario=scenario,
            start=parse_moment(scenario.clock),
            tenants={own: tables},
            indexes={own: Index(tables)},
            deliveries=(),
            digest="",
        )
        live = LiveWorld(building, Trace())
        context = live.building()
        for name, value in scenario.initial.facts.items():
            setter = self.facts[name].set
            if setter is None:
                raise WrongUse(f"the fact {name} can not be set")
            try:
                setter(context, boundary(value))
            except (Failed, NoSuchRecord, CompanyLabError) as error:
                raise WrongUse(
                    f"the fact {name} of {scenario.id} can not be set to {shown(value)}: {error}"
                ) from None
        if any(provider.ledger for provider in live.providers.values()):
            raise WrongUse(
                f"the facts of {scenario.id} let a provider act; what is set at the start is records"
            )
        built: FixtureTables = {table: dict(records) for table, records in tables.items()}
        for change in live.state.net_changes():
            record = live.state.get(change["table"], change["id"])
            if record is None:
                built[change["table"]].pop(change["id"], None)
                continue
            for mismatch in self.spec.tables[change["table"]].shape.mismatches(record):
                place = ".".join((change["table"], change["id"], *map(str, mismatch.path)))
                raise WrongUse(
                    f"the facts of {scenario.id} build a wrong record, {place}: "
                    f"found {mismatch.found}, expected {mismatch.expected}"
                )
            built.setdefault(change["table"], {})[change["id"]] = dict(record)
        return built


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


def _by_name(items: Sequence[N]) -> Iterator[tuple[str, N]]:
    return ((item.name, item) for item in items)
