"""Tasks: what the agent leaves for people to decide or to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NotRequired, TypedDict

from company_lab.company.fields import given
from company_lab.company.paging import PageNumber, PageSize, page_of
from company_lab.company.transitions import Transitions
from company_lab.worlds import TARGET, About, Context, Department, Json, Moment, Prose, Ref, Table

Queue = Literal["finance", "sales", "support", "logistics", "people", "legal"]
TASK_MOVES = Transitions({"open": ("done",), "done": ("open",)})


class Task(TypedDict):
    """Something for a person of a queue. `about` is the id of the record it concerns, `call` a number to dial."""

    about: str
    queue: Queue
    note: Prose
    status: Literal["open", "done"]
    created: NotRequired[Moment]
    due: NotRequired[Moment]
    call: NotRequired[Prose]
    by: NotRequired[str]


class Moved(TypedDict):
    """A person finished a task, or took it up again."""

    task: Annotated[str, Ref("tasks")]
    status: Literal["open", "done"]
    by: NotRequired[str]


tasks = Department("tasks", tables={"tasks": Table(record=Task, singular="task")})


@tasks.tool(writes=True)
def create(
    ctx: Context,
    about: Annotated[str, About("The id of the record it concerns."), TARGET],
    queue: Annotated[Queue, About("Whose work it is.")],
    note: Annotated[Prose, About("What the person has to know.")],
    due: Annotated[Moment | None, About("By when it has to be done, if that matters.")] = None,
    call: Annotated[
        Prose | None, About("The one number the person has to dial, where somebody has to be called.")
    ] = None,
) -> Json:
    """Hand something to a person: what you can not, or must not, decide yourself."""
    fields = given(due=due, call=call)
    id = ctx.create("tasks", about=about, queue=queue, note=note, status="open", created=ctx.at, **fields)
    return ctx.show("tasks", id)


@tasks.tool()
def get(ctx: Context, id: Annotated[str, Ref("tasks"), TARGET]) -> Json:
    """Read one task."""
    return ctx.show("tasks", id)


@tasks.tool()
def find(
    ctx: Context,
    about: Annotated[str | None, TARGET] = None,
    queue: Queue | None = None,
    status: Literal["open", "done"] | None = None,
    limit: PageSize = 20,
    page: PageNumber = 1,
) -> Json:
    """List what is waiting for people."""
    ids = ctx.find("tasks", **given(about=about, queue=queue, status=status))
    return page_of(ctx, "tasks", ids, page=page, limit=limit)


@tasks.event("task.moved", Moved)
def moved(ctx: Context, data: Mapping[str, Json]) -> None:
    """A person finishes a task, or takes it up again."""
    id = str(data["task"])
    record = ctx.get("tasks", id)
    if record is not None and TASK_MOVES.allow(str(record["status"]), str(data["status"])):
        ctx.update("tasks", id, status=data["status"], **given(by=data.get("by")))
