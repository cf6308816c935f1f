"""Reading a suite for a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario, Suite
    from company_lab.scenarios.spec import WorldSpec


def open_suite(path: Path) -> Suite:
    """The suite at `path`, checked against its worlds. Raises `Problems` with everything that is wrong."""
    from company_lab.formats.errors import WrongUse
    from company_lab.scenarios.hosts import host_of
    from company_lab.scenarios.suite import load_suite

    if not path.exists() and host_of(str(path)) is None:
        raise WrongUse(f"there is no suite at {path.absolute()}: give a folder of scenarios or one YAML file")
    return load_suite(path, worlds=world_spec)


def one_scenario(name: str) -> Scenario:
    """The scenario of `FILE` or `FILE#ID`; `FILE` may be a folder. Raises `WrongUse` where there is none of that id."""
    from company_lab.formats.errors import WrongUse, nearest

    file, _, id = name.partition("#")
    scenarios = {scenario.id: scenario for scenario in open_suite(Path(file)).scenarios}
    if id in scenarios:
        return scenarios[id]
    if not id and len(scenarios) == 1:
        return next(iter(scenarios.values()))
    if not id:
        first = next(iter(scenarios))
        raise WrongUse(f"{file} holds {len(scenarios)} scenarios: write FILE#ID, such as {file}#{first}")
    close = nearest(id, scenarios)
    few = ", ".join(list(scenarios)[:5]) + (f" and {len(scenarios) - 5} more" if len(scenarios) > 5 else "")
    hint = f"did you mean {close}?" if close else f"there is {few}"
    raise WrongUse(f"{file} has no scenario {id}; {hint}")


def world_spec(name: str) -> WorldSpec:
    """What the world of a name exports."""
    from company_lab.worlds.registry import resolve_world

    return resolve_world(name).spec
