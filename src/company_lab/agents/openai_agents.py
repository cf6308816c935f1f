"""The OpenAI Agents SDK: an agent somebody has, cloned with the world's tools."""

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
    import agents

EXTRA = "openai-agents"
MAX_TURNS = 100
"""How often the model is asked in one of our turns at most; the SDK calls each request a turn."""


def openai_agents_agent(
    agent: agents.Agent[Any],
    *,
    name: str | None = None,
    kind: AgentKind | None = None,
    model: agents.Model | str | None = None,
    context: Callable[[], object] | None = None,
    run_config: agents.RunConfig | None = None,
    max_turns: int = MAX_TURNS,
    tools: Sequence[str] = (),
    aliases: Mapping[str, str] | None = None,
    keep_own_tools: bool = False,
    prices: Mapping[str, str] | None = None,
    code: str = "",
) -> Agent:
    """The agent an `agents.Agent` makes. It is cloned, with every agent it hands over to, and stays as it is.

    Instructions, handoffs, guardrails, output type and model are its own; its tools and MCP servers are replaced by the
    world's tools, or joined by them with `keep_own_tools`; then they run for real. `tools` and `aliases` (tools by
    alias) say which of the world's tools it is given and under which names, see `WorldTools`. `context` makes the
    context of each turn anew. `kind` is seen from the model: `ScriptedModel` is no real one; a model class of your own
    is undeclared unless you say what it is. `prices` are dollars per million tokens by model. Traces are exported
    nowhere.

    Raises `WrongUse` where the installed SDK is none this was tested with.
    """
    found = checked_version("openai-agents", least=(0, 24), below=(0, 25), extra=EXTRA)
    from company_lab.agents import openai_agents_turn as turns

    if not turns.is_agent(agent):
        raise WrongUse(f"openai_agents_agent takes an agents.Agent, found a {type(agent).__name__}")
    chosen = model or (run_config.model if run_config is not None else None) or agent.model
    seen = turns.seen_model(chosen, run_config)
    declared = known_kind(kind, seen.kind)
    given = WorldTools(only=tuple(tools), aliases=dict(aliases or {}))
    table = Prices(prices, seen.url, kind=declared)
    settings: dict[str, Json] = {
        "framework": f"openai-agents {found}",
        "model": seen.name,
        "max_turns": max_turns,
        **given.settings(),
    }
    if keep_own_tools:
        settings["keep_own_tools"] = True

    async def act(task: Task, session: Session) -> str:
        return await turns.played(
            agent,
            FrameworkTurn(task, session, given, table),
            seen=seen,
            config=turns.quiet(run_config, model),
            context=None if context is None else context(),
            max_turns=max_turns,
            keep_own_tools=keep_own_tools,
        )

    def made(bound: Callable[[Scenario], Agent] | None) -> Agent:
        return Agent(
            name=name or f"openai-agents:{agent.name}",
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
