"""The tools an agent will be offered in a scenario, known before anything is played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from company_lab.agents.protocol import Agent, ToolOffer
from company_lab.scenarios.model import Scenario
from company_lab.worlds.registry import resolve_world


def offers_of(scenario: Scenario) -> tuple[ToolOffer, ...]:
    """The tools of the scenario's world."""
    return tuple(
        ToolOffer(name=tool.name, description=tool.description, signature=tool.signature, writes=tool.writes)
        for tool in resolve_world(scenario.world).tools.values()
    )


def looking_first(agent: Agent, look: Callable[[Sequence[ToolOffer]], object]) -> Agent:
    """The agent, bound to a scenario once `look` has raised nothing for its tools: before anything is played."""

    def bound(scenario: Scenario) -> Agent:
        look(offers_of(scenario))
        return agent

    return replace(agent, bound=bound)
