"""HostedWorld: a world whose tools are another program's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from company_lab.formats.canonical import Json, boundary, digest
from company_lab.formats.shapes import Kind, Parameter, Shape, Signature
from company_lab.formats.time import parse_moment
from company_lab.scenarios.model import Scenario, Suite
from company_lab.scenarios.spec import WorldSpec
from company_lab.worlds.context import Failed
from company_lab.worlds.department import Department, Table, Tool
from company_lab.worlds.fixture import Fixture, tables_digest
from company_lab.worlds.index import Index, Tables
from company_lab.worlds.world import World

TASK = "hosted_task"
"""The table with the one record that says which task is played."""
THIS = "this"
UNSIMULATED_USER = (
    "nobody plays the user: the suite's policy and the user's own script are the agent's message"
)
"""The caveat of a suite whose users are played by a model where it comes from."""
_KINDS: Mapping[str, Kind] = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "object": "object",
    "array": "list",
}


class Anything(TypedDict, total=False):
    """A record whose fields are another program's business."""


class HostedTask(TypedDict, total=False):
    """Which task of a hosted suite is played."""

    task: str
    against: str | None
    attack: str | None


@dataclass(frozen=True, slots=True)
class Start:
    """The records an environment begins with, hashed and indexed once for all scenarios that begin with them."""

    tables: Tables
    digest: str

    @classmethod
    def of(cls, tables: Tables, *, digest: str | None = None) -> Start:
        """A start whose digest is that of its records unless something stands for them."""
        return cls(tables, tables_digest({"": tables}) if digest is None else digest)


@dataclass(frozen=True, slots=True)
class ForeignSignature(Signature):
    """The arguments of a tool of another program, whose own JSON Schema is what agents are shown."""

    schema: Mapping[str, Json] | None = None

    def json_schema(self) -> dict[str, Json]:
        """The schema as the other program wrote it."""
        return dict(self.schema or {})


def foreign_signature(schema: Mapping[str, Any]) -> ForeignSignature:
    """A signature from a JSON Schema object; what our shapes can not say is anything."""
    document: Any = boundary(schema)
    required = frozenset(document.get("required", ()))
    parameters = {
        name: Parameter(
            name=name, shape=_shape(inner), required=name in required, default=inner.get("default")
        )
        for name, inner in document.get("properties", {}).items()
    }
    return ForeignSignature(parameters=parameters, schema=document)


def _shape(schema: Mapping[str, Any]) -> Shape:
    kind = _KINDS.get(str(schema.get("type")), "any")
    items = schema.get("items")
    choices = schema.get("enum", ())
    return Shape(
        kind=kind,
        nullable=kind == "any",
        choices=tuple(choices) if kind in ("text", "integer") else (),
        items=_shape(items) if kind == "list" and isinstance(items, dict) else None,
        description=str(schema.get("description", "")),
    )


def foreign_tool(
    *,
    department: str,
    name: str,
    description: str,
    schema: Mapping[str, Any],
    function: Callable[..., Json],
    writes: bool,
) -> Tool:
    """A tool of another program, which checks its arguments itself."""
    return Tool(
        name=f"{department}.{name}",
        department=department,
        function=function,
        description=description,
        signature=foreign_signature(schema),
        writes=writes,
        permission=None,
        spends=False,
        latency_ms=1000,
        flat=False,
    )


def hosting_department(name: str, tables: Iterable[str], tools: Iterable[Tool]) -> Department:
    """The department of a hosted suite: its tools, and the tables in which its environment can be seen."""
    declared = {table: Table(record=Anything, singular=f"{table}_entry") for table in tables}
    department = Department(name, tables={**declared, TASK: Table(record=HostedTask, singular="task")})
    department.tools.update((tool.name, tool) for tool in tools)
    return department


def hosted_suite(name: str, scenarios: Iterable[Scenario]) -> Suite:
    """Scenarios as the suite of a host's name, such as `agentdojo:banking`."""
    listed = tuple(scenarios)
    return Suite(scenarios=listed, path=Path(name), digest=digest({one.id: one.digest for one in listed}))


def advisory_actions(calls: Iterable[tuple[str, Mapping[str, Json]]]) -> list[Json]:
    """Calls, by whole names of tools, as advisory expectations: each so often and not more."""
    entries: dict[str, dict[str, Any]] = {}
    for tool, args in calls:
        entry = entries.setdefault(
            f"{tool} {sorted(args.items())}",
            {
                "tool": tool,
                "args": {name: {"equals": item} for name, item in args.items()},
                "times": 0,
                "advisory": True,
            },
        )
        entry["times"] += 1
    return list(entries.values())


def decided(verdict: Callable[[], bool]) -> bool:
    """What a check of the other program says. Where the check itself breaks, nobody has decided: `Failed`, and the
    fact it stands for stays open."""
    try:
        return verdict()
    except Failed:
        raise
    except Exception as error:  # foreign code: whatever it raises says nothing about the agent
        raise Failed("undecided", f"its own check broke: {type(error).__name__}: {error}") from error


class HostedWorld(World):
    """A world whose tools, data and verdicts are another program's.

    `start` gives the records an episode begins with, by what its scenario says of the task; `version` says which
    program this is, and is part of every digest; `caveat` says how playing here differs from playing there, in words
    that stand beside every verdict. Arguments are checked by the tool itself, as the program does: what it takes is
    taken here.
    """

    def __init__(
        self,
        name: str,
        *departments: Department,
        version: str,
        start: Callable[[Mapping[str, Json]], Start],
        caveat: str | None = None,
    ) -> None:
        super().__init__(name, departments)
        self.version = version
        self.caveat = caveat
        self._start = start
        self._foreign = frozenset(tool for one in departments for tool in one.tools)

    @cached_property
    def spec(self) -> WorldSpec:
        """The names and shapes this world exports, marked as hosted."""
        exported = super().spec
        return replace(
            exported, hosted=True, caveat=self.caveat, digest=digest([exported.digest, self.version])
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 over our code and the version of theirs."""
        return digest([super().digest, self.version])

    def bad_arguments(self, tool: Tool, args: object) -> str | None:
        """Only that there are arguments by name: a hosted tool answers for the rest."""
        if tool.name in self._foreign:
            return None if isinstance(args, dict) else "arguments must be an object"
        return super().bad_arguments(tool, args)

    def prepare(self, scenario: Scenario) -> Fixture:
        """The start of a scenario: the environment's own records, and which task it is."""
        own = scenario.role.tenant
        task = scenario.initial.tables.get(TASK, {})
        start = self._start(task.get(THIS, {}))
        tables: Tables = {**start.tables, TASK: dict(task)}
        tenants: dict[str, Tables] = {own: tables}
        return Fixture(
            world=self,
            scenario=scenario,
            start=parse_moment(scenario.clock),
            tenants=tenants,
            indexes={own: Index(tables)},
            deliveries=(),
            digest=digest([start.digest, boundary(task)]),
        )
