"""A tau-bench checkout: data, tools and tasks of one of its domains, loaded without its model client.

Importing the package as a whole would pull in a model client; its domain modules need none. They are imported from the
checkout under their own names, and those names are given back afterwards, so that two checkouts do not mix. Their
code runs in this process: only name a checkout you trust.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from company_lab.formats.canonical import Json, boundary, digest
from company_lab.formats.errors import WrongUse, nearest
from company_lab.interop.hosting.copy_on_write import alike, changes_of, open_data, plain

PACKAGE = "tau_bench"
TERMINATING = frozenset({"transfer_to_human_agents"})
"""Tools that end a conversation; the reference state is reached without them."""
_loading = Lock()

Changes = Mapping[tuple[str, str], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TauTask:
    """What a user wants, what a right agent does, and what it must say."""

    id: str
    user: str
    instruction: str
    actions: tuple[tuple[str, dict[str, Json]], ...]
    outputs: tuple[str, ...]
    key: str
    """Tells tasks apart whose reference actions differ."""

    @classmethod
    def of(cls, id: str, document: Mapping[str, Any]) -> TauTask:
        """From a task as tau-bench writes it."""
        actions = [one if isinstance(one, dict) else vars(one) for one in document["actions"]]
        return cls(
            id=id,
            user=str(document.get("user_id", "")),
            instruction=str(document["instruction"]),
            actions=tuple((str(one["name"]), dict(one["kwargs"])) for one in actions),
            outputs=tuple(map(str, document.get("outputs") or ())),
            key=repr(actions),
        )

    def as_played(self) -> TauTask:
        """The task with the arguments as they reach a tool through a session: there 5.0 and 5 are one number."""
        args: list[Any] = [boundary(args) for _, args in self.actions]
        actions = tuple((name, made) for (name, _), made in zip(self.actions, args, strict=True))
        return replace(self, actions=actions, key=repr(actions))


@dataclass(frozen=True)
class TauDomain:
    """One domain of a checkout. Nothing here is written to once it is loaded."""

    name: str
    data: Mapping[str, Any]
    tools: Mapping[str, Any]
    """The tool classes by the name their schema gives them."""
    tasks: Mapping[str, TauTask]
    policy: str
    _targets: dict[str, Changes] = field(default_factory=dict, repr=False, compare=False)

    def open(self) -> dict[str, Any]:
        """Fresh data to play with."""
        return open_data(self.data)

    def invoke(self, data: dict[str, Any], tool: str, args: Mapping[str, Any]) -> str:
        """What a tool answers, as the suite's own environment would: an error is a text that begins with Error."""
        found = self.tools.get(tool)
        if found is None:
            return f"Unknown action {tool}"
        try:
            # A copy: some tools put their arguments into the data and write on there.
            return str(found.invoke(data=data, **plain(dict(args))))
        except Exception as error:  # noqa: BLE001  (there too, whatever a tool raises is an answer to the agent)
            return f"Error: {error}"

    def changes(self, data: Mapping[str, Any]) -> Changes:
        """How data differs from what an episode begins with."""
        return changes_of(data, self.data)

    def target(self, task: TauTask) -> Changes:
        """The changes that the reference actions of a task leave, found once."""
        found = self._targets.get(task.key)
        if found is None:
            data = self.open()
            for name, args in task.actions:
                if name not in TERMINATING:
                    self.invoke(data, name, args)
            found = self._targets[task.key] = self.changes(data)
        return found

    def unlike(self, task: TauTask, data: Mapping[str, Any]) -> list[str]:
        """The records, `table/id`, in which data differs from what the reference actions leave."""
        wanted, found = self.target(task), self.changes(data)
        return [
            f"{table}/{key}" if key else table
            for table, key in dict.fromkeys((*wanted, *found))
            if (table, key) not in wanted
            or (table, key) not in found
            or not alike(found[table, key], wanted[table, key])
        ]

    def unsaid(self, task: TauTask, replies: Sequence[str]) -> list[str]:
        """The required outputs that no reply holds: letter case and commas in replies do not count."""
        if not task.outputs:
            return []
        said = [reply.lower().replace(",", "") for reply in replies]
        return [output for output in task.outputs if not any(output.lower() in one for one in said)]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over data, tasks and schemas of tools."""
        return digest(
            boundary(
                {
                    "data": self.data,
                    "tasks": [
                        [t.id, t.user, t.instruction, list(t.outputs), [*map(list, t.actions)]]
                        for t in self.tasks.values()
                    ],
                    "tools": [tool.get_info() for tool in self.tools.values()],
                    "policy": self.policy,
                }
            )
        )


@lru_cache(maxsize=8)
def load_domain(checkout: Path, name: str, split: str = "test") -> TauDomain:
    """A domain of a checkout. Raises `WrongUse` where the checkout, the domain or its tasks are not there."""
    package = next((place for place in (checkout / PACKAGE, checkout) if (place / "envs").is_dir()), None)
    if package is None:
        raise WrongUse(f"{checkout} is no tau-bench checkout: it has no {PACKAGE}/envs")
    domains = sorted(one.name for one in (package / "envs").iterdir() if (one / "tools").exists())
    if name not in domains:
        close = nearest(name, domains)
        hint = f"; did you mean {close}?" if close else f"; it has {', '.join(domains) or 'none'}"
        raise WrongUse(f"{checkout} has no domain {name}{hint}")
    with _loading, _names_of(package, name):
        data = _module(name, "data").load_data()
        tools = _module(name, "tools").ALL_TOOLS
        tasks = _tasks(name, split, checkout)
        policy = _policy(package / "envs" / name)
    return TauDomain(
        name=name,
        data=data,
        tools={tool.get_info()["function"]["name"]: tool for tool in tools},
        tasks={
            f"task_{place}": TauTask.of(f"task_{place}", task if isinstance(task, dict) else vars(task))
            for place, task in enumerate(tasks)
        },
        policy=policy,
    )


def _module(domain: str, part: str) -> Any:
    try:
        return importlib.import_module(f"{PACKAGE}.envs.{domain}.{part}")
    except ImportError as error:
        raise WrongUse(f"the {domain} {part} of tau-bench can not be imported: {error}") from None


def _tasks(domain: str, split: str, checkout: Path) -> list[Any]:
    module = _module(domain, f"tasks_{split}")
    for name in (f"TASKS_{split.upper()}", "TASKS", "tasks"):
        if hasattr(module, name):
            return list(getattr(module, name))
    raise WrongUse(f"tasks_{split}.py of {domain} in {checkout} has no list of tasks")


def _policy(folder: Path) -> str:
    file = folder / "wiki.md"
    return file.read_text("utf-8") if file.is_file() else ""


@contextmanager
def _names_of(package: Path, domain: str) -> Iterator[None]:
    """Let the checkout's modules be imported, without running what its packages do when they are imported."""
    before = {name: module for name, module in sys.modules.items() if _is_theirs(name)}
    for name in before:
        del sys.modules[name]
    places = {
        PACKAGE: package,
        f"{PACKAGE}.envs": package / "envs",
        f"{PACKAGE}.envs.{domain}": package / "envs" / domain,
    }
    for name, place in places.items():
        module = ModuleType(name)
        module.__path__ = [str(place)]
        sys.modules[name] = module
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for name in [name for name in sys.modules if _is_theirs(name)]:
            del sys.modules[name]
        sys.modules.update(before)


def _is_theirs(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")
