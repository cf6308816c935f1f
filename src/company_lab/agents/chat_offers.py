"""The tools an agent will be offered in a scenario, known before anything is played."""

from __future__ import annotations

from company_lab.agents.protocol import ToolOffer
from company_lab.scenarios.model import Scenario
from company_lab.worlds.registry import resolve_world


def offers_of(scenario: Scenario) -> tuple[ToolOffer, ...]:
    """The tools of the scenario's world."""
    return tuple(
        ToolOffer(name=tool.name, description=tool.description, signature=tool.signature, writes=tool.writes)
        for tool in resolve_world(scenario.world).tools.values()
    )
