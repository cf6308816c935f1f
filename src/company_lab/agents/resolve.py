"""Agents by name, as the command line takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from company_lab.agents import hostile
from company_lab.agents.conducts import references
from company_lab.agents.frameworks import framework_agent
from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest
from company_lab.worlds.registry import import_attribute

ADAPTERS: Mapping[str, str] = {
    "decision": "company_lab.agents.decision:decision_agent",
    "openai-chat": "company_lab.agents.openai_chat:chat_agent",
    "openai-responses": "company_lab.agents.openai_responses:responses_agent",
}
"""Adapters by name: each a function of its options that makes an `Agent`, loaded when it is asked for."""


def adapter_again(name: str, settings: Mapping[str, Json]) -> Agent | None:
    """The agent an adapter makes once more from the settings a run kept; None where the name is no adapter's."""
    return resolve_agent(name, settings) if name in ADAPTERS else None


def resolve_agent(name: str, options: Mapping[str, Json] | None = None) -> Agent:
    """The agent of a name: `reference`, `hostile:<name>`, an adapter, or `module:name` for your own.

    `options` are an adapter's own, by name; the settings of the agent it makes are such options again.
    Raises `WrongUse` that says what was not found.
    """
    if name in ADAPTERS:
        adapter: Any = import_attribute(ADAPTERS[name], what="adapter")
        made: Agent = adapter(options or {})
        return made
    if options:
        raise WrongUse(
            f"{name} takes no options ({', '.join(sorted(options))}); "
            f"they belong to the adapters {', '.join(ADAPTERS)}"
        )
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
        close = nearest(name, ADAPTERS)
        hint = f"; did you mean {close}?" if close else ""
        raise WrongUse(
            f"{name} names no agent{hint}; write module:function, reference, hostile:<name>, "
            f"or an adapter: {', '.join(ADAPTERS)}"
        )
    found: Any = import_attribute(name, what="agent")
    if isinstance(found, Agent):
        return found
    if (made_there := framework_agent(found, name=name)) is not None:
        return made_there
    return function_agent(found, name=name)
