"""LangGraph and LangChain: a factory that builds somebody's graph around the tools it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Unpack

from company_lab.agents.framework_adapter import Options, adapted, checked_version
from company_lab.agents.framework_models import SeenModel
from company_lab.agents.protocol import Agent
from company_lab.formats.errors import WrongUse

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
    recursion_limit: int = RECURSION_LIMIT,
    resume: Callable[[object], object] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    prompts: Mapping[str, str] | None = None,
    **options: Unpack[Options],
) -> Agent:
    """The agent that a factory of graphs makes: `factory(tools)` returns a compiled graph over `messages`.

    A graph that is compiled already keeps the tools it was compiled with, so it has to be built around ours, once a
    turn; `create_agent(model, tools, ...)` of LangChain is such a graph. The messages of an episode are kept from turn
    to turn, other parts of the graph's state are not. `resume` answers interrupts of the graph's own; those of
    `HumanInTheLoopMiddleware` are let through to the world's guard without it.

    What models the graph asks shows only while it does: `kind` (or `declare` on the factory) says whether they are real
    ones; `model` names those that do not name themselves, `base_url` is where they answer, and both are written down
    with the run, as are `prompts`. What else may be given, `name`, `tools`, `aliases`, `prices`, `secrets`, is
    described at `Options`.

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
    if options.get("kind") is None:
        options["kind"] = getattr(factory, "company_lab_kind", None)
    return adapted(
        framework=f"langgraph {found}",
        called=getattr(factory, "__qualname__", type(factory).__name__),
        # No host: requests can not be held back from outside a graph.
        models=[SeenModel(name=model or SeenModel.UNNAMED, kind="undeclared", url=base_url)],
        play=lambda turn: turns.played(
            factory, turn, model=model, recursion_limit=recursion_limit, resume=resume
        ),
        settings={"recursion_limit": recursion_limit, **({"model": model} if model else {})},
        prompts=dict(prompts or {}),
        model_free=getattr(factory, "company_lab_model_free", None),
        **options,
    )
