"""A small world for tests: a depot that keeps parcels, ships them and writes to their receivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent
from company_lab.episodes import Episode, play
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace
from company_lab.worlds import (
    ABSENT,
    TARGET,
    Between,
    Claim,
    Context,
    CurrencyCode,
    Decision,
    Department,
    Failed,
    Json,
    Like,
    MinorUnits,
    Moment,
    Prose,
    Provider,
    Question,
    Ref,
    Request,
    Table,
    Tool,
    World,
    deny,
    hold,
    under,
)

ParcelId = Annotated[str, Ref("parcels"), TARGET]


class Line(TypedDict):
    sku: str
    count: int
    note: NotRequired[str | None]


class Parcel(TypedDict):
    receiver: str
    weight: int
    status: Literal["waiting", "sent", "lost"]
    lines: NotRequired[list[Line]]
    note: NotRequired[str | None]


class Approval(TypedDict):
    tool: str
    args: dict[str, Json]
    state: Literal["asked", "given", "used"]


class Shipment(TypedDict):
    parcel: str
    weight: int


class Message(TypedDict):
    to: str
    text: str


class Arrived(TypedDict):
    parcel: str
    receiver: str


class Memo(TypedDict):
    text: str


depot = Department(
    name="depot",
    tables={
        "parcels": Table(record=Parcel, singular="parcel", read="depot.read"),
        "approvals": Table(record=Approval, singular="approval"),
    },
    providers=[
        Provider(
            name="carrier",
            operations={"ship": Shipment, "message": Message},
            answers=("declined", "pending", "permissive"),
        )
    ],
    claims=[Claim(name="sent", phrases=("has been sent", "is on its way"), fact="parcel_sent")],
    questions=[Question(name="which_parcel", phrases=("which parcel",))],
    requests=[
        Request(
            name="ship_p1", tool="depot.ship", args={"id": "P-1"}, task="Ship P-1.", never_claims=("sent",)
        ),
        Request(name="ship_p9", tool="depot.ship", args={"id": "P-9"}, task="Ship P-9."),
    ],
    reasons=["heavy", "lost"],
    permissions=["depot.secret"],
)


@depot.tool(permission="depot.read")
def get(context: Context, id: ParcelId) -> Json:
    """Read a parcel."""
    return context.show("parcels", id)


@depot.tool(permission="depot.read", latency_ms=200)
def find(context: Context, status: str) -> Json:
    """Ids of the parcels with a status."""
    return list(context.find("parcels", status=status))


@depot.tool(permission="depot.read")
def peek(context: Context, tenant: str, id: str) -> Json:
    """Read a parcel of a tenant."""
    return context.show("parcels", id)


@depot.tool(permission="depot.write", writes=True)
def note(context: Context, id: ParcelId, text: Prose | None = None) -> Json:
    """Write a note on a parcel; without a text the note is taken off."""
    context.update("parcels", id, note=ABSENT if text is None else text)
    return {"id": id}


@depot.tool(permission="depot.write", writes=True)
def add(context: Context, receiver: str, weight: int, lines: list[Line] | None = None) -> Json:
    """Take a parcel in."""
    fields: dict[str, Any] = {"receiver": receiver, "weight": weight, "status": "waiting"}
    if lines is not None:
        fields["lines"] = lines
    return {"id": context.create("parcels", **fields)}


@depot.tool(permission="depot.write", writes=True)
def remove(context: Context, id: ParcelId) -> Json:
    """Throw a parcel away."""
    context.delete("parcels", id)
    return None


@depot.tool(permission="depot.ship", writes=True, spends=True)
def ship(context: Context, id: ParcelId, key: str | None = None) -> Json:
    """Hand a parcel to the carrier. The same key is shipped once."""
    parcel = context.read("parcels", id)
    shipped = context.perform("carrier", "ship", {"parcel": id, "weight": parcel["weight"]}, key=key)
    context.update("parcels", id, status="sent")
    return {"id": id, "status": shipped.status, "again": shipped.replayed}


@depot.tool(permission="depot.write", writes=True)
def tell(context: Context, id: ParcelId, text: Prose) -> Json:
    """Write to the receiver of a parcel."""
    to = str(context.read("parcels", id)["receiver"])
    context.perform("carrier", "message", {"to": to, "text": text}, text=(to, text))
    return {"to": to}


@depot.tool()
def label(
    context: Context,
    size: Literal["s", "m"],
    copies: Annotated[int, Between(1, 5)] = 1,
    value: MinorUnits = 0,
    currency: CurrencyCode = "EUR",
    ratio: float = 0.5,
    fragile: bool = False,
    code: Annotated[str, Like("[A-Z]{2}")] = "AB",
    lines: list[Line] | None = None,
    counts: dict[str, int] | None = None,
    due: Moment | None = None,
    anything: Json = None,
) -> Json:
    """Say what was understood: every kind of argument."""
    return {"size": size, "copies": copies, "ratio": ratio, "fragile": fragile, "anything": anything}


@depot.tool()
def day(context: Context) -> Json:
    """The day it is."""
    return context.now.date().isoformat()


@depot.tool()
def may_ship(context: Context, id: str) -> Json:
    """What the guard would say to shipping a parcel."""
    answer, reason = context.ask_guard("depot.ship", {"id": id})
    return {"answer": answer, "reason": reason}


@depot.tool(writes=True)
def approve(context: Context, approval: str) -> Json:
    """Give an approval that was asked for."""
    context.update("approvals", approval, state="given")
    return {"id": approval}


@depot.rule("A lost parcel is not shipped.", tools=["depot.ship"])
def not_lost(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    parcel = context.get("parcels", str(args["id"]))
    return deny("lost") if parcel is not None and parcel["status"] == "lost" else None


@depot.rule(
    "A parcel of more than 20 kg is shipped with an approval, given for this call and used once.",
    tools=["depot.ship"],
)
def heavy_needs_approval(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    parcel = context.get("parcels", str(args["id"]))
    if parcel is None or parcel["weight"] <= 20:  # type: ignore[operator]
        return None
    given = context.find("approvals", state="given", tool=tool.name, args=dict(args))
    return under(given[0]) if given else hold("heavy")


def ask_for_approval(context: Context, tool: Tool, args: Mapping[str, Json], reason: str) -> Json:
    return {"approval": context.create("approvals", tool=tool.name, args=dict(args), state="asked")}


def use_approval(context: Context, approval: str) -> None:
    context.update("approvals", approval, state="used")


depot.on_hold = ask_for_approval
depot.on_approved_use = use_approval


@depot.fact(dict[str, bool])
def parcel_sent(context: Context) -> Json:
    """By parcel, whether it was sent."""
    return {id: context.read("parcels", id)["status"] == "sent" for id in context.claimable("parcels")}


@depot.fact(int)
def shipments(context: Context) -> Json:
    """How often the carrier took something."""
    return len(context.ledger("carrier", "ship"))


@depot.fact(int, name="weight_of_p1")
def weight_of_p1(context: Context) -> Json:
    """The weight of P-1."""
    return context.read("parcels", "P-1")["weight"]


@depot.sets("weight_of_p1", int)
def set_weight_of_p1(context: Context, value: int) -> None:
    if context.get("parcels", "P-1") is None:
        context.create(
            "parcels", with_id="P-1", receiver="ida@holm.example.test", weight=value, status="waiting"
        )
    context.update("parcels", "P-1", weight=value)


@depot.fact(bool)
def heaviest_is_known(context: Context) -> Json:
    """Whether the heaviest parcel is known; with no parcels nobody can say."""
    if context.count("parcels") == 0:
        raise Failed("no_parcels")
    return True


@depot.event("parcel.arrived", Arrived, brings={"parcel": "parcels"}, read="depot.read")
def arrived(context: Context, data: Mapping[str, Json]) -> None:
    id = str(data["parcel"])
    if context.get("parcels", id) is None:
        context.create("parcels", with_id=id, receiver=data["receiver"], weight=1, status="waiting")
    else:
        context.update("parcels", id, receiver=data["receiver"])


@depot.event("memo.written", Memo, read="depot.secret")
def memo_written(context: Context, data: Mapping[str, Json]) -> None:
    """Nothing in the records changes."""


@depot.stimulus(int)
def weigh_p1(context: Context, value: int) -> None:
    """P-1 is put on the scales."""
    context.update("parcels", "P-1", weight=value)


world = World("depot", [depot])

PARCELS: dict[str, dict[str, Any]] = {
    "P-1": {"receiver": "ida@holm.example.test", "weight": 5, "status": "waiting"},
    "P-2": {
        "receiver": "jon@aker.example.test",
        "weight": 30,
        "status": "waiting",
        "lines": [{"sku": "lamp", "count": 2}],
    },
    "P-3": {"receiver": "eva@lund.example.test", "weight": 9, "status": "lost", "note": None},
}
ALL = ("depot.read", "depot.write", "depot.ship")

Act = Callable[..., Any]


def scenario(**keys: Any) -> Scenario:
    """A scenario in this depot: three parcels and a message, unless `keys` say otherwise."""
    document: dict[str, Any] = {
        "id": "parcel_for_ida",
        "title": "A parcel for Ida",
        "world": "depot",
        "clock": "2026-03-05T08:00:00+01:00",
        "role": {"tenant": "northquay"},
        "initial": {"tables": {"parcels": PARCELS}},
        "stimulus": {"message": "Please see to it."},
        "expected": {},
    }
    return Scenario.model_validate(document | keys)


def episode(
    act: Act | Agent | None, *, in_world: World = world, trial: int = 1, seed: int = 0, **keys: Any
) -> Episode:
    """Play one episode of `scenario(**keys)`."""
    agent = act if act is None or isinstance(act, Agent) else function_agent(act, name="tests:agent")
    return play(in_world.prepare(scenario(**keys)), agent, trial=trial, seed=seed)


def run(act: Act | Agent | None, **keys: Any) -> Trace:
    """The trace of one episode of `scenario(**keys)`."""
    return episode(act, **keys).trace


def settled(trace: Trace) -> dict[str, Any]:
    """The last record: what the episode left behind."""
    (record,) = trace.by_kind("settled")
    return record


def kinds(trace: Trace) -> list[str]:
    """The kinds of the records, in order."""
    return [record["kind"] for record in trace.records]


def results(trace: Trace) -> list[tuple[str, str]]:
    """What became of each call: outcome, and the error's code or nothing."""
    return [
        (record["outcome"], (record["error"] or {}).get("code", "")) for record in trace.by_kind("result")
    ]
