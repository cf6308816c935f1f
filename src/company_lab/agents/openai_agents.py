"""The OpenAI Agents SDK: an agent somebody has, cloned with the world's tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from company_lab.agents.framework_adapter import Options, adapted, checked_version
from company_lab.agents.protocol import Agent
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    import agents

EXTRA = "openai-agents"
MAX_TURNS = 100
"""How often the model is asked in one of our turns at most; the SDK calls each request a turn."""


def openai_agents_agent(
    agent: agents.Agent[Any],
    *,
    model: agents.Model | str | None = None,
    context: Callable[[], object] | None = None,
    run_config: agents.RunConfig | None = None,
    max_turns: int = MAX_TURNS,
    keep_own_tools: bool = False,
    **options: Unpack[Options],
) -> Agent:
    """The agent an `agents.Agent` makes. It is cloned, with every agent it hands over to, and stays as it is.

    Instructions, handoffs, guardrails, output type and model are its own; its tools and MCP servers are replaced by the
    world's tools, or joined by them with `keep_own_tools`; then they run for real. `context` makes the context of each
    turn anew, `model` takes the place of every agent's own. The kind is seen from the models of all these agents:
    `ScriptedModel` is no real one; a model class of your own is undeclared unless you say what it is. Traces are
    exported nowhere. What else may be given, `name`, `kind`, `tools`, `aliases`, `prices`, `secrets`, is described at
    `Options`.

    Raises `WrongUse` where the installed SDK is none this was tested with.
    """
    found = checked_version("openai-agents", least=(0, 24), below=(0, 25), extra=EXTRA)
    from company_lab.agents import openai_agents_turn as turns
    from company_lab.agents.openai_agents_models import models_of

    if not turns.is_agent(agent):
        raise WrongUse(f"openai_agents_agent takes an agents.Agent, found a {type(agent).__name__}")
    seen = models_of(agent, run_config, model)
    return adapted(
        framework=f"openai-agents {found}",
        called=agent.name,
        models=seen,
        play=lambda turn: turns.played(
            agent,
            turn,
            config=turns.quiet(run_config, model),
            context=None if context is None else context(),
            max_turns=max_turns,
            keep_own_tools=keep_own_tools,
        ),
        settings={
            "model": seen[0].name,
            "max_turns": max_turns,
            **({"keep_own_tools": True} if keep_own_tools else {}),
        },
        prompts=turns.prompts_of(agent),
        **options,
    )
