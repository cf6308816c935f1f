"""AgentDojo's suites as worlds and scenarios: `agentdojo:banking`, and `agentdojo:banking@direct` under an attack.

Its user tasks are scenarios; under an attack, every pair of a user task and an injection task is one. With `@goals`
the injection tasks are played as tasks themselves. The verdict is AgentDojo's own, as two facts: `utility`, and
`attack_succeeded` where there is an attack. What this package finds beside that is advisory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest
from company_lab.interop.hosting.agentdojo_suite import CLOCK, Setting, Suite, package_version, suites
from company_lab.interop.hosting.episode_record import TOOL_ERROR, Call, attempts, carried_out, replies
from company_lab.interop.hosting.mirror import Tables, follow
from company_lab.interop.hosting.world import (
    TASK,
    THIS,
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

GOALS = "goals"


class AgentDojo:
    """The host `agentdojo`."""

    def names(self) -> tuple[str, ...]:
        """Its suites."""
        return tuple(suites())

    def world(self, name: str) -> HostedWorld:
        """The world of a suite, whatever the attack."""
        return _world(name.partition("@")[0])

    def suite(self, name: str) -> model.Suite:
        """The scenarios of `SUITE`, `SUITE@ATTACK` or `SUITE@goals`."""
        return _suite(name)


host = AgentDojo()


def suite_of(name: str) -> Suite:
    """A suite by name. Raises `WrongUse` with the nearest name there is."""
    known = suites()
    if name not in known:
        close = nearest(name, known)
        hint = f"; did you mean agentdojo:{close}?" if close else f"; it has {', '.join(known)}"
        raise WrongUse(f"AgentDojo has no suite {name}{hint}")
    return known[name]


@lru_cache(maxsize=16)
def _suite(name: str) -> model.Suite:
    base, _, attack = name.partition("@")
    suite = suite_of(base)
    world = _world(base)
    whole = f"agentdojo:{name}"
    return hosted_suite(
        whole,
        (
            load_document(_document(suite, setting), worlds=lambda _: world.spec, file=whole)
            for setting in _settings(suite, attack)
        ),
    )


def _settings(suite: Suite, attack: str) -> Iterator[Setting]:
    if attack == GOALS:
        yield from map(Setting, suite.goals)
    elif attack:
        yield from (Setting(task, goal, attack) for task in suite.tasks for goal in suite.goals)
    else:
        yield from map(Setting, suite.tasks)


def _document(suite: Suite, setting: Setting) -> dict[str, Json]:
    calls, reply = suite.ground_truth(setting)
    attacked = setting.against is not None
    expected: dict[str, Json] = {"utility": True}
    if attacked:
        expected["attack_succeeded"] = False
    steps: list[Json] = [{"tool": f"{suite.name}.{name}", "args": args} for name, args in calls]
    written = advisory_actions(_written(suite, setting, calls))
    if written:
        expected["actions"] = written
    return {
        "format": 1,
        "id": f"{setting.task}__{setting.against}" if attacked else setting.task,
        "title": f"AgentDojo {suite.name}, {setting.task}"
        + (f" against {setting.against} by {setting.attack}" if attacked else ""),
        "world": f"agentdojo:{suite.name}",
        "family": f"{suite.name}_{setting.task}",
        "tags": ["agentdojo", *([setting.attack] if setting.attack else [])],
        "severity": "critical" if attacked else "major",
        "clock": CLOCK,
        "role": {"tenant": suite.name},
        "initial": {TASK: {THIS: _task_record(setting)}},
        "stimulus": {"message": suite.prompt(setting.task)},
        "expected": expected,
        "reference": [{"do": steps, "reply": reply or " "}],
    }


def _task_record(setting: Setting) -> dict[str, Json]:
    return {"task": setting.task, "against": setting.against, "attack": setting.attack}


def _written(suite: Suite, setting: Setting, calls: Sequence[tuple[str, dict[str, Json]]]) -> Iterator[Call]:
    """The calls of the author's own solution that change something."""
    environment = suite.restored(suite.snapshot(setting))
    before = suite.tables(environment)
    for name, args in calls:
        suite.run(environment, name, args)
        after = suite.tables(environment)
        if after != before:
            yield f"{suite.name}.{name}", args
        before = after


_READING = ("get_", "read_", "search_", "list_", "check_")
_MARKING = frozenset({"get_unread_emails", "get_webpage"})
"""Named like reading, and leave a mark: read messages, a request of a page."""


@lru_cache(maxsize=8)
def _world(name: str) -> HostedWorld:
    suite = suite_of(name)
    tools = [
        foreign_tool(
            department=name,
            name=function.name,
            description=function.description,
            schema=function.parameters.model_json_schema(),
            function=partial(_call, suite, function.name),
            writes=not (function.name.startswith(_READING) and function.name not in _MARKING),
        )
        for function in suite.foreign.tools
    ]
    department = hosting_department(name, sorted(suite.table_names), tools)

    @department.fact(bool)
    def utility(context: Context) -> Json:
        """Whether AgentDojo's own check says that the task was done."""
        return decided(lambda: suite.solved(_setting(context), *_ended(suite, context)))

    @department.fact(bool)
    def attack_succeeded(context: Context) -> Json:
        """Whether AgentDojo's own check says that the goal of the injection was reached."""
        return decided(lambda: suite.attacked(_setting(context), *_ended(suite, context)))

    return HostedWorld(
        f"agentdojo:{name}",
        department,
        version=package_version(),
        start=lambda task: _start(suite.name, suite.snapshot(Setting.of(task))),
    )


@lru_cache(maxsize=64)
def _start(name: str, snapshot: bytes) -> Start:
    suite = suite_of(name)
    return Start.of(suite.tables(suite.restored(snapshot)))


def _call(suite: Suite, function: str, context: Context, /, **args: Json) -> Json:
    environment = _environment(suite, context)
    text, error = suite.run(environment, function, args)
    if context.writable:
        now = suite.tables(environment, suite.parts_of(function))
        known: Tables = context.kept["tables"]
        follow(context, known, now, known_tables=suite.table_names)
        known |= now
    if error is not None:
        raise Failed(TOOL_ERROR, error)
    return text


def _environment(suite: Suite, context: Context) -> Any:
    """The environment of this episode; made again from the trace where it is not at hand."""
    if "environment" not in context.kept:
        environment = suite.restored(suite.snapshot(_setting(context)))
        for function, args in carried_out(context.record, suite.name):
            suite.run(environment, own_name(function), args)
        context.kept["environment"] = environment
        context.kept["tables"] = suite.tables(environment)
    return context.kept["environment"]


def _setting(context: Context) -> Setting:
    return Setting.of(context.read(TASK, THIS))


def _ended(suite: Suite, context: Context) -> tuple[str, Any, list[tuple[str, dict[str, Json]]]]:
    said, made = replies(context.record), attempts(context.record)
    calls = [(own_name(tool), args) for tool, args in made]
    return said[-1] if said else "", _environment(suite, context), calls


def own_name(tool: str) -> str:
    """The name AgentDojo gives a tool."""
    return tool.partition(".")[2] or tool
