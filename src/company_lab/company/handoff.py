"""Hand-off: giving a matter to people, in a queue that somebody works on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.fields import given
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.company.wording import LANGUAGES, people
from company_lab.worlds import (
    TARGET,
    About,
    Claim,
    Context,
    Decision,
    Department,
    Json,
    Moment,
    Prose,
    Ref,
    Request,
    Table,
    Tool,
    deny,
)

SUBJECT = "incidents"
"""The queue that facts and requests of the short form are about."""
HANDOFF_MOVES = Transitions({"waiting": ("taken",), "taken": ("done", "waiting"), "done": ()})


class Queue(TypedDict):
    """People who take over a kind of matter. In one that is not `staffed` nobody looks."""

    topics: NotRequired[list[str]]
    people: NotRequired[list[str]]
    staffed: bool
    within_minutes: NotRequired[int]


class HandOff(TypedDict):
    """A matter that waits for people. `about` is the id of the case or the record it concerns."""

    about: str
    queue: str
    note: Prose
    status: Literal["waiting", "taken", "done"]
    handed_over: NotRequired[Moment]
    by: NotRequired[str]


class Moved(TypedDict):
    """Somebody took a matter, finished it, or gave it back."""

    handoff: Annotated[str, Ref("handoffs")]
    status: Literal["waiting", "taken", "done"]
    by: NotRequired[str]


handoff = Department(
    "handoff",
    tables={
        "queues": Table(record=Queue, singular="queue"),
        "handoffs": Table(record=HandOff, singular="handoff"),
    },
    reasons=("unknown_queue", "queue_not_staffed"),
    claims=(
        Claim(
            name="handed_over",
            fact="handed_over",
            phrases=people.HANDED_OVER,
            languages=LANGUAGES,
        ),
    ),
    requests=(
        Request(
            name="hand_off_case",
            tool="handoff.to_people",
            args={"about": "K-1", "queue": SUBJECT, "note": "A visitor was hurt."},
            task=f"A visitor was hurt, see K-1. Please hand this to the queue {SUBJECT}.",
            never_claims=("handed_over",),
        ),
    ),
)


@handoff.tool()
def queues(ctx: Context) -> Json:
    """List the queues: which matters they take, and whether somebody is there."""
    return {"items": [ctx.show("queues", id) for id in ctx.ids("queues")]}


@handoff.tool(writes=True)
def to_people(
    ctx: Context,
    about: Annotated[str, About("The id of the case or the record it concerns."), TARGET],
    queue: Annotated[str, About("A queue, as `handoff.queues` lists them.")],
    note: Annotated[Prose, About("What the people there have to know.")],
) -> Json:
    """Hand a matter over to people. Until somebody takes it, it waits in their queue."""
    fields = given(by=ctx.requester)
    id = ctx.create(
        "handoffs", about=about, queue=queue, note=note, status="waiting", handed_over=ctx.at, **fields
    )
    return ctx.show("handoffs", id)


@handoff.tool()
def find(
    ctx: Context,
    about: Annotated[str | None, TARGET] = None,
    queue: str | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List what was handed over, and whether somebody has taken it."""
    return page_of(
        ctx, "handoffs", ctx.find("handoffs", **given(about=about, queue=queue)), page=page, limit=limit
    )


@handoff.rule("A matter goes to a queue that exists and in which somebody is.", tools=["handoff.to_people"])
def handoffs_reach_people(ctx: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    queue = ctx.get("queues", str(args["queue"]))
    if queue is None:
        return deny("unknown_queue")
    return None if queue["staffed"] is True else deny("queue_not_staffed")


@handoff.event("handoff.moved", Moved)
def moved(ctx: Context, data: Mapping[str, Json]) -> None:
    """Somebody takes a matter, finishes it or gives it back; other moves change nothing."""
    id = str(data["handoff"])
    record = ctx.get("handoffs", id)
    if record is not None and HANDOFF_MOVES.allow(str(record["status"]), str(data["status"])):
        ctx.update("handoffs", id, status=data["status"], **given(by=data.get("by")))


@handoff.fact(dict[str, bool])
def handed_over(ctx: Context) -> Json:
    """By what it is about: whether a matter waits for people or is with them; tasks and escalated cases count."""
    found: dict[str, Json] = {}
    for id in ctx.claimable("cases"):
        found[id] = ctx.read("cases", id)["status"] == "escalated"
    for table in ("handoffs", "tasks"):
        for id in ctx.claimable(table):
            record = ctx.read(table, id)
            found[str(record["about"])] = True
            found[id] = True
    return found


@handoff.fact(int)
def handoffs_waiting(ctx: Context) -> Json:
    """How many matters wait for people."""
    return len(ctx.find("handoffs", status="waiting"))


@handoff.sets("queue_staffed", bool)
def set_queue_staffed(ctx: Context, value: bool) -> None:
    """There is a queue for incidents, and whether somebody is there."""
    ctx.create("queues", with_id=SUBJECT, topics=["injury", "legal_threat", "press"], staffed=value)
