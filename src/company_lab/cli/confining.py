"""What the command line says about isolation and about rate limits."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from company_lab.formats.errors import WrongUse
from company_lab.formats.time import BadTime, parse_duration

if TYPE_CHECKING:
    from company_lab.agents.pacing import Rate
    from company_lab.episodes.confined import Confinement

F = TypeVar("F", bound=Callable[..., Any])

_SIZE = re.compile(r"([0-9]{1,12})(k|M|G)?(?:i?B)?", re.ASCII)
_UNITS = {None: 1, "k": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_LIMITS = ("isolate_cpu", "isolate_memory", "isolate_output")


def confining_options(function: F) -> F:
    """`--isolate` with its limits, and `--rate`."""
    options = (
        click.option(
            "--isolate",
            is_flag=True,
            help="Each agent in a process of its own for each episode, with limits; --workers says how many at once.",
        ),
        click.option("--isolate-cpu", metavar="TIME", help="Processor time of an isolated process: 60s."),
        click.option("--isolate-memory", metavar="SIZE", help="Memory of an isolated process: 2G."),
        click.option("--isolate-output", metavar="SIZE", help="What an isolated process may print: 10M."),
        click.option(
            "--rate",
            metavar="HOST=RATE",
            multiple=True,
            help="How often a model's host may be asked, such as api.example.com=5/s. May be given several times.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def confinement_of(given: dict[str, Any]) -> Confinement | None:
    """The limits of isolated episodes, from the options by name; None where episodes are not isolated."""
    named = {name: given[name] for name in _LIMITS if given[name] is not None}
    if not given["isolate"]:
        if named:
            option = next(iter(named)).replace("_", "-")
            raise WrongUse(f"--{option} is a limit of isolated episodes: give --isolate too")
        return None
    from company_lab.episodes.confined import Confinement

    limits: dict[str, int] = {}
    if "isolate_cpu" in named:
        limits["cpu_s"] = _seconds(named["isolate_cpu"])
    if "isolate_memory" in named:
        limits["memory_bytes"] = _bytes("memory", named["isolate_memory"])
    if "isolate_output" in named:
        limits["output_bytes"] = _bytes("output", named["isolate_output"])
    return Confinement(**limits)


def rates_given(texts: tuple[str, ...]) -> dict[str, Rate]:
    """The rates by host. Raises `WrongUse`."""
    from company_lab.agents.pacing import parse_rate

    rates: dict[str, Rate] = {}
    for text in texts:
        host, equals, rate = text.rpartition("=")
        if not equals or not host:
            raise WrongUse(f"--rate {text}: give a host and a rate, such as api.example.com=5/s")
        if host in rates:
            raise WrongUse(f"--rate gives {host} two rates")
        rates[host] = parse_rate(rate)
    return rates


def _seconds(text: str) -> int:
    try:
        milliseconds = parse_duration(text)
    except BadTime as error:
        raise WrongUse(f"--isolate-cpu: {error}") from None
    if milliseconds < 1000 or milliseconds % 1000:
        raise WrongUse(f"--isolate-cpu {text}: give whole seconds, from 1s")
    return milliseconds // 1000


def _bytes(name: str, text: str) -> int:
    match = _SIZE.fullmatch(text)
    size = int(match[1]) * _UNITS[match[2]] if match else 0
    if not size:
        raise WrongUse(f"--isolate-{name} {text}: give a size such as 500M or 2G")
    return size
