"""A world that does what worlds must not do: it remembers between episodes, counts, and looks at the calendar."""

from __future__ import annotations

from typing import TypedDict

from company_lab import worlds
from company_lab.worlds import Context, Failed, Json


class Note(TypedDict):
    text: str


desk = worlds.Department(name="desk", tables={"notes": worlds.Table(record=Note, singular="note")})
_counted = {"tickets": 0, "tries": 0}
_last = {"name": ""}


@desk.tool(writes=True)
def take_ticket(context: Context) -> Json:
    """Take the next number, which goes on counting from one episode to the next."""
    _counted["tickets"] += 1
    return {"id": context.create("notes", text=f"ticket {_counted['tickets']}")}


@desk.tool(writes=True)
def write_down(context: Context) -> Json:
    """Write a note; every fifth time the pen is empty."""
    _counted["tries"] += 1
    if _counted["tries"] % 5 == 0:
        raise Failed("empty", "the pen is empty")
    return {"id": context.create("notes", text="written")}


@desk.tool(writes=True)
def sign(context: Context, name: str) -> Json:
    """Sign the book, below whoever signed it last."""
    above, _last["name"] = _last["name"], name
    stranger = above not in ("", name)
    return {"id": context.create("notes", text="signed"), "above": above if stranger else ""}


@desk.tool(writes=True)
def close_day(context: Context) -> Json:
    """Close the day, which can not be done at the end of a month."""
    if int(context.at[8:10]) >= 28:
        raise Failed("month_end", "the books of the month are being closed")
    return {"id": context.create("notes", text="closed")}


@desk.tool(writes=True)
def ask_for_more(context: Context) -> Json:
    """Ask for more money. The answer is no, which is told as if it were a result."""
    return {"granted": False}


world = worlds.World("audit_desk", [desk])
