"""tau2's domains as worlds and scenarios: `tau2:airline`, `tau2:retail`, `tau2:telecom`, `tau2:mock`.

A task is a scenario: the policy and the user's own script are the message, and tau2's verdict comes as the facts its
reward is the product of. There is no simulated user: where a domain gives the user tools (`user.toggle_roaming`), the
agent has them too, as in tau2's own solo mode. A part of a reward that a model decides there is decided by nobody here:
such an episode fails by another part, or has no score.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

from pydantic import BaseModel

from company_lab.formats.canonical import Json
from company_lab.interop.hosting.episode_record import TOOL_ERROR, attempts, carried_out, replies
from company_lab.interop.hosting.mirror import follow, shown, tables_of
from company_lab.interop.hosting.pydantic_tables import ModelTable
from company_lab.interop.hosting.tau2_domain import (
    DOMAINS,
    Call,
    Tau2Domain,
    domain_named,
    package_version,
)
from company_lab.interop.hosting.world import (
    TASK,
    THIS,
    UNSIMULATED_USER,
    HostedWorld,
    Start,
    decided,
    foreign_tool,
    hosted_suite,
    hosting_department,
)
from company_lab.scenarios import model
from company_lab.scenarios.loader import load_document
from company_lab.worlds.context import Context, Failed
from company_lab.worlds.department import Department, Tool
from company_lab.worlds.index import Tables as Records

CLOCK = "2024-05-15T15:00:00-05:00"
"""The day its policies name; none of its tools asks the machine for the time."""
USER = "user"
"""The department of the user's tools."""
FACTS: Mapping[str, str] = {
    "DB": "database",
    "ENV_ASSERTION": "assertions",
    "ACTION": "actions_taken",
    "COMMUNICATE": "communicated",
    "NL_ASSERTION": "asserted_in_words",
}
"""The fact that each component of a reward is given as."""
OTHER = "other_components"
"""The fact for a component that came after these were written."""
_LISTED = 20


class Tau2:
    """The host `tau2`."""

    def names(self) -> tuple[str, ...]:
        """Its domains."""
        return DOMAINS

    def world(self, name: str) -> HostedWorld:
        """The world of a domain."""
        return _world(name)

    def suite(self, name: str) -> model.Suite:
        """The tasks of a domain, of the split its leaderboard uses."""
        return _suite(name)


host = Tau2()


@lru_cache(maxsize=8)
def _suite(name: str) -> model.Suite:
    return hosted_suite(f"tau2:{name}", scenarios_of(name))


def scenarios_of(name: str) -> Iterator[model.Scenario]:
    """The tasks of a domain as scenarios, made anew."""
    domain, world = domain_named(name), _world(name)
    for id in domain.tasks:
        yield load_document(_document(domain, id), worlds=lambda _: world.spec, file=f"tau2:{name}")


def _document(domain: Tau2Domain, id: str) -> dict[str, Json]:
    calls, reply = domain.reference(id)
    steps: list[Json] = [{"tool": _tool(domain, call), "args": call[2]} for call in calls]
    expected: dict[str, Json] = {FACTS.get(component, OTHER): True for component in domain.basis(id)}
    return {
        "format": 1,
        "id": id,
        "title": f"tau2 {domain.name}, task {domain.tasks[id].id}",
        "world": f"tau2:{domain.name}",
        "family": f"{domain.name}_{id}",
        "tags": ["tau2", domain.name],
        "clock": CLOCK,
        "role": {"tenant": domain.name},
        "initial": {TASK: {THIS: {"task": id}}},
        "stimulus": {"message": domain.message(id)},
        "expected": expected or {"rewarded": True},
        "reference": [{"do": steps, "reply": reply}],
        "limits": {"calls": 100, "turns": 8},
    }


def _tool(domain: Tau2Domain, call: Call) -> str:
    return f"{USER if call[0] == USER else domain.name}.{call[1]}"


@lru_cache(maxsize=8)
def _world(name: str) -> HostedWorld:
    domain = domain_named(name)
    tools: dict[str, list[Tool]] = {}
    for who, kit in domain.toolkits():
        department = USER if who == USER else name
        tools[department] = [_foreign(domain, who, kit, tool) for tool in kit.get_tools().values()]
    agent = hosting_department(name, sorted(_start(name, "").tables), tools.pop(name))
    others = []
    for department, theirs in tools.items():
        others.append(Department(department))
        others[-1].tools.update((tool.name, tool) for tool in theirs)
    _declare_facts(agent, domain)
    return HostedWorld(
        f"tau2:{name}",
        agent,
        *others,
        version=package_version(),
        start=lambda task: _start(name, str(task.get("task", ""))),
        caveat=UNSIMULATED_USER,
    )


@lru_cache(maxsize=256)
def _start(name: str, task: str) -> Start:
    """The records a task begins with; those of the domain where the task changes none, or is not named."""
    domain = domain_named(name)
    if not task:
        return Start.of(_records(domain.toolkits(), {}))
    plain = _start(name, "")
    if domain.tasks[task].initial_state is None:
        return plain
    records = _records(_kits(domain.open(task)), plain.tables)
    return Start.of({table: records.get(table, {}) for table in plain.tables})


def _foreign(domain: Tau2Domain, who: str, kit: Any, tool: Any) -> Tool:
    schema = tool.openai_schema["function"]
    shared = any(other == USER for other, _ in domain.toolkits())
    return foreign_tool(
        department=USER if who == USER else domain.name,
        name=tool.name,
        description=str(schema.get("description", "")),
        schema=schema["parameters"],
        function=partial(_call, domain, who, tool.name),
        # Where two sides share an environment, looking at one may bring the other up to date.
        writes=shared or str(kit.tool_type(tool.name).value) == "write",
    )


def _declare_facts(department: Department, domain: Tau2Domain) -> None:
    @department.fact(bool)
    def database(context: Context) -> Json:
        """Whether the databases are as the reference actions leave them."""
        return decided(lambda: domain.database(_task(context), _environment(domain, context)))

    @department.fact(list[str])
    def unlike_the_reference(context: Context) -> Json:
        """The records that differ from what the reference actions leave, the first of them."""
        return list[Json](domain.unlike(_task(context), _environment(domain, context))[:_LISTED])

    @department.fact(bool)
    def assertions(context: Context) -> Json:
        """Whether everything the task asserts of the environment holds."""
        return decided(lambda: domain.assertions(_task(context), _environment(domain, context)))

    @department.fact(bool)
    def actions_taken(context: Context) -> Json:
        """Whether each reference action was asked for, compared as tau2 compares them."""
        return decided(lambda: domain.actions(_task(context), _attempted(domain, context)))

    @department.fact(bool)
    def communicated(context: Context) -> Json:
        """Whether everything that has to be communicated stands in some reply."""
        return domain.communicated(_task(context), replies(context.record))

    @department.fact(bool)
    def asserted_in_words(context: Context) -> Json:
        """What tau2 lets a model decide: nobody decides it here, unless there is nothing to assert."""
        if not domain.asserted_in_words(_task(context)):
            return True
        raise Failed("undecided", "an assertion in natural language needs a judging model")

    @department.fact(bool)
    def other_components(context: Context) -> Json:
        """Components of a reward that nobody here knows how to reckon."""
        raise Failed("undecided", f"one of {', '.join(domain.basis(_task(context)))} is not known here")

    @department.fact(bool)
    def rewarded(context: Context) -> Json:
        """A task without criteria is rewarded whatever happens; an audit shows such tasks."""
        return not domain.basis(_task(context))


def _call(domain: Tau2Domain, who: str, tool: str, context: Context, /, **args: Json) -> Json:
    environment = _environment(domain, context)
    answer, error = domain.call(environment, (who, tool, args))
    if context.writable:
        known: Records = context.kept["tables"]
        now = _records(_kits(environment), known)
        follow(context, known, now, known_tables=_start(domain.name, "").tables)
        context.kept["tables"] = now
    if error:
        raise Failed(TOOL_ERROR, answer)
    return answer


def _kits(environment: Any) -> list[tuple[str, Any]]:
    kits = [("assistant", environment.tools)]
    return kits if environment.user_tools is None else [*kits, (USER, environment.user_tools)]


def _records(kits: Iterable[tuple[str, Any]], known: Records) -> Records:
    """The databases as records; those of `known` that nobody has asked for since are taken from there."""
    found: dict[str, Mapping[str, Mapping[str, Json]]] = {}
    for who, kit in kits:
        prefix = "user_" if who == USER else ""
        for name in type(kit.db).model_fields:
            value = getattr(kit.db, name)
            if isinstance(value, ModelTable):
                found[prefix + name] = records = dict(known[prefix + name])
                for key in value.touched:
                    records.pop(key, None)
                    if key in value:
                        records[key] = _dumped(dict.__getitem__(value, key))
            elif isinstance(value, dict) and all(isinstance(one, BaseModel) for one in value.values()):
                found[prefix + name] = {str(key): _dumped(one) for key, one in value.items()}
            else:
                found |= tables_of(
                    prefix + name,
                    shown(kit.db.model_dump(mode="json", include={name}, warnings="none")[name]),
                )
    return found


def _dumped(record: Any) -> dict[str, Json]:
    fields: Any = shown(record.model_dump(mode="json", warnings="none"))
    return dict(fields)


def _environment(domain: Tau2Domain, context: Context) -> Any:
    """The environment of this episode; made again from the trace where it is not at hand."""
    if "environment" not in context.kept:
        environment = domain.open(_task(context))
        for tool, args in carried_out(context.record, domain.name, USER):
            domain.call(environment, _as_call(domain, tool, args))
        context.kept["environment"] = environment
        context.kept["tables"] = _records(_kits(environment), _start(domain.name, _task(context)).tables)
    return context.kept["environment"]


def _attempted(domain: Tau2Domain, context: Context) -> list[Call]:
    return [_as_call(domain, tool, args) for tool, args in attempts(context.record)]


def _as_call(domain: Tau2Domain, tool: str, args: dict[str, Json]) -> Call:
    department, _, name = tool.partition(".")
    return (USER if department == USER else "assistant"), name or tool, args


def _task(context: Context) -> str:
    return str(context.read(TASK, THIS)["task"])
