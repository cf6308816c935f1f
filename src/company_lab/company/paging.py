"""Paging: how search tools hand out what they found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from company_lab.worlds import About, Between, Context, Json

PageSize: TypeAlias = Annotated[int, Between(1, 50), About("How many records a page holds.")]
PageNumber: TypeAlias = Annotated[int, Between(1, None), About("Which page, counted from 1.")]


def page_of(ctx: Context, table: str, ids: Sequence[str], *, page: int, limit: int) -> Json:
    """One page of records with the total, and the number of the next page or null."""
    start = (page - 1) * limit
    shown: list[Json] = [ctx.show(table, id) for id in ids[start : start + limit]]
    return {"items": shown, "total": len(ids), "next": page + 1 if start + limit < len(ids) else None}
