"""pydantic-ai: an agent somebody has, evaluated as it is; only its tools are swapped for the world's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from company_lab.agents.framework_turns import (
    FrameworkTurn,
    Prices,
    WorldTools,
    checked_version,
    known_kind,
)
from company_lab.agents.protocol import Agent, AgentKind, Session, Task
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.model import Scenario

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
    name: str | None = None,
    kind: AgentKind | None = None,
    model: Model | str | None = None,
    deps: Callable[[], object] | None = None,
    usage_limits: UsageLimits | None = None,
    tools: Sequence[str] = (),
    aliases: Mapping[str, str] | None = None,
    keep_own_tools: bool = False,
    prices: Mapping[str, str] | None = None,
    code: str = "",
) -> Agent:
    """The agent a `pydantic_ai.Agent` makes; it is not changed, and may be played in many episodes at the same time.

    Instructions, output type, capabilities, retries and model are its own. Its tools are replaced by the world's, or
    joined by them with `keep_own_tools`; then they run for real. `tools` and `aliases` (tools by alias) say which of
    the world's tools it is given and under which names, see `WorldTools`. `model` takes the place of the agent's.
    `deps` makes the dependencies of each turn anew. `kind` is seen from the model: `TestModel` and `FunctionModel` are
    no real one; a model class of your own is undeclared unless you say what it is. `prices` are dollars per million
    tokens by model, such as `{"gpt-5-mini": "0.25/2.00"}`.

    Raises `WrongUse` where the installed pydantic-ai is none this was tested with.
    """
    found = checked_version("pydantic-ai-slim", least=(2, 62), below=(3,), extra=EXTRA)
    from pydantic_ai import UsageLimits

    from company_lab.agents import pydantic_ai_turn as turns

    if not turns.is_agent(agent):
        raise WrongUse(f"pydantic_ai_agent takes a pydantic_ai.Agent, found a {type(agent).__name__}")
    seen = turns.seen_model(agent.model if model is None else model)
    given = WorldTools(only=tuple(tools), aliases=dict(aliases or {}))
    declared = known_kind(kind, seen.kind)
    table = Prices(prices, seen.url, kind=declared)
    limits = usage_limits or UsageLimits(request_limit=REQUESTS)
    settings: dict[str, Json] = {
        "framework": f"pydantic-ai {found}",
        "model": seen.name,
        "request_limit": limits.request_limit,
        **given.settings(),
    }
    if keep_own_tools:
        settings["keep_own_tools"] = True

    async def act(task: Task, session: Session) -> str:
        turn = FrameworkTurn(task, session, given, table)
        return await turns.played(
            agent,
            turn,
            model=model,
            host=seen.host,
            deps=None if deps is None else deps(),
            limits=limits,
            keep_own_tools=keep_own_tools,
        )

    def made(bound: Callable[[Scenario], Agent] | None) -> Agent:
        return Agent(
            name=name or f"pydantic-ai:{agent.name or 'agent'}",
            kind=declared,
            act=act,
            settings=settings,
            prompts=turns.prompts_of(agent),
            prices=table.snapshot(seen.name),
            hosts={seen.host: None} if seen.host else {},
            code=code,
            bound=bound,
        )

    return made(given.binding(lambda: made(None)))
