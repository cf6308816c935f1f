"""Reading a suite for a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.scenarios.model import Suite
    from company_lab.scenarios.spec import WorldSpec


def open_suite(path: Path) -> Suite:
    """The suite at `path`, checked against its worlds. Raises `Problems` with everything that is wrong."""
    from company_lab.formats.errors import WrongUse
    from company_lab.scenarios.suite import load_suite

    if not path.exists():
        raise WrongUse(f"there is no suite at {path.absolute()}: give a folder of scenarios or one YAML file")
    return load_suite(path, worlds=world_spec)


def world_spec(name: str) -> WorldSpec:
    """What the world of a name exports."""
    from company_lab.worlds.registry import resolve_world

    return resolve_world(name).spec
