"""What the command line and the ini file ask for, checked before anything is played."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from company_lab.pytest_plugin import AGENT

MOST_TRIALS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The least that the trials of every scenario must come to, together."""

    rate: float | None = None
    k: int = 1
    pass_k: float | None = None

    def __str__(self) -> str:
        said = [] if self.rate is None else [f"a rate of at least {self.rate:g}"]
        said += [] if self.pass_k is None else [f"pass^{self.k} of at least {self.pass_k:g}"]
        return f"every scenario with {' and '.join(said)}, and no critical failure"


def value_of(config: pytest.Config, name: str) -> str | None:
    """What was given for an option: on the command line, else in the ini file."""
    given = config.getoption(f"--company-lab-{name}")
    if given is None:
        given = config.getini(f"company_lab_{name.replace('-', '_')}")
    return str(given) if given else None


def trials_of(config: pytest.Config) -> int:
    """How often every scenario is played."""
    return _whole(config, "trials", default=1, least=1, most=MOST_TRIALS)


def seed_of(config: pytest.Config) -> int:
    """The seed of every episode."""
    return _whole(config, "seed", default=0, least=-(2**63), most=2**63)


def store_of(config: pytest.Config) -> Path | None:
    """Where episodes are stored; a relative path is one from the root of the tests."""
    given = value_of(config, "store")
    return None if given is None else config.rootpath / given


def demand_of(config: pytest.Config) -> Demand | None:
    """The minimum that was asked for, or None. Raises `UsageError` for one that everything would meet."""
    rate, powers = value_of(config, "min-rate"), value_of(config, "min-pass-k")
    if rate is None and powers is None:
        return None
    least = None if rate is None else _share(rate, "min-rate", rate)
    if powers is None:
        return Demand(rate=least)
    name, _, minimum = powers.partition("=")
    if not (name.isascii() and name.isdigit() and int(name) >= 1):
        raise pytest.UsageError(
            f"--company-lab-min-pass-k {powers}: give K=MINIMUM, such as 3=0.8, with a whole number K from 1"
        )
    k, trials = int(name), trials_of(config)
    if k > trials:
        raise pytest.UsageError(
            f"--company-lab-min-pass-k {powers}: pass^{k} takes at least {k} trials, and there "
            f"{'is 1' if trials == 1 else f'are {trials}'}; give --company-lab-trials {k} or more"
        )
    return Demand(rate=least, k=k, pass_k=_share(minimum, "min-pass-k", powers))


def configured_agent(config: pytest.Config) -> object:
    """The agent that was named. Raises `UsageError` where none was, or there is none of that name."""
    from company_lab.agents.resolve import resolve_agent
    from company_lab.formats.errors import CompanyLabError

    name = value_of(config, "agent")
    if name is None:
        raise pytest.UsageError(
            f"no agent: give --company-lab-agent, the ini option {AGENT} or a fixture {AGENT}"
        )
    look_in_root(config)
    try:
        return resolve_agent(name)
    except CompanyLabError as error:
        raise pytest.UsageError(f"--company-lab-agent {name}: {error}") from error


def refuse_unknown_agent(config: pytest.Config) -> None:
    """Look for the agent that was named, before anything is played. Raises `UsageError` where it is not there."""
    if value_of(config, "agent") is not None:
        configured_agent(config)


def nothing_collected(config: pytest.Config) -> str:
    """What to say where an agent was named and no scenario was found for it."""
    patterns: list[str] = config.getini("company_lab_files")
    return (
        f"{value_of(config, 'agent')} has nothing to do: no scenario was collected. Scenarios are looked for in files "
        f"named {' or '.join(patterns)} (the ini option company_lab_files names others); held-out ones are collected "
        "with --company-lab-held-out"
    )


def nobody_named(files: int) -> str:
    """What to say where scenario files lie there and no agent was named for them."""
    what = "a scenario file was" if files == 1 else f"{files} scenario files were"
    return (
        f"{what} passed over: name an agent with --company-lab-agent module:function, "
        "or by a fixture company_lab_agent"
    )


def look_in_root(config: pytest.Config) -> None:
    """Look for modules of agents and worlds where the tests begin, as the command does in the current folder."""
    root = str(config.rootpath)
    if root not in sys.path:
        sys.path.insert(0, root)


def _whole(config: pytest.Config, name: str, *, default: int, least: int, most: int) -> int:
    given = value_of(config, name)
    if given is None:
        return default
    try:
        number = int(given)
    except ValueError:
        number = least - 1
    if not least <= number <= most:
        span = f" from {least:,} to {most:,}" if abs(least) < most else ""
        raise pytest.UsageError(f"--company-lab-{name} {given}: give a whole number{span}")
    return number


def _share(text: str, name: str, given: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise pytest.UsageError(
            f"--company-lab-{name} {given}: a minimum lies above 0, which everything meets, and is at most 1"
        )
    return share
