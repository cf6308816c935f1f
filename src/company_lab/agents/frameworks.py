"""Agents of other frameworks, told by what they are. A framework that nobody has imported is not imported either."""

from __future__ import annotations

import inspect
import sys
from typing import Any

from company_lab.agents.functions import file_digest
from company_lab.agents.protocol import Agent


def framework_agent(found: object, *, name: str | None = None) -> Agent | None:
    """The agent of an object that pydantic-ai, the OpenAI Agents SDK or LangGraph knows; None for any other.

    A function whose only parameter is called `tools` builds a graph around them, see `langgraph_agent`. A name
    `module:attribute` says in which file the agent is written, whose digest is kept.
    """
    given: Any = found
    if _is_of(found, "pydantic_ai", "pydantic_ai.agent", "AbstractAgent"):
        from company_lab.agents.pydantic_ai import pydantic_ai_agent

        return pydantic_ai_agent(given, name=name, code=_code(name))
    if _is_of(found, "agents", "agents", "Agent"):
        from company_lab.agents.openai_agents import openai_agents_agent

        return openai_agents_agent(given, name=name, code=_code(name))
    if _is_of(found, "langgraph", "langgraph.pregel", "Pregel") or _builds_graphs(found):
        from company_lab.agents.langgraph import langgraph_agent

        return langgraph_agent(given, name=name, code=_code(name))
    return None


def _is_of(found: object, package: str, module: str, kind: str) -> bool:
    if not any(one.__module__.split(".")[0] == package for one in type(found).__mro__):
        return False
    known = getattr(sys.modules.get(module), kind, None)
    return isinstance(known, type) and isinstance(found, known)


def _builds_graphs(found: object) -> bool:
    if not inspect.isfunction(found):
        return False
    return list(inspect.signature(found).parameters) == ["tools"]


def _code(name: str | None) -> str:
    """The digest of the file of the module a name begins with."""
    return file_digest(getattr(sys.modules.get((name or "").partition(":")[0]), "__file__", None))
