"""Options of agents that ask models, as the command line gives them and as a run keeps them: the same words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from company_lab.agents.chat_asking import need_http
from company_lab.agents.chat_host import ANSWER_TIMEOUT_S, RETRIES, ModelHost, base_url
from company_lab.agents.chat_names import parse_aliases
from company_lab.agents.chat_traffic import Traffic
from company_lab.agents.prices import parse_prices
from company_lab.agents.protocol import AgentKind
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest

COMMON = (
    "tool",
    "alias",
    "temperature",
    "max_output_tokens",
    "answer_timeout",
    "retries",
    "price",
    "test_model",
    "record",
    "replay",
)
"""Options that every agent that asks models has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The options all of them share, read."""

    tools: tuple[str, ...]
    aliases: Mapping[str, str]
    temperature: float | None
    max_output_tokens: int | None
    prices: Mapping[str, str]
    kind: AgentKind
    traffic: Traffic | None
    timeout_s: float
    retries: int

    def sampling(self, limit: str) -> dict[str, Json]:
        """What a request says about sampling; `limit` is the format's name for the longest answer."""
        found: dict[str, Json] = {}
        if self.temperature is not None:
            found["temperature"] = self.temperature
        if self.max_output_tokens is not None:
            found[limit] = self.max_output_tokens
        return found


class Options:
    """Options by name, read one by one; every error names the option as the command line spells it."""

    def __init__(self, given: Mapping[str, Json], *, adapter: str, known: Iterable[str]) -> None:
        # 0 equals False and is something that was said: temperature 0, no retries.
        self._given = {
            name: value
            for name, value in given.items()
            if value is not False and value not in (None, [], (), {})
        }
        self._adapter = adapter
        names = (*known, *COMMON)
        for name in self._given:
            if name not in names:
                close = nearest(name, names)
                hint = f"; did you mean {_spelled(close)}?" if close else ""
                raise WrongUse(f"--agent {adapter} takes no {_spelled(name)}{hint}")

    @property
    def settings(self) -> dict[str, Json]:
        """What was given, as a run keeps it. A replayed recording is named by its content as well."""
        return dict(self._given)

    def text(self, name: str) -> str | None:
        """A text that may be absent."""
        value = self._given.get(name)
        if value is not None and not isinstance(value, str):
            raise WrongUse(f"{_spelled(name)} is a text, not {value!r}")
        return value

    def needed(self, name: str, example: str) -> str:
        """A text that must be given."""
        value = self.text(name)
        if not value:
            raise WrongUse(
                f"--agent {self._adapter} needs {_spelled(name)}, such as {_spelled(name)} {example}"
            )
        return value

    def flag(self, name: str) -> bool:
        """An option that is there or not."""
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise WrongUse(f"{_spelled(name)} is given or not, and takes no {value!r}")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """An option that may be given several times."""
        value = self._given.get(name, [])
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            raise WrongUse(f"{_spelled(name)} is a list of texts, not {value!r}")
        return tuple(str(item) for item in value)

    def number(self, name: str, *, least: float, most: float) -> float | None:
        """A number that may be absent."""
        value = self._given.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            raise WrongUse(f"{_spelled(name)} {value}: give a number from {least:g} to {most:g}")
        return float(value)

    def prompt(self, name: str, default: str) -> str:
        """The text of a file that an option names, without blank lines around it, or the default."""
        found = self.content(name)
        return default if found is None else found.strip()

    def content(self, name: str) -> str | None:
        """What stands in a file that an option names, if it names one."""
        path = self.text(name)
        if path is None:
            return None
        try:
            return Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise WrongUse(f"{_spelled(name)} {path}: {error}") from None

    def host(
        self, role: str, *, url: str, model: str, key: str, common: Common, default_key: str | None = None
    ) -> ModelHost:
        """The host of a model, with its key's variable looked at, so that a missing key shows before a run."""
        host = ModelHost(
            role=role,
            url=url,
            model=model,
            key_env=self.text(key) or default_key,
            retries=common.retries,
            timeout_s=common.timeout_s,
        )
        if common.traffic is None or common.traffic.mode != "replay":
            host.key()
        return host

    def common(self) -> Common:
        """The options all such agents share. Raises `WrongUse`."""
        need_http()
        record, replay = self.text("record"), self.text("replay")
        if record and replay:
            raise WrongUse("give either --record or --replay: what is replayed was recorded before")
        file = record or replay
        traffic = None if not file else Traffic(Path(file), "record" if record else "replay")
        if traffic is not None and traffic.mode == "replay":
            self._given["recording"] = traffic.digest
        limit = self.number("max_output_tokens", least=1, most=10_000_000)
        retries = self.number("retries", least=0, most=100)
        timeout = self.number("answer_timeout", least=0.01, most=86_400)
        kind: AgentKind = "test_model" if self.flag("test_model") else "real_model"
        return Common(
            tools=self.texts("tool"),
            aliases=parse_aliases(self.texts("alias")),
            temperature=self.number("temperature", least=0, most=10),
            max_output_tokens=None if limit is None else int(limit),
            prices=parse_prices(self.texts("price")),
            kind="replayed" if replay else kind,
            traffic=traffic,
            timeout_s=ANSWER_TIMEOUT_S if timeout is None else timeout,
            retries=RETRIES if retries is None else int(retries),
        )


def api_url(text: str, *, option: str) -> str:
    """The base URL of an OpenAI-compatible API; a bare host gets the usual `/v1`."""
    url = base_url(text, option=option).removesuffix("/chat/completions").removesuffix("/responses")
    return url if url.count("/") > 2 else f"{url}/v1"


def _spelled(name: str) -> str:
    return "--" + name.replace("_", "-")
