"""Many times: plan, execution, store. Names are loaded on first use, since a store needs SQLAlchemy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from company_lab.formats.first_use import on_first_use

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

__getattr__, __dir__ = on_first_use(__name__, _HOMES)
