"""Episodes in the depot whose agent runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.episodes import Episode
from company_lab.episodes.confined import Confinement, work
from company_lab.episodes.forkserver import ForkServer
from company_lab.episodes.isolated import play_isolated
from company_lab.episodes.play import tool_offers
from company_lab.scenarios.model import Fault
from depot import scenario, world

TIGHT = Confinement(cpu_s=1, memory_bytes=150 << 20, output_bytes=1_000_000)


def isolated(
    act: Callable[..., Any] | Agent,
    *,
    trial: int = 1,
    seed: int = 0,
    confinement: Confinement = TIGHT,
    body: Callable[[str, list[int]], None] | None = None,
    schedule: Sequence[Fault] | None = None,
    **keys: Any,
) -> Episode:
    """Play one episode of `scenario(**keys)`; `body` takes the place of the agent's side."""
    agent = act if isinstance(act, Agent) else function_agent(act, name="tests:agent")
    offers = tool_offers(world)
    server = ForkServer(body or (lambda job, descriptors: work(agent, offers, descriptors, confinement)))
    try:
        return play_isolated(
            world.prepare(scenario(**keys)),
            agent,
            server,
            "job",
            trial=trial,
            seed=seed,
            confinement=confinement,
            tell_tools=body is not None,
            schedule=schedule,
        )
    finally:
        server.close()
