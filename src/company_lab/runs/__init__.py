"""Many times: plan, execution, store. Names are loaded on first use, since a store needs SQLAlchemy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.runs.casting import Casting, cast, select
    from company_lab.runs.episode import StoredEpisode
    from company_lab.runs.execution import Ending, Progress, begin, execute
    from company_lab.runs.plan import AgentIdentity, Cell, RunPlan
    from company_lab.runs.planning import plan_run
    from company_lab.runs.reading import RunEntry, Status
    from company_lab.runs.store import Store

_HOMES = {
    "AgentIdentity": "plan",
    "Casting": "casting",
    "Cell": "plan",
    "Ending": "execution",
    "Progress": "execution",
    "RunEntry": "reading",
    "RunPlan": "plan",
    "Status": "reading",
    "Store": "store",
    "StoredEpisode": "episode",
    "begin": "execution",
    "cast": "casting",
    "execute": "execution",
    "plan_run": "planning",
    "select": "casting",
}

__all__ = [
    "AgentIdentity",
    "Casting",
    "Cell",
    "Ending",
    "Progress",
    "RunEntry",
    "RunPlan",
    "Status",
    "Store",
    "StoredEpisode",
    "begin",
    "cast",
    "execute",
    "plan_run",
    "select",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
