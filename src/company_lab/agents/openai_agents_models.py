"""The models of an agent of the OpenAI Agents SDK: what can be seen of them, and how their answers are watched."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

import agents
from agents.items import ModelResponse
from agents.models._openai_shared import get_default_openai_client
from agents.models.default_models import get_default_model
from agents.models.interface import ModelProvider
from agents.testing import ScriptedModel

from company_lab.agents.framework_models import SeenModel

_OPENAI = "https://api.openai.com/v1"


class Watcher(Protocol):
    """Is told of every request to a model and of what became of it."""

    def asking(self, seen: SeenModel) -> AbstractAsyncContextManager[None]:
        """Stands around a request to the model, and sees what keeps its answer from coming."""
        ...

    def answered(self, seen: SeenModel, output: Sequence[Any], usage: Any, offered: Iterable[str]) -> None:
        """It has answered with these items; `offered` are the names of what it might call."""
        ...


class WatchedModel(agents.Model):
    """A model as it is, whose answers are seen before the SDK looks at them, and may refuse them."""

    def __init__(self, model: agents.Model, seen: SeenModel, watcher: Watcher) -> None:
        self._model = model
        self._seen = seen
        self._watcher = watcher

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)  # the SDK asks some models what they support

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        """See `agents.Model`."""
        async with self._watcher.asking(self._seen):
            response = await self._model.get_response(*args, **options)
        self._watcher.answered(self._seen, response.output, response.usage, _offered(args, options))
        return response

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        """See `agents.Model`."""
        async with self._watcher.asking(self._seen):
            async for event in self._model.stream_response(*args, **options):
                if event.type == "response.completed":
                    said = event.response
                    self._watcher.answered(self._seen, said.output, said.usage, _offered(args, options))
                yield event

    def get_retry_advice(self, request: Any) -> Any:
        """See `agents.Model`."""
        return self._model.get_retry_advice(request)

    async def close(self) -> None:
        """See `agents.Model`."""
        await self._model.close()

    async def _cleanup_on_run_end(self, owner: object) -> None:
        await self._model._cleanup_on_run_end(owner)


class WatchedProvider(ModelProvider):
    """Models by name, from whoever knows them, each of them watched."""

    def __init__(self, provider: ModelProvider, watcher: Watcher) -> None:
        self._provider = provider
        self._watcher = watcher
        self._known: dict[str | None, WatchedModel] = {}

    def get_model(self, model_name: str | None) -> agents.Model:
        """See `ModelProvider`."""
        if model_name not in self._known:
            model = self._provider.get_model(model_name)
            named = seen_model(model_name, self._provider)
            self._known[model_name] = WatchedModel(model, named, self._watcher)
        return self._known[model_name]

    async def aclose(self) -> None:
        """See `ModelProvider`."""
        await self._provider.aclose()


def watched(model: agents.Model | str | None, watcher: Watcher) -> agents.Model | str | None:
    """A model that is watched; a name stays one, for a `WatchedProvider`."""
    if not isinstance(model, agents.Model):
        return model
    return WatchedModel(model, seen_model(model, None), watcher)


def _offered(args: tuple[Any, ...], options: dict[str, Any]) -> Iterator[str]:
    """What the model is offered: the fourth and sixth of its arguments, where they have no names."""
    tools = options["tools"] if "tools" in options else args[3]
    handoffs = options["handoffs"] if "handoffs" in options else args[5]
    yield from (tool.name for tool in tools)
    yield from (handoff.tool_name for handoff in handoffs)


def models_of(
    agent: agents.Agent[Any], config: agents.RunConfig | None, model: agents.Model | str | None
) -> list[SeenModel]:
    """The models of an agent and of those it hands over to, its own first."""
    instead = model or (config.model if config is not None else None)
    provider = None if config is None else config.model_provider
    if instead:
        return [seen_model(instead, provider)]
    return list(dict.fromkeys(seen_model(one.model, provider) for one in fleet_of(agent)))


def fleet_of(agent: agents.Agent[Any]) -> list[agents.Agent[Any]]:
    """An agent and all it hands over to, itself first."""
    found: list[agents.Agent[Any]] = []
    left: list[Any] = [agent]
    while left:
        one = left.pop(0)
        if isinstance(one, agents.Agent) and all(one is not other for other in found):
            found.append(one)
            left += one.handoffs
    return found


def seen_model(model: agents.Model | str | None, provider: ModelProvider | None) -> SeenModel:
    """Name, kind and address of a model, as far as they can be seen."""
    if isinstance(model, ScriptedModel):
        return SeenModel(name="ScriptedModel", kind="test_model")
    if model is None or isinstance(model, str):
        name = model or get_default_model()
        # A prefix names another provider, and a provider of one's own may be anything.
        own = "/" in name or (provider is not None and type(provider) is not agents.MultiProvider)
        return SeenModel.at(
            None if own else _address(None),
            name=name,
            kind="real_model",
            secret=getattr(get_default_openai_client(), "api_key", None) or os.environ.get("OPENAI_API_KEY"),
        )
    ours = type(model).__module__.split(".")[:2] in (["agents", "models"], ["agents", "extensions"])
    client = getattr(model, "_client", None)
    return SeenModel.at(
        None if client is None else _address(client),
        name=str(getattr(model, "model", None) or type(model).__name__),
        kind="real_model" if ours else "undeclared",
        secret=getattr(client, "api_key", None),
    )


def _address(client: object) -> str:
    client = client or get_default_openai_client()
    url = getattr(client, "base_url", None) or os.environ.get("OPENAI_BASE_URL") or _OPENAI
    return str(url)
