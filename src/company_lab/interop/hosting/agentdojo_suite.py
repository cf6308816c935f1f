"""One AgentDojo suite: its tasks, its environment as it begins, its tools, and its own verdicts.

An environment is kept as a pickle made in this process and never leaves it: a round trip through JSON would lose
state, since its validators rebuild mailboxes and calendars from what they began with.
"""

from __future__ import annotations

import pickle
from ast import literal_eval
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

import yaml

from company_lab.formats.canonical import Json, boundary
from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.time import parse_moment
from company_lab.interop.hosting.frozen_clock import frozen, give_clock
from company_lab.interop.hosting.mirror import Tables, shown, tables_of
from company_lab.interop.hosting.missing import installed_version, needed

BENCHMARK = "v1.2.2"
CLOCK = "2024-05-15T12:00:00+00:00"
"""The day its fixtures play on; four tasks can not be solved on an earlier one."""
_CLOCKED = ("email_client", "cloud_drive_client")
_HOW = "pip install 'company-lab[hosting]'"


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """Which task is played, and against which attack."""

    task: str
    against: str | None = None
    """The injection task whose goal stands in the data the agent reads."""
    attack: str | None = None
    """The attack of AgentDojo that words it."""

    @classmethod
    def of(cls, record: Mapping[str, Json]) -> Setting:
        """From the record that a scenario keeps of it."""
        against, attack = record.get("against"), record.get("attack")
        return cls(
            str(record.get("task", "")),
            None if against is None else str(against),
            None if attack is None else str(attack),
        )


class _TargetName:
    """What attacks ask of the pipeline they attack: a name from which they tell the model's own."""

    name = "local"


@dataclass(frozen=True)
class Suite:
    """A suite of the installed package."""

    name: str
    foreign: Any
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def tasks(self) -> Mapping[str, Any]:
        """Its user tasks by id."""
        tasks: Mapping[str, Any] = self.foreign.user_tasks
        return tasks

    @property
    def goals(self) -> Mapping[str, Any]:
        """Its injection tasks by id."""
        goals: Mapping[str, Any] = self.foreign.injection_tasks
        return goals

    def task(self, id: str) -> Any:
        """A user task, or an injection task played as a task. Raises `WrongUse` for an id it does not have."""
        found = self.tasks.get(id) or self.goals.get(id)
        if found is None:
            close = nearest(id, [*self.tasks, *self.goals])
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"AgentDojo's {self.name} has no task {id}{hint}")
        return found

    def snapshot(self, setting: Setting) -> bytes:
        """The environment as a task begins in it."""
        known = self._made.setdefault("snapshots", {})
        if setting not in known:
            with frozen(moment()):
                environment = self.restored(self._injected(self.injections(setting)))
                if setting.task in self.tasks:
                    environment = self.task(setting.task).init_environment(environment)
            known[setting] = pickle.dumps(environment, pickle.HIGHEST_PROTOCOL)
        snapshot: bytes = known[setting]
        return snapshot

    def _injected(self, injections: Mapping[str, str]) -> bytes:
        key = tuple(sorted(injections.items()))
        last: tuple[Any, bytes] | None = self._made.get("injected")
        if last is None or last[0] != key:  # tasks that begin with the same data follow one another
            parsed = pickle.dumps(self._parsed(injections), pickle.HIGHEST_PROTOCOL)
            last = self._made["injected"] = key, parsed
        return last[1]

    def _parsed(self, injections: Mapping[str, str]) -> Any:
        from agentdojo.task_suite import task_suite

        text = task_suite.read_suite_file(self.name, "environment.yaml", self.foreign.data_path)
        defaults = self.foreign.get_injection_vector_defaults()
        task_suite.validate_injections(dict(injections), defaults)
        # The C loader reads what their pure Python one reads, ten times as fast.
        values = yaml.load(text.format(**{**defaults, **injections}), yaml.CSafeLoader)
        return self.foreign.environment_type.model_validate(values)

    def injections(self, setting: Setting) -> dict[str, str]:
        """What stands in the data because of an attack, by place."""
        if setting.against is None or setting.attack is None:
            return {}
        attack = self._attack(setting.attack)
        made: dict[str, str] = attack.attack(self.task(setting.task), self.task(setting.against))
        return made

    def _attack(self, name: str) -> Any:
        attacks = self._made.setdefault("attacks", {})
        if name not in attacks:
            registry = needed("agentdojo.attacks.attack_registry", package="agentdojo", how=_HOW)
            if name not in registry.ATTACKS:
                close = nearest(name, registry.ATTACKS)
                raise WrongUse(
                    f"AgentDojo has no attack {name}" + (f"; did you mean {close}?" if close else "")
                )
            attacks[name] = registry.load_attack(name, self.foreign, _TargetName())
        return attacks[name]

    # tools

    @cached_property
    def runtime(self) -> Any:
        """Runs its functions."""
        from agentdojo.functions_runtime import FunctionsRuntime

        return FunctionsRuntime(self.foreign.tools)

    def run(self, environment: Any, function: str, args: Mapping[str, Json]) -> tuple[str, str | None]:
        """Run a function: the text an agent is given, and the error there was."""
        from agentdojo.agent_pipeline.tool_execution import tool_result_to_str

        with frozen(moment()):
            value, error = self.runtime.run_function(environment, function, with_lists(args))
            try:
                return str(tool_result_to_str(value)), error
            except TypeError as problem:
                return "", f"TypeError: {problem}"

    # verdicts

    def solved(
        self, setting: Setting, reply: str, environment: Any, calls: Iterable[tuple[str, Any]]
    ) -> bool:
        """Its own verdict on the task that was played; of an injection task, whether its goal was reached."""
        return self._checked(setting.task, setting, reply, environment, calls)

    def attacked(
        self, setting: Setting, reply: str, environment: Any, calls: Iterable[tuple[str, Any]]
    ) -> bool:
        """Whether the goal of the injection was reached. Raises `WrongUse` where there was no injection."""
        if setting.against is None:
            raise WrongUse("there is no injection in this task")
        return self._checked(setting.against, setting, reply, environment, calls)

    def _checked(
        self, task: str, setting: Setting, reply: str, environment: Any, calls: Iterable[tuple[str, Any]]
    ) -> bool:
        from agentdojo.functions_runtime import FunctionCall

        checked = self.task(task)
        made = [FunctionCall(function=name, args=with_lists(args)) for name, args in calls]
        before, after = self.restored(self.snapshot(setting)), self.copied(environment)
        share_what_is_equal(before, after)
        kind = "utility" if task in self.tasks else "security"
        with frozen(moment()):
            found = getattr(checked, f"{kind}_from_traces")(reply, before, after, made)
            if found is None:
                found = getattr(checked, kind)(reply, before, after)
        return bool(found)

    def ground_truth(self, setting: Setting) -> tuple[list[tuple[str, dict[str, Json]]], str]:
        """What its author does to solve the task: calls in order, and the last words."""
        task = self.task(setting.task)
        environment = self.restored(self.snapshot(setting))
        with frozen(moment()):
            calls: Sequence[Any] = task.ground_truth(environment)
        args: list[Any] = [boundary(dict(call.args)) for call in calls]
        return [(str(call.function), made) for call, made in zip(calls, args, strict=True)], str(
            task.GROUND_TRUTH_OUTPUT
        )

    def prompt(self, task: str) -> str:
        """What the agent is asked to do."""
        return str(self.tasks[task].PROMPT if task in self.tasks else self.task(task).GOAL)

    # environments

    def restored(self, snapshot: bytes) -> Any:
        """An environment from its snapshot."""
        return pickle.loads(snapshot)  # noqa: S301  (made by this process, see the module)

    def copied(self, environment: Any) -> Any:
        """An environment of its own that is as this one is."""
        return self.restored(pickle.dumps(environment, pickle.HIGHEST_PROTOCOL))

    def tables(self, environment: Any, parts: Iterable[str] | None = None) -> Tables:
        """The environment, or parts of it, as records."""
        found: Tables = {}
        for part in parts if parts is not None else type(environment).model_fields:
            value: Any = shown(getattr(environment, part).model_dump(mode="json"))
            kept = {name: item for name, item in value.items() if not name.startswith("initial_")}
            found |= tables_of(part, kept)
        return found

    def parts_of(self, function: str) -> tuple[str, ...] | None:
        """The parts of the environment that a function works on; None where only it knows."""
        found = [one.env_dependency for one in self.runtime.functions[function].dependencies.values()]
        return tuple(found) if all(isinstance(name, str) for name in found) else None

    @cached_property
    def table_names(self) -> frozenset[str]:
        """Every table that shows a part of the environment."""
        return frozenset(self.tables(self.restored(self.snapshot(Setting(next(iter(self.tasks)))))))


def share_what_is_equal(before: Any, after: Any) -> None:
    """Let two environments share the parts and items that are equal.

    Its checks compare whole environments piece by piece, and a comparison ends at once where both sides are one
    object. Both environments are copies that nobody else has.
    """
    for name in type(before).model_fields:
        mine, theirs = getattr(before, name), getattr(after, name)
        if mine == theirs:
            vars(after)[name] = mine
            continue
        for inner, value in vars(mine).items():
            now = vars(theirs).get(inner)
            if type(value) is dict and type(now) is dict:
                now.update({key: value[key] for key in value.keys() & now.keys() if value[key] == now[key]})
            elif type(value) is list and type(now) is list:
                now[:] = [
                    value[place] if place < len(value) and value[place] == item else item
                    for place, item in enumerate(now)
                ]
            elif type(value) is type(now) and value == now:
                vars(theirs)[inner] = value


def with_lists(args: Mapping[str, Json]) -> dict[str, Any]:
    """Arguments as AgentDojo reads them: a text that spells a Python list is that list."""
    return {name: _listed(value) for name, value in args.items()}


def _listed(value: Json) -> Any:
    if not isinstance(value, str) or not value.strip().startswith("["):
        return value
    try:
        found = literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return found if isinstance(found, list) else value


@lru_cache(maxsize=1)
def moment() -> datetime:
    """The moment at which its clock stands still."""
    return parse_moment(CLOCK)


@lru_cache(maxsize=1)
def suites() -> dict[str, Suite]:
    """The suites of the installed package. Raises `WrongUse` where it is not installed."""
    loading = needed("agentdojo.task_suite.load_suites", package="agentdojo", how=_HOW)
    for name in _CLOCKED:
        module = needed(f"agentdojo.default_suites.v1.tools.{name}", package="agentdojo", how=_HOW)
        give_clock(module)
    return {name: Suite(name, foreign) for name, foreign in loading.get_suites(BENCHMARK).items()}


def package_version() -> str:
    """Such as `agentdojo 0.1.35, benchmark v1.2.2`."""
    return f"agentdojo {installed_version('agentdojo')}, benchmark {BENCHMARK}"
