"""pydantic-ai: an agent somebody has, evaluated as it is; only its tools are swapped for the world's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from company_lab.agents.framework_adapter import Options, adapted, checked_version
from company_lab.agents.protocol import Agent
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    from pydantic_ai import UsageLimits
    from pydantic_ai.agent import AbstractAgent
    from pydantic_ai.models import Model

EXTRA = "pydantic-ai"
REQUESTS = 100
"""How often the model is asked in one turn at most, where `usage_limits` says nothing else."""


def pydantic_ai_agent(
    agent: AbstractAgent[Any, Any],
    *,
    model: Model | str | None = None,
    deps: Callable[[], object] | None = None,
    usage_limits: UsageLimits | None = None,
    keep_own_tools: bool = False,
    **options: Unpack[Options],
) -> Agent:
    """The agent a `pydantic_ai.Agent` makes; it is not changed, and may be played in many episodes at the same time.

    Instructions, output type, capabilities, retries and model are its own. Its tools are replaced by the world's, or
    joined by them with `keep_own_tools`; then they run for real. `model` takes the place of the agent's. `deps` makes
    the dependencies of each turn anew. The kind is seen from the model: `TestModel` and `FunctionModel` are no real
    one; a model class of your own is undeclared unless you say what it is. What else may be given, `name`, `kind`,
    `tools`, `aliases`, `prices`, `secrets`, is described at `Options`.

    Raises `WrongUse` where the installed pydantic-ai is none this was tested with.
    """
    found = checked_version("pydantic-ai-slim", least=(2, 62), below=(3,), extra=EXTRA)
    from pydantic_ai import UsageLimits

    from company_lab.agents import pydantic_ai_models as models
    from company_lab.agents import pydantic_ai_turn as turns

    if not models.is_agent(agent):
        raise WrongUse(f"pydantic_ai_agent takes a pydantic_ai.Agent, found a {type(agent).__name__}")
    seen = models.models_of(agent.model if model is None else model)
    limits = usage_limits or UsageLimits(request_limit=REQUESTS)
    return adapted(
        framework=f"pydantic-ai {found}",
        called=agent.name or "agent",
        models=seen,
        play=lambda turn: turns.played(
            agent,
            turn,
            model=model,
            models=seen,
            deps=None if deps is None else deps(),
            limits=limits,
            keep_own_tools=keep_own_tools,
        ),
        settings={
            "model": ", ".join(one.name for one in seen),
            "request_limit": limits.request_limit,
            **({"keep_own_tools": True} if keep_own_tools else {}),
        },
        prompts=models.prompts_of(agent),
        **options,
    )
