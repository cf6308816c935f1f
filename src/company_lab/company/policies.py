"""Policies: the rules of the company as texts that tools can read."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from company_lab.company.fields import listed
from company_lab.company.paging import PageNumber, PageSize
from company_lab.worlds import TARGET, About, Context, Department, Failed, Json, Moment, Ref, Table


class Policy(TypedDict):
    """One page of the handbook. One that was replaced names its successor."""

    title: str
    text: str
    topics: NotRequired[list[str]]
    valid_from: NotRequired[Moment]
    replaced_by: NotRequired[Annotated[str, Ref("policies")]]


policies = Department("policies", tables={"policies": Table(record=Policy, singular="policy")})


@policies.tool()
def contents(ctx: Context) -> Json:
    """List the pages of the company's handbook."""
    return {"items": [{"id": id, "title": ctx.read("policies", id)["title"]} for id in ctx.ids("policies")]}


@policies.tool()
def read(ctx: Context, id: Annotated[str, Ref("policies"), TARGET]) -> Json:
    """Read one page of the company's handbook."""
    return ctx.show("policies", id)


@policies.tool()
def find(
    ctx: Context,
    words: Annotated[str, About("One or more words; pages that have more of them come first."), TARGET],
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """Search the handbook. Pages that were replaced are found too and say so."""
    wanted = {word.strip(".,;:?!") for word in words.casefold().split()} - {""}
    if not wanted:
        raise Failed("nothing_to_search", "give at least one word")
    scored = [(_score(ctx, id, wanted), id) for id in ctx.ids("policies")]
    ranked = [id for score, id in sorted(scored, key=lambda hit: -hit[0]) if score]
    start = (page - 1) * limit
    items: list[Json] = [_line(ctx, id) for id in ranked[start : start + limit]]
    return {"items": items, "total": len(ranked), "next": page + 1 if start + limit < len(ranked) else None}


def _line(ctx: Context, id: str) -> Json:
    return {name: value for name, value in ctx.show("policies", id).items() if name != "text"}


def _score(ctx: Context, id: str, wanted: set[str]) -> int:
    """Twice for every word of title or topics, once for every other word of the text."""
    record = ctx.read("policies", id)
    named = _words(" ".join([str(record["title"]), *map(str, listed(record, "topics"))]))
    return 2 * len(wanted & named) + len((wanted - named) & _words(str(record["text"])))


def _words(text: str) -> set[str]:
    return {word.strip(".,;:?!()\"'") for word in text.casefold().replace("_", " ").split()}
