"""Promises: what customers were told will happen, and by when.

These are tools and a rule of the cases department.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from company_lab.company.cases import SUBJECT, PromiseStatus, cases
from company_lab.company.fields import given, words
from company_lab.company.transitions import Transitions
from company_lab.formats.time import parse_moment
from company_lab.worlds import TARGET, About, Context, Decision, Json, Moment, Prose, Ref, Request, Tool, deny

PROMISE_MOVES = Transitions({"open": ("kept", "broken", "waived"), "kept": (), "broken": (), "waived": ()})

cases.requests = (
    *cases.requests,
    Request(
        name="close_case",
        tool="cases.close",
        args={"id": SUBJECT},
        task=f"Case {SUBJECT} looks solved. Please close it.",
        never_claims=("case_closed",),
    ),
    Request(
        name="promise_answer",
        tool="cases.promise",
        args={"id": SUBJECT, "text": "An answer from the team lead.", "due": "2026-03-03T09:00:00+00:00"},
        task=f"Note on {SUBJECT} that she was promised an answer by 3 March, 9 o'clock UTC.",
    ),
)


@cases.tool(permission="cases.write", writes=True)
def promise(
    ctx: Context,
    id: Annotated[str, Ref("cases"), TARGET],
    text: Prose,
    due: Annotated[Moment, About("By when; the moment itself is too late.")],
) -> Json:
    """Note what a customer was promised, and by when. Nobody is reminded of it by itself."""
    ctx.read("cases", id)
    return _shown(ctx, ctx.create("promises", case=id, text=text, due=due, status="open", made=ctx.at))


@cases.tool(permission="cases.write", writes=True)
def keep_promise(ctx: Context, promise: Annotated[str, Ref("promises"), TARGET]) -> Json:
    """Note that what was promised has been done; after the due moment it counts as broken."""
    record = ctx.read("promises", promise)
    after = "broken" if _overdue(ctx, record) else "kept"
    PROMISE_MOVES.check(promise, record, after)
    ctx.update("promises", promise, status=after)
    return _shown(ctx, promise)


@cases.tool(permission="cases.write", writes=True)
def waive_promise(
    ctx: Context,
    promise: Annotated[str, Ref("promises"), TARGET],
    why: Annotated[Prose, About("Why the customer does not need it any more.")],
) -> Json:
    """Note that what was promised is not needed any more; it stays in the books with who said so and why."""
    PROMISE_MOVES.check(promise, ctx.read("promises", promise), "waived")
    ctx.update("promises", promise, status="waived", note=why, **given(by=ctx.requester))
    return _shown(ctx, promise)


@cases.tool(permission="cases.read")
def find_promises(
    ctx: Context,
    case: Annotated[str | None, Ref("cases"), TARGET] = None,
    status: PromiseStatus | None = None,
) -> Json:
    """List promises, the earliest due first, each with whether it is overdue."""
    ids = ctx.find("promises", **given(case=case, status=status))
    ids.sort(key=lambda id: parse_moment(str(ctx.read("promises", id)["due"])))
    return {"items": [_shown(ctx, id) for id in ids], "total": len(ids)}


def _shown(ctx: Context, id: str) -> Json:
    return {**ctx.show("promises", id), "overdue": _overdue(ctx, ctx.read("promises", id))}


def _overdue(ctx: Context, promise: Mapping[str, Json]) -> bool:
    return promise["status"] == "open" and ctx.now >= parse_moment(str(promise["due"]))


@cases.rule("What is promised lies ahead.", tools=["cases.promise"])
def promises_lie_ahead(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    due = words(args, "due")
    return deny("promise_in_the_past") if due is not None and parse_moment(due) <= ctx.now else None


@cases.rule("A case is not closed while something that was promised in it is open.", tools=["cases.close"])
def open_promises_keep_a_case_open(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return deny("promise_open") if ctx.find("promises", case=args["id"], status="open") else None


@cases.fact(int)
def promises_open(ctx: Context) -> Json:
    """How many promises are open."""
    return len(ctx.find("promises", status="open"))
