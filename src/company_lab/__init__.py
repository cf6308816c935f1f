"""Company Lab puts an agent to work in a company that exists only for the test, then looks at the books.

`run` plays a suite; `declare` says of what kind an agent is. Names are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from company_lab.formats.first_use import on_first_use

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

_load, __dir__ = on_first_use(__name__, _HOMES)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("company-lab")
    return _load(name)
