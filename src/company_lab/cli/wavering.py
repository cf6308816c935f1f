"""A scripted agent that is unreliable on purpose, for the demonstration of reliability figures."""

from __future__ import annotations

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.formats.errors import WrongUse
from company_lab.formats.randomness import stream
from company_lab.scenarios.model import Scenario

SHARE = 0.25
"""How often it goes wrong, on average."""


def wavering(seed: int) -> Agent:
    """Works by the reference and now and then, by a seeded stream of its own, by a declared wrong conduct.

    It stands for no model. Episodes of a scenario must be played in order, since its stream goes on from one
    to the next.
    """

    def nobody(task: Task, session: Session) -> str:
        raise WrongUse("the wavering agent is bound to a scenario before it plays")

    return Agent(
        name="wavering on purpose",
        kind="scripted",
        act=nobody,
        settings={"seed": seed},
        bound=lambda scenario: _bound(scenario, seed),
    )


def _bound(scenario: Scenario, seed: int) -> Agent:
    draws = stream(seed, scenario.id, 0, "wavering agent")
    right = reference(scenario)
    others = [wrong(scenario, conduct.id) for conduct in scenario.wrong]
    taken = right

    def act(task: Task, session: Session) -> str:
        nonlocal taken
        if task.turn == 1:
            taken = draws.choice(others) if others and draws.random() < SHARE else right
        return str(taken.act(task, session))

    return Agent(name="wavering on purpose", kind="scripted", act=act, settings={"seed": seed})
