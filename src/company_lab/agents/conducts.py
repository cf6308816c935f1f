"""Conducts: the scripted ways through a scenario that come with it."""

from __future__ import annotations

from collections.abc import Sequence

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.formats.errors import WrongUse, nearest
from company_lab.scenarios.model import ConductTurn, Scenario


def reference(scenario: Scenario) -> Agent:
    """The conduct that must pass."""
    if not scenario.reference:
        raise WrongUse(f"{scenario.id} has no reference; a contract scenario is its own")
    return _conduct("reference", scenario.reference)


def wrong(scenario: Scenario, id: str) -> Agent:
    """A conduct that must fail, by its id."""
    known = {conduct.id: conduct for conduct in scenario.wrong}
    if id not in known:
        close = nearest(id, known)
        raise WrongUse(
            f"{scenario.id} has no wrong conduct {id}" + (f"; did you mean {close}?" if close else "")
        )
    return _conduct(f"wrong:{id}", known[id].turns)


def references() -> Agent:
    """The agent that plays each scenario by its reference."""

    def nobody(task: Task, session: Session) -> str:
        raise WrongUse("the reference is bound to a scenario before it plays")

    return Agent(name="reference", kind="conduct", act=nobody, bound=reference)


def _conduct(name: str, turns: Sequence[ConductTurn]) -> Agent:
    def act(task: Task, session: Session) -> str:
        if task.turn > len(turns):
            return ""
        turn = turns[task.turn - 1]
        for step in turn.do:
            try:
                session.attempt(step.tool, step.args)
            except ToolError:
                continue  # a refused or failed step does not end a conduct
        return turn.reply or ""

    return Agent(name=name, kind="conduct", act=act)
