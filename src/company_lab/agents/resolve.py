"""Agents by name, as the command line takes them."""

from __future__ import annotations

from company_lab.agents import hostile
from company_lab.agents.conducts import references
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.formats.errors import WrongUse, nearest
from company_lab.worlds.registry import import_attribute


def resolve_agent(name: str) -> Agent:
    """The agent of a name: `reference`, `hostile:<name>`, or `module:function` for your own.

    Raises `WrongUse` that says what was not found.
    """
    if name == "reference":
        return references()
    kind, _, rest = name.partition(":")
    if kind == "hostile":
        if rest not in hostile.NAMES:
            close = nearest(rest, hostile.NAMES)
            hint = f"; did you mean hostile:{close}?" if close else ""
            raise WrongUse(f"there is no hostile agent {rest}{hint} (known: {', '.join(hostile.NAMES)})")
        return hostile.hostile(rest)
    if not rest:
        raise WrongUse(f"{name} names no agent; write module:function, reference, or hostile:<name>")
    found = import_attribute(name, what="agent")
    if isinstance(found, Agent):
        return found
    if not callable(found):
        raise WrongUse(
            f"the agent {name} is a {type(found).__name__} and can not be called as agent(task, session)"
        )
    return function_agent(found, name=name)
