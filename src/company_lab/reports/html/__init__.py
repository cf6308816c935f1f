"""A run as one HTML file that needs nothing but a browser: no network, no folder beside it, no server."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from company_lab.reports.html.comparing import ComparisonPanel, ComparisonRow
    from company_lab.reports.html.deciding import GatePanel, GateRow
    from company_lab.reports.html.page import write_html

_HOMES = {
    "ComparisonPanel": "comparing",
    "ComparisonRow": "comparing",
    "GatePanel": "deciding",
    "GateRow": "deciding",
    "write_html": "page",
}

__all__ = ["ComparisonPanel", "ComparisonRow", "GatePanel", "GateRow", "write_html"]


def __getattr__(name: str) -> object:
    # Late, since the page needs the extra `report`.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
