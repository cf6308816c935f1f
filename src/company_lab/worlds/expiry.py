"""Expiry: when the approval or the lease that a call rests on runs out.

A table says with `expires` which field holds that moment. The approval is the one the guard would let the call use;
leases are what the arguments of the call name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from company_lab.formats.canonical import Json
from company_lab.formats.time import parse_moment

if TYPE_CHECKING:
    from company_lab.worlds.department import Tool
    from company_lab.worlds.guard import GuardAnswer
    from company_lab.worlds.live import LiveWorld


def approval_ends_ms(
    live: LiveWorld, tool: Tool, args: Mapping[str, Json], answer: GuardAnswer | None
) -> int | None:
    """Simulated milliseconds until the approval that covers a call runs out; None where none does."""
    if answer is None or answer.approval is None:
        return None
    ends = [left for table in live.world.tables if (left := _left_ms(live, table, answer.approval))]
    return min(ends, default=None)


def lease_ends_ms(
    live: LiveWorld, tool: Tool, args: Mapping[str, Json], answer: GuardAnswer | None
) -> int | None:
    """Simulated milliseconds until the first of the leases named in a call runs out; None where none does."""
    ends = [left for table, id in _named(tool, args) if (left := _left_ms(live, table, id))]
    return min(ends, default=None)


def _named(tool: Tool, args: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for name, parameter in tool.signature.parameters.items():
        id, table = args.get(name), parameter.shape.references
        if table is not None and isinstance(id, str):
            yield table, id


def _left_ms(live: LiveWorld, table: str, id: str) -> int | None:
    """Time until a record runs out, rounded up; None where it does not, or has already."""
    field = live.world.tables[table].expires if table in live.world.tables else None
    record = None if field is None else live.state.get(table, id)
    moment = None if record is None or field is None else record.get(field)
    if not isinstance(moment, str):
        return None
    left = parse_moment(moment) - live.clock.now()
    return -(-left // timedelta(milliseconds=1)) if left > timedelta(0) else None
