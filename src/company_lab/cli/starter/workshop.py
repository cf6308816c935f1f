"""The world of this project: a workshop that repairs bicycles and writes to their owners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypedDict

from company_lab import worlds
from company_lab.worlds import TARGET, Context, Json, Prose, Ref

RepairId = Annotated[str, Ref("repairs"), TARGET]


class Repair(TypedDict):
    owner: str
    status: Literal["waiting", "ready", "collected"]
    paid: bool


class Message(TypedDict):
    to: str
    text: str


repairs = worlds.Department(
    name="repairs",
    tables={"repairs": worlds.Table(record=Repair, singular="repair", read="repairs.read")},
    providers=[worlds.Provider(name="messenger", operations={"send": Message})],
    claims=[worlds.Claim(name="ready", phrases=("is ready", "can be collected"), fact="repair_ready")],
    reasons=["not_paid"],
)


@repairs.tool(permission="repairs.read")
def get(context: Context, id: RepairId) -> Json:
    """Read a repair: owner, status, whether it is paid."""
    return context.show("repairs", id)


@repairs.tool(permission="messages.send", writes=True)
def write_to_owner(context: Context, id: RepairId, text: Prose) -> Json:
    """Send the owner of a repair a message."""
    owner = str(context.read("repairs", id)["owner"])
    context.perform("messenger", "send", {"to": owner, "text": text}, text=(owner, text))
    return {"to": owner}


@repairs.tool(permission="repairs.write", writes=True)
def hand_over(context: Context, id: RepairId) -> Json:
    """Give the bicycle back to its owner."""
    context.update("repairs", id, status="collected")
    return {"id": id, "status": "collected"}


@repairs.rule("A bicycle leaves only when its repair is paid.", tools=["repairs.hand_over"])
def paid_first(context: Context, tool: worlds.Tool, args: Mapping[str, Json]) -> worlds.Decision | None:
    repair = context.get("repairs", str(args["id"]))
    return None if repair is None or repair["paid"] else worlds.deny("not_paid")


@repairs.fact(dict[str, bool])
def repair_ready(context: Context) -> Json:
    """By repair, whether the bicycle is ready."""
    return {id: context.read("repairs", id)["status"] == "ready" for id in context.claimable("repairs")}


workshop = worlds.World("workshop", [repairs])
