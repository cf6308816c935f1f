"""tau-bench as worlds and scenarios: `tau-bench:CHECKOUT#airline`, a checkout that the user names.

Its tools and data are the world. A task is a scenario: the policy and the user's instruction are the message, the
reference actions say in which state the data must end, and the required outputs what must be said. There is no
simulated user: whoever wants a conversation plays the tasks in tau-bench and has the recording judged here. Handing
over to a person ends an episode there; here no call works after it, and nothing said after it counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from company_lab.formats.canonical import Json, boundary
from company_lab.formats.errors import WrongUse
from company_lab.interop.hosting.copy_on_write import MISSING, plain
from company_lab.interop.hosting.episode_record import TOOL_ERROR, Call, carried_out, replies
from company_lab.interop.hosting.mirror import shown
from company_lab.interop.hosting.tau_checkout import TERMINATING, TauDomain, TauTask, load_domain
from company_lab.interop.hosting.world import (
    TASK,
    THIS,
    UNSIMULATED_USER,
    HostedWorld,
    Start,
    advisory_actions,
    decided,
    foreign_tool,
    hosted_suite,
    hosting_department,
)
from company_lab.scenarios import model
from company_lab.scenarios.loader import load_document
from company_lab.worlds.context import Context, Failed
from company_lab.worlds.state import ABSENT

CLOCK = "2024-05-15T15:00:00-05:00"
"""No tool of it asks for the time; its policies speak of this day."""
_LISTED = 20


class TauBench:
    """The host `tau-bench`."""

    def names(self) -> tuple[str, ...]:
        """None: a checkout has to be named."""
        return ()

    def world(self, name: str) -> HostedWorld:
        """The world of `CHECKOUT#DOMAIN`."""
        return _world(name)

    def suite(self, name: str) -> model.Suite:
        """The tasks of `CHECKOUT#DOMAIN`, or of another split as `CHECKOUT#DOMAIN/train`."""
        return _suite(name)


host = TauBench()


def domain_of(name: str) -> TauDomain:
    """The domain that `CHECKOUT#DOMAIN` names. Raises `WrongUse` where it can not be found."""
    checkout, mark, rest = name.rpartition("#")
    domain, _, split = rest.partition("/")
    if not mark or not checkout or not domain:
        raise WrongUse(f"tau-bench:{name} names no domain: write tau-bench:CHECKOUT#airline")
    return load_domain(Path(checkout).expanduser().absolute(), domain, split or "test")


@lru_cache(maxsize=8)
def _suite(name: str) -> model.Suite:
    domain, world = domain_of(name), _world(name)
    whole = f"tau-bench:{name}"
    return hosted_suite(
        whole,
        (
            load_document(_document(domain, task, name), worlds=lambda _: world.spec, file=whole)
            for task in domain.tasks.values()
        ),
    )


def _document(domain: TauDomain, task: TauTask, name: str) -> dict[str, Json]:
    steps: list[Json] = [
        {"tool": f"{domain.name}.{tool}", "args": boundary(args)} for tool, args in task.actions
    ]
    expected: dict[str, Json] = {"data_matches": True}
    if task.outputs:
        expected["outputs_said"] = True
    written = advisory_actions(_written(domain, task))
    if written:
        expected["actions"] = written
    return {
        "format": 1,
        "id": task.id,
        "title": f"tau-bench {domain.name}, {task.id}",
        "world": f"tau-bench:{name}",
        "family": f"{domain.name}_{task.id}",
        "tags": ["tau-bench", domain.name],
        "clock": CLOCK,
        "role": {"tenant": domain.name},
        "initial": {TASK: {THIS: {"task": task.id}}},
        "stimulus": {"message": f"{domain.policy}\n\n{task.instruction}".strip()},
        "expected": expected,
        "reference": [{"do": steps, "reply": ". ".join(task.outputs) or "Done."}],
        "limits": {"calls": 60, "turns": 8},
    }


def _written(domain: TauDomain, task: TauTask) -> Iterator[Call]:
    """The reference actions that change something."""
    data = domain.open()
    for tool, args in task.as_played().actions:
        known = {place: plain(record) for place, record in domain.changes(data).items()}
        domain.invoke(data, tool, args)
        if domain.changes(data) != known:
            yield f"{domain.name}.{tool}", args


@lru_cache(maxsize=8)
def _world(name: str) -> HostedWorld:
    domain = domain_of(name)
    tools = [
        foreign_tool(
            department=domain.name,
            name=tool,
            description=str(info["function"].get("description", "")),
            schema=info["function"]["parameters"],
            function=partial(_call, domain, tool),
            writes=not tool.startswith(_READING),
        )
        for tool, info in ((tool, found.get_info()) for tool, found in domain.tools.items())
    ]
    department = hosting_department(domain.name, sorted(domain.data), tools)

    @department.fact(bool)
    def data_matches(context: Context) -> Json:
        """Whether the data are as the reference actions of the task leave them."""
        return decided(lambda: not domain.unlike(_task(domain, context), _data(domain, context)))

    @department.fact(list[str])
    def unlike_the_reference(context: Context) -> Json:
        """The records that differ from what the reference actions leave, the first of them."""
        return list[Json](domain.unlike(_task(domain, context), _data(domain, context))[:_LISTED])

    @department.fact(bool)
    def outputs_said(context: Context) -> Json:
        """Whether every required output stands in some reply."""
        before = list(until_handed_over(context.record, domain.name))
        return not domain.unsaid(_task(domain, context), replies(before))

    start = Start.of(
        {
            table: {
                str(key): record if isinstance(record, dict) else {"value": record}
                for key, record in records.items()
            }
            for table, records in domain.data.items()
            if isinstance(records, dict)
        },
        digest=domain.digest,
    )
    return HostedWorld(
        f"tau-bench:{name}",
        department,
        version=f"tau-bench {domain.digest}",
        start=lambda _: start,
        caveat=UNSIMULATED_USER,
    )


_READING = ("get_", "find_", "list_", "search_", "calculate", "think")


def _call(domain: TauDomain, tool: str, context: Context, /, **args: Json) -> Json:
    if len(list(until_handed_over(context.record, domain.name))) < len(context.record):
        raise Failed("handed_over", "the conversation was handed over to a person and is over")
    data = _data(domain, context)
    answer = domain.invoke(data, tool, args)
    if context.writable:
        _follow(domain, context, data)
    if answer.startswith("Error"):
        raise Failed(TOOL_ERROR, answer)
    return answer


def until_handed_over(record: Sequence[Mapping[str, Any]], domain: str) -> Iterator[Mapping[str, Any]]:
    """The record of an episode up to the call that handed it over to a person, or all of it."""
    terminating = {f"{domain}.{tool}" for tool in TERMINATING}
    handing: set[str] = set()
    for entry in record:
        yield entry
        if entry["kind"] == "action" and entry["tool"] in terminating:
            handing.add(entry["call"])
        elif entry["kind"] == "result" and entry["call"] in handing and entry["outcome"] == "executed":
            return


def _follow(domain: TauDomain, context: Context, data: Mapping[str, Any]) -> None:
    """Write the changes of the data into the records that show them."""
    known: dict[tuple[str, str], Any] = context.kept["changes"]
    now = {place: plain(record) for place, record in domain.changes(data).items()}
    for table, id in dict.fromkeys((*now, *known)):
        _show(
            context, table, id, now[table, id] if (table, id) in now else domain.data[table].get(id, MISSING)
        )
    context.kept["changes"] = now


def _show(context: Context, table: str, id: str, record: Any) -> None:
    shown = context.get(table, id)
    if record is MISSING:
        if shown is not None:
            context.delete(table, id)
        return
    fields = _fields(record)
    if shown is None:
        context.create(table, with_id=id, **fields)
    else:
        gone = {name: ABSENT for name in shown if name not in fields}
        context.update(table, id, **gone, **fields)


def _fields(record: Any) -> dict[str, Json]:
    fields: Any = shown(record if isinstance(record, dict) else {"value": record})
    return dict(fields)


def _data(domain: TauDomain, context: Context) -> dict[str, Any]:
    """The data of this episode; made again from the trace where they are not at hand."""
    if "data" not in context.kept:
        data = domain.open()
        for tool, args in carried_out(context.record, domain.name):
            domain.invoke(data, tool.partition(".")[2], args)
        context.kept["data"] = data
        context.kept["changes"] = dict(domain.changes(data))
    kept: dict[str, Any] = context.kept["data"]
    return kept


def _task(domain: TauDomain, context: Context) -> TauTask:
    return domain.tasks[str(context.read(TASK, THIS)["task"])].as_played()
