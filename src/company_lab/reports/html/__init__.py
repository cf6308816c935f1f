"""A run as one HTML file that needs nothing but a browser: no network, no folder beside it, no server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from company_lab.formats.first_use import on_first_use

if TYPE_CHECKING:
    from company_lab.reports.html.comparing import ComparisonPanel, ComparisonRow
    from company_lab.reports.html.deciding import GatePanel, GateRow
    from company_lab.reports.html.needed import require_report
    from company_lab.reports.html.page import write_html

_HOMES = {
    "ComparisonPanel": "comparing",
    "ComparisonRow": "comparing",
    "GatePanel": "deciding",
    "GateRow": "deciding",
    "require_report": "needed",
    "write_html": "page",
}

__all__ = ["ComparisonPanel", "ComparisonRow", "GatePanel", "GateRow", "require_report", "write_html"]

# Late, since the page needs the extra `report`.
_load, __dir__ = on_first_use(__name__, _HOMES)


def __getattr__(name: str) -> object:
    if name == "write_html":
        from company_lab.reports.html.needed import require_report

        require_report()  # before its module is loaded, which could only say what Python says
    return _load(name)
