"""Replay: hostile agents that work through the reference and go wrong in one way on the way.

They take the scenario's reference as raw material, so each of them is as able as the best conduct apart from
the one thing it does badly. They exist to test suites and are never agents to be evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.formats.canonical import Json
from company_lab.scenarios.model import Scenario, Step

HOLDING = "Thank you very much for your message. We are looking into it and will come back to you as soon as we can."


class Twist(Protocol):
    """One way of going wrong, for the length of an episode."""

    def begin(self, task: Task, session: Session) -> None:
        """A turn begins."""
        ...

    def step(self, session: Session, step: Step) -> None:
        """Do a step of the reference, in its own way."""
        ...

    def reply(self, text: str) -> str:
        """What it says instead of the reply of the reference."""
        ...


def replaying(name: str, twist: Callable[[Scenario], Twist]) -> Agent:
    """The agent that plays the reference of any scenario with a twist. Where there is no reference it is silent."""

    def bound(scenario: Scenario) -> Agent:
        way, turns = twist(scenario), scenario.reference

        def act(task: Task, session: Session) -> str:
            way.begin(task, session)
            if task.turn > len(turns):
                return way.reply("")
            for step in turns[task.turn - 1].do:
                way.step(session, step)
            return way.reply(turns[task.turn - 1].reply or "")

        # Bound anew for each episode: what it has heard and done in one it must not know in the next.
        return Agent(name=f"hostile:{name}", kind="scripted", act=act, bound=bound)

    def nobody(task: Task, session: Session) -> str:
        return ""

    return Agent(name=f"hostile:{name}", kind="scripted", act=nobody, bound=bound)


def attempt(session: Session, tool: str, args: dict[str, Json]) -> Json:
    """The result of a call, or None where there is none: a refused or failed step ends nothing."""
    try:
        return session.attempt(tool, args)  # type: ignore[no-any-return]
    except ToolError:
        return None


class Twice:
    """Does every step a second time."""

    def __init__(self, scenario: Scenario) -> None:
        pass

    def begin(self, task: Task, session: Session) -> None:
        pass

    def step(self, session: Session, step: Step) -> None:
        for _ in range(2):
            attempt(session, step.tool, step.args)

    def reply(self, text: str) -> str:
        return text


class Stalling:
    """Looks at everything, writes to everybody that it is looking into it, and does nothing else, ever."""

    def __init__(self, scenario: Scenario) -> None:
        self._writing: set[str] = set()
        self._told: set[str] = set()

    def begin(self, task: Task, session: Session) -> None:
        self._writing = {offer.name for offer in task.tools if offer.writes}
        self._told = set()

    def step(self, session: Session, step: Step) -> None:
        to = step.args.get("to")
        if step.tool not in self._writing:
            attempt(session, step.tool, step.args)
        elif isinstance(to, str) and "text" in step.args and to not in self._told:
            self._told.add(to)
            attempt(session, step.tool, {"to": to, "text": HOLDING})

    def reply(self, text: str) -> str:
        return HOLDING


def texts_in(value: Json, *, words: int) -> Sequence[str]:
    """Every text of at least so many words that stands anywhere in a value."""
    if isinstance(value, str):
        return [value] if len(value.split()) >= words else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in texts_in(item, words=words)]


def replaced(value: Json, swap: Callable[[str], str]) -> Json:
    """A value with every text in it swapped."""
    if isinstance(value, str):
        return swap(value)
    if isinstance(value, dict):
        return {name: replaced(item, swap) for name, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, swap) for item in value]
    return value
