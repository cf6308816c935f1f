"""Names of tools as a model may be given them: aliases, a choice of tools, and no dots where a format forbids them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from company_lab.agents.protocol import ToolOffer
from company_lab.formats.errors import WrongUse, nearest

_FUNCTION = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)
"""What a function's name can not hold."""
RESPOND = "respond"
"""The option of a decision model that ends the turn; no tool may be called so."""


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The tools an agent is given, by the names the model sees; the way back is unambiguous."""

    offers: Mapping[str, ToolOffer]
    withheld: frozenset[str] = frozenset()
    """Tools of the world that the agent is not given."""

    def tool(self, name: str) -> str:
        """The tool that is meant by a name the model used.

        A name that was never given is handed on, so that the attempt is recorded, counted, and answered with an error.
        """
        offer = self.offers.get(name)
        return self.unoffered(name) if offer is None else offer.name

    def unoffered(self, name: str) -> str:
        """A name that is none of those given, as what it is attempted as: it never works, whatever the world has.

        That of a tool of the world is marked, whether the agent has that tool under another name or not at all.
        """
        there = name in self.withheld or any(offer.name == name for offer in self.offers.values())
        return f"{name} (not offered)" if there else name


def chosen_names(
    tools: Sequence[ToolOffer], *, only: Sequence[str], aliases: Mapping[str, str], functions: bool
) -> ToolNames:
    """The tools under their names. `only` selects by name or pattern (`orders.*`), empty selects all.

    With `functions` names obey the rule of OpenAI's function names: letters, digits, _ and -, at most 64; a dot
    becomes an underscore. Raises `WrongUse` for a tool that is not there, and for two tools of one name.
    """
    known = {tool.name: tool for tool in tools}
    selected = _selected(known, only)
    alias_of: dict[str, str] = {}
    for alias, tool in aliases.items():
        if tool not in known:
            raise WrongUse(f"--alias {alias}={tool}: there is no tool {tool}{_hint(tool, known)}")
        if tool not in selected:
            raise WrongUse(f"--alias {alias}={tool}: the agent is not given {tool}; add --tool {tool}")
        if functions and not _FUNCTION.fullmatch(alias):
            raise WrongUse(
                f"--alias {alias}={tool}: a function's name has letters, digits, _ and -, at most 64"
            )
        if tool in alias_of:
            raise WrongUse(f"{tool} has two aliases, {alias_of[tool]} and {alias}")
        alias_of[tool] = alias
    named: dict[str, ToolOffer] = {}
    for name, offer in selected.items():
        given = alias_of.get(name) or (NOT_ALLOWED.sub("_", name)[:64] if functions else name)
        if given in named:
            raise WrongUse(
                f"{name} and {named[given].name} would both be called {given}; give one of them an --alias"
            )
        if given == RESPOND and not functions:
            raise WrongUse(f"{name} would be called {RESPOND}, which ends the turn; give it another --alias")
        named[given] = offer
    return ToolNames(named, frozenset(known.keys() - selected.keys()))


def parse_aliases(texts: Iterable[str]) -> dict[str, str]:
    """Tools by alias, from `ALIAS=TOOL` texts. Raises `WrongUse`."""
    found: dict[str, str] = {}
    for text in texts:
        alias, equals, tool = text.partition("=")
        if not equals or not alias or not tool:
            raise WrongUse(f"--alias {text}: give a name and a tool, such as lookup=orders.get")
        if alias in found:
            raise WrongUse(f"--alias gives {alias} two tools, {found[alias]} and {tool}")
        found[alias] = tool
    return found


def _selected(known: Mapping[str, ToolOffer], only: Sequence[str]) -> dict[str, ToolOffer]:
    if not only:
        return dict(known)
    for pattern in only:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise WrongUse(f"--tool {pattern}: there is no such tool{_hint(pattern, known)}")
    return {
        name: offer for name, offer in known.items() if any(fnmatchcase(name, pattern) for pattern in only)
    }


def _hint(name: str, known: Iterable[str]) -> str:
    close = nearest(name, known)
    return f"; did you mean {close}?" if close else ""
