"""What every adapter of a framework has in common: the options it takes, and the agent they make."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TypedDict

from company_lab.agents.chat_offers import looking_first
from company_lab.agents.framework_models import Prices, SeenModel, kind_of, known_kind
from company_lab.agents.framework_turns import FrameworkTurn, WorldTools
from company_lab.agents.protocol import Agent, AgentKind, Session, Task
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse


class Options(TypedDict, total=False):
    """The options that every adapter of a framework takes."""

    name: str | None
    """What reports call the agent; else the framework and the agent's own name."""
    kind: AgentKind | None
    """scripted, test_model or real_model, where that can not be seen from its models."""
    tools: Sequence[str]
    """Which of the world's tools it is given, by name or pattern (`orders.*`); all of them without this."""
    aliases: Mapping[str, str] | None
    """Tools by the names under which it knows them, see `WorldTools`."""
    prices: Mapping[str, str] | None
    """Dollars per million tokens by model, such as `{"gpt-5-mini": "0.25/2.00"}`."""
    secrets: Sequence[str]
    """Values, such as keys its tools hold, that are replaced wherever they would be stored."""
    code: str
    """SHA-256 of the file the agent is written in."""


def adapted(
    *,
    framework: str,
    called: str,
    models: Sequence[SeenModel],
    play: Callable[[FrameworkTurn], Awaitable[str]],
    settings: Mapping[str, Json],
    prompts: Mapping[str, str],
    model_free: bool | None = None,
    name: str | None = None,
    kind: AgentKind | None = None,
    tools: Sequence[str] = (),
    aliases: Mapping[str, str] | None = None,
    prices: Mapping[str, str] | None = None,
    secrets: Sequence[str] = (),
    code: str = "",
) -> Agent:
    """The agent that a framework runs.

    `play` plays one turn and returns the reply; everything it does in the world goes through the `FrameworkTurn`.
    `framework` names it with its version, `called` is the agent's own name, `models` are those that can be seen, the
    one that is asked first before the others, and `settings` and `prompts` what else a run keeps. The rest are
    `Options`. Raises `WrongUse`.
    """
    declared = known_kind(kind, kind_of(models))
    given = WorldTools(only=tuple(tools), aliases=dict(aliases or {}))
    table = Prices(prices, models[0].url)

    async def act(task: Task, session: Session) -> str:
        return await play(FrameworkTurn(task, session, given, table))

    agent = Agent(
        name=name or f"{framework.split()[0]}:{called}",
        kind=declared,
        act=act,
        settings={"framework": framework, **settings, **given.settings()},
        prompts=prompts,
        prices=table.snapshot([model for model in models if model.name != SeenModel.UNNAMED]),
        model_free=model_free,
        hosts={model.host: None for model in models if model.host},
        secrets=(*secrets, *(model.secret for model in models if model.secret)),
        code=code,
    )
    return looking_first(agent, given.names)


def checked_version(package: str, *, least: tuple[int, ...], below: tuple[int, ...], extra: str) -> str:
    """The installed version of a package. Raises `WrongUse` where it is missing or was never tried."""
    try:
        found = version(package)
    except PackageNotFoundError:
        raise WrongUse(f"{package} is not installed; try: pip install 'company-lab[{extra}]'") from None
    numbers = tuple(int(part) for part in found.split(".")[: len(least)] if part.isdigit())
    if not least <= numbers or not numbers < below:
        wanted = f">={'.'.join(map(str, least))},<{'.'.join(map(str, below))}"
        raise WrongUse(
            f"this adapter was tested with {package} {wanted}, found {found}; "
            f"try: pip install 'company-lab[{extra}]'"
        )
    return found
