"""Company Lab puts an agent to work in a company that exists only for the test, then looks at the books.

`run` plays a suite; `declare` says of what kind an agent is. Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.agents.protocol import Agent, Session, Task, ToolError, declare
    from company_lab.formats.errors import CompanyLabError
    from company_lab.library import Run, run

    __version__: str

_HOMES = {
    "Agent": "agents.protocol",
    "CompanyLabError": "formats.errors",
    "Run": "library",
    "Session": "agents.protocol",
    "Task": "agents.protocol",
    "ToolError": "agents.protocol",
    "declare": "agents.protocol",
    "run": "library",
}

__all__ = ["Agent", "CompanyLabError", "Run", "Session", "Task", "ToolError", "__version__", "declare", "run"]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("company-lab")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
