"""LangGraph and LangChain: a factory that builds somebody's graph around the tools it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from company_lab.agents.framework_turns import (
    FrameworkTurn,
    Prices,
    SeenModel,
    WorldTools,
    checked_version,
    known_kind,
)
from company_lab.agents.protocol import Agent, AgentKind, Session, Task
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse
from company_lab.scenarios.model import Scenario

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from langgraph.pregel import Pregel

    Factory = Callable[[list[BaseTool]], Pregel[Any, Any, Any, Any]]

EXTRA = "langgraph"
RECURSION_LIMIT = 200
"""Steps of the graph in one turn at most; an answer of the model and the calls it asks for are two."""


def langgraph_agent(
    factory: Factory,
    *,
    name: str | None = None,
    kind: AgentKind | None = None,
    recursion_limit: int = RECURSION_LIMIT,
    resume: Callable[[object], object] | None = None,
    tools: Sequence[str] = (),
    aliases: Mapping[str, str] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    prompts: Mapping[str, str] | None = None,
    prices: Mapping[str, str] | None = None,
    code: str = "",
) -> Agent:
    """The agent that a factory of graphs makes: `factory(tools)` returns a compiled graph over `messages`.

    A graph that is compiled already keeps the tools it was compiled with, so it has to be built around ours, once a
    turn; `create_agent(model, tools, ...)` of LangChain is such a graph. The messages of an episode are kept from turn
    to turn, other parts of the graph's state are not. `tools` and `aliases` (tools by alias) say which of the world's
    tools it is given and under which names, see `WorldTools`. `resume` answers interrupts of the graph's own; those of
    `HumanInTheLoopMiddleware` are let through to the world's guard without it.

    What model the graph asks shows only while it does: `kind` (or `declare` on the factory) says whether it is a real
    one, `model`, `base_url` and `prompts` are written down with the run, and `prices` are dollars per million tokens.

    Raises `WrongUse` where the installed LangGraph is none this was tested with.
    """
    found = checked_version("langgraph", least=(1, 2), below=(2,), extra=EXTRA)
    checked_version("langchain-core", least=(1, 8), below=(2,), extra=EXTRA)
    from company_lab.agents import langgraph_turn as turns

    if turns.is_graph(factory) or not callable(factory):
        raise WrongUse(
            f"langgraph_agent takes a function that builds the graph around the tools it is given, "
            f"found a {type(factory).__name__}; write: def agent(tools): return create_agent(model, tools)"
        )
    named = kind if kind is not None else getattr(factory, "company_lab_kind", None)
    seen = SeenModel.at(base_url, name=model or "unknown", kind="undeclared")
    declared = known_kind(named, seen.kind)
    given = WorldTools(only=tuple(tools), aliases=dict(aliases or {}))
    table = Prices(prices, base_url, kind=declared)
    settings: dict[str, Json] = {
        "framework": f"langgraph {found}",
        "recursion_limit": recursion_limit,
        **({"model": model} if model else {}),
        **given.settings(),
    }

    async def act(task: Task, session: Session) -> str:
        return await turns.played(
            factory,
            FrameworkTurn(task, session, given, table),
            model=model,
            recursion_limit=recursion_limit,
            resume=resume,
        )

    def made(bound: Callable[[Scenario], Agent] | None) -> Agent:
        return Agent(
            name=name or f"langgraph:{getattr(factory, '__qualname__', type(factory).__name__)}",
            kind=declared,
            act=act,
            settings=settings,
            prompts=dict(prompts or {}),
            prices=table.snapshot(*([model] if model else [])),
            model_free=getattr(factory, "company_lab_model_free", None),
            code=code,
            bound=bound,
        )

    return made(given.binding(lambda: made(None)))
