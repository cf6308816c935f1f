"""Hosts: where suites of other benchmarks come from, named `HOST:NAME` instead of by a folder.

A host is registered under the entry point group `company_lab.hosts` and is loaded when its name is used. Its
worlds are named in the same way: the scenarios of `agentdojo:banking` play in the world `agentdojo:banking`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

from company_lab.formats.errors import WrongUse
from company_lab.scenarios.model import Suite

GROUP = "company_lab.hosts"
"""Entry point group under which hosts are registered."""


@runtime_checkable
class Host(Protocol):
    """Knows the suites of one benchmark by name, and the worlds they play in."""

    def suite(self, name: str) -> Suite:
        """The scenarios of a suite. Raises `WrongUse` where there is none of that name."""
        ...

    def world(self, name: str) -> object:
        """The world its scenarios play in."""
        ...

    def names(self) -> tuple[str, ...]:
        """The suites there are without giving a place of one's own."""
        ...


@dataclass(frozen=True, slots=True)
class Hosted:
    """A host, and which of its suites is meant."""

    host: Host
    name: str


def host_of(text: str) -> Hosted | None:
    """The host that `HOST:NAME` speaks of; None where no host has that name, as with a path or a module.

    Raises `WrongUse` where a registered host is none.
    """
    prefix, colon, name = text.partition(":")
    if not colon or prefix not in registered():
        return None
    host = _loaded(prefix)
    if not isinstance(host, Host):
        raise WrongUse(f"the host {prefix} is a {type(host).__name__} without suites and worlds")
    return Hosted(host, name)


@lru_cache(maxsize=1)
def registered() -> dict[str, EntryPoint]:
    """The hosts by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


@lru_cache(maxsize=16)
def _loaded(name: str) -> object:
    return load_registered(registered()[name], what="host")


def load_registered(point: EntryPoint, *, what: str) -> object:
    """What another package registered. Raises `WrongUse` where it can not be imported, for whatever reason."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # whatever a module does at import is its own
        raise WrongUse(
            f"the {what} {point.name} can not be loaded from {point.value}: {type(error).__name__}: {error}"
        ) from error
