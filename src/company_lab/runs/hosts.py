"""Hosts of models: which ones the agents of a run ask, and how often that may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from company_lab.agents.pacing import Rate, parse_rate
from company_lab.formats.errors import WrongUse, nearest
from company_lab.runs.casting import Casting


def rates_of(castings: Iterable[Casting], given: Mapping[str, Rate]) -> dict[str, Rate | None]:
    """The rate of every host that is declared or given; what is given goes first.

    Raises `WrongUse` for a host that no agent declares, where agents declare any.
    """
    agents = (casting.agent for casting in castings)
    declared = {
        host: None if rate is None else parse_rate(rate)
        for agent in agents
        if agent is not None
        for host, rate in agent.hosts.items()
    }
    for host in given:
        if declared and host not in declared:
            close = nearest(host, declared)
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"the agent declares no host {host}{hint} (it declares {', '.join(declared)})")
    return {**declared, **given}
