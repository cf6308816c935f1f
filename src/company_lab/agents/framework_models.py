"""The models of an agent that a framework runs: what can be seen of them, what they cost, how their failures end it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar
from urllib.parse import urlsplit

from company_lab.agents.chat_failures import HostFailure, ModelStopped
from company_lab.agents.prices import Price, price_of
from company_lab.agents.protocol import AgentKind, Infrastructure
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenModel:
    """What can be seen of one model of an agent."""

    name: str
    kind: AgentKind
    url: str | None = None
    """Where it is asked."""
    host: str | None = None
    """The host of that address, for pacing."""
    secret: str | None = field(default=None, repr=False, compare=False)
    """The key its client holds, where that can be seen; it is stored nowhere."""
    UNNAMED: ClassVar[str] = "unknown"
    """The name of one that shows only while it is asked."""

    @classmethod
    def at(cls, url: object, *, name: str, kind: AgentKind, secret: object = None) -> SeenModel:
        """A model at an address, if that is known."""
        address = str(url) if url else None
        host = None if address is None else urlsplit(address).netloc.rpartition("@")[2] or None
        return cls(
            name=name, kind=kind, url=address, host=host, secret=secret if isinstance(secret, str) else None
        )


def kind_of(models: Sequence[SeenModel]) -> AgentKind:
    """What an agent with these models is: a real one among them makes it one, an unknown one makes it undeclared."""
    kinds = {model.kind for model in models}
    if "real_model" in kinds:
        return "real_model"
    return "test_model" if kinds == {"test_model"} else "undeclared"


def known_kind(kind: AgentKind | None, observed: AgentKind) -> AgentKind:
    """The kind that was declared, or the one that can be seen."""
    if kind is None:
        return observed
    if kind not in ("scripted", "test_model", "real_model", "undeclared"):
        raise WrongUse(f"kind={kind!r}: give scripted, test_model or real_model")
    if kind == "real_model" and observed == "test_model":
        raise WrongUse("kind='real_model': the agent's model is the framework's test model, which is none")
    return kind


class Prices:
    """Prices of the models of an agent: declared ones first, then those of the host at an address."""

    def __init__(self, declared: Mapping[str, str] | None, url: str | None) -> None:
        self._declared = dict(declared or {})
        self._url = url
        self._found: dict[tuple[str, str], Price] = {}
        for model in self._declared:
            self.of(model)

    def of(self, model: str, url: str | None = None) -> Price:
        """The price of a model, at an address of its own where it has one."""
        # Without an address nobody can say whose model it is: one of that name may be served anywhere.
        address = url or self._url or "unknown://host"
        if (model, address) not in self._found:
            self._found[model, address] = price_of(model, address, self._declared)
        return self._found[model, address]

    def snapshot(self, models: Sequence[SeenModel]) -> dict[str, Json]:
        """What a run keeps of the prices of these models and of the declared ones."""
        seen = {model.name: dict(self.of(model.name, model.url).snapshot) for model in reversed(models)}
        return {**seen, **{model: dict(self.of(model).snapshot) for model in self._declared}}


def end_of(failure: HostFailure, what: str) -> Exception:
    """The exception a failed request to a model ends a turn with: an outage, or the agent's own end."""
    if failure.agents_own:
        return ModelStopped(f"the model can not go on: {failure.what}")
    return Infrastructure(f"{what} gave no answer: {failure.what}", retry_after=failure.retry_after)
