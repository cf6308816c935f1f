"""The models of an agent of pydantic-ai, and its fixed prompts, as far as they can be seen."""

from __future__ import annotations

from typing import Any

from pydantic_ai.agent import AbstractAgent
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel

from company_lab.agents.framework_models import SeenModel


def models_of(model: object) -> list[SeenModel]:
    """The models behind one: those a `FallbackModel` asks one after the other, else itself."""
    while isinstance(model, WrapperModel):
        model = model.wrapped
    if isinstance(model, FallbackModel):
        return [seen for one in model.models for seen in models_of(one)]
    return [_seen(model)]


def _seen(model: object) -> SeenModel:
    if isinstance(model, str):
        return SeenModel(name=model, kind="test_model" if model == "test" else "real_model")
    if not isinstance(model, Model):
        return SeenModel(name=SeenModel.UNNAMED, kind="undeclared")
    name = str(model.model_name)
    if isinstance(model, (TestModel, FunctionModel)):
        return SeenModel(name=name, kind="test_model")
    own = type(model).__module__.startswith("pydantic_ai.models.")
    return SeenModel.at(
        getattr(model, "base_url", None),
        name=name,
        kind="real_model" if own else "undeclared",
        secret=getattr(getattr(model, "client", None), "api_key", None),
    )


def prompts_of(agent: AbstractAgent[Any, Any]) -> dict[str, str]:
    """The fixed texts an agent is instructed with. What functions of it add shows in no run before it is played."""
    found: dict[str, str] = {}
    systems = getattr(agent, "_system_prompts", ())
    instructions = [getattr(one, "instruction", one) for one in getattr(agent, "_instructions", ())]
    for kind, texts in (("system", systems), ("instructions", instructions)):
        text = "\n\n".join(one for one in texts if isinstance(one, str))
        if text:
            found[kind] = text
    return found


def is_agent(found: object) -> bool:
    """Whether it is an agent of pydantic-ai."""
    return isinstance(found, AbstractAgent)
