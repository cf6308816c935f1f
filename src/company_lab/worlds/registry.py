"""Worlds by name: the shipped company, those other packages register, and a team's own."""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from company_lab.formats.errors import WrongUse, nearest
from company_lab.scenarios.hosts import host_of, load_registered
from company_lab.worlds.world import World

GROUP = "company_lab.worlds"
"""Entry point group under which other packages register worlds."""


@lru_cache(maxsize=64)
def resolve_world(name: str) -> World:
    """The world of a name: a registered one, `module:attribute` for a team's own, or that of a hosted suite.

    Raises `WrongUse` that names the nearest registered world.
    """
    hosted = host_of(name)
    if hosted is not None:
        return _checked(name, hosted.host.world(hosted.name))
    if ":" in name:
        return _checked(name, import_attribute(name, what="world"))
    known = {point.name: point for point in entry_points(group=GROUP)}
    if name not in known:
        close = nearest(name, known)
        hint = f"; did you mean {close}?" if close else ""
        raise WrongUse(
            f"there is no world {name}{hint}; known are {', '.join(sorted(known))}, and module:attribute for your own"
        )
    return _checked(name, load_registered(known[name], what="world"))


def world_module(name: str) -> str | None:
    """The module that the world of a name stands in, or None where nobody registered it."""
    hosted = host_of(name)
    if hosted is not None:
        return type(hosted.host).__module__
    if ":" in name:
        return name.partition(":")[0]
    return next((point.module for point in entry_points(group=GROUP) if point.name == name), None)


def _checked(name: str, found: object) -> World:
    if not isinstance(found, World):
        raise WrongUse(f"{name} is a {type(found).__name__} and no World")
    return found


def import_attribute(name: str, *, what: str) -> object:
    """The object `module:attribute` names, looked up from the working directory too.

    Raises `WrongUse` that says which half was not found.
    """
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise WrongUse(
                f"the {what} {name}: there is no module {module_name} (looked in {here} too)"
            ) from None
        raise WrongUse(f"the {what} {name}: importing {module_name} failed: {error}") from error
    except (Exception, SystemExit) as error:  # whatever a module does at import is its own
        raise WrongUse(
            f"the {what} {name}: importing {module_name} failed: {type(error).__name__}: {error}"
        ) from error
    found: object = module
    for part in attribute.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            close = nearest(part, [entry for entry in dir(found) if not entry.startswith("_")])
            hint = f"; did you mean {close}?" if close else ""
            raise WrongUse(f"the {what} {name}: {module_name} has no {attribute}{hint}") from None
    return found
