"""Facts are read from records and ledgers when they are needed, and are absent where nobody can say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from company_lab.traces import Trace
from company_lab.worlds import Claim, Context, Department, Json, Table, World
from depot import PARCELS, run, scenario, settled


def telling(*texts: str, ship: bool = False) -> Any:
    def agent(task: Task, session: Session) -> str:
        for position, text in enumerate(texts):
            if ship and position:
                session.call("depot.ship", id="P-1")
            session.call("depot.tell", id="P-1", text=text)
        return "done"

    return agent


def test_words_that_leave_the_company_carry_what_was_true_at_that_moment() -> None:
    trace = run(telling("soon", "It is on its way.", ship=True))
    texts = [record for record in trace.by_kind("effect") if "text" in record]
    assert [record["text"] for record in texts] == [
        {"to": "ida@holm.example.test", "text": "soon"},
        {"to": "ida@holm.example.test", "text": "It is on its way."},
    ]
    assert [record["facts"]["parcel_sent"]["P-1"] for record in texts] == [False, True]
    (reply,) = trace.by_kind("reply")
    assert reply["facts"] == {"parcel_sent": {"P-1": True, "P-2": False, "P-3": False}}


def test_an_effect_without_words_carries_no_facts() -> None:
    trace = run(telling("soon", "now", ship=True))
    (shipment,) = [record for record in trace.by_kind("effect") if record["op"] == "ship"]
    assert "text" not in shipment
    assert "facts" not in shipment


def test_named_facts_are_read_when_all_has_settled() -> None:
    trace = run(
        telling("soon", "now", ship=True),
        expected={"facts": {"shipments": 1, "weight_of_p1": 0, "heaviest_is_known": True}},
    )
    assert settled(trace)["facts"] == {"shipments": 1, "weight_of_p1": 5, "heaviest_is_known": True}


def test_a_fact_that_can_not_be_determined_is_absent_and_not_false() -> None:
    trace = run(
        lambda task, session: "done",
        initial={"tables": {"parcels": {}}},
        expected={
            "facts": {"heaviest_is_known": False, "weight_of_p1": 0, "shipments": 0, "decision": "allow"}
        },
    )
    assert settled(trace)["facts"] == {"shipments": 0}


def test_facts_nobody_asked_for_are_not_stored() -> None:
    assert settled(run(lambda task, session: "done"))["facts"] == {}


def test_the_decision_is_the_guards_last_answer_to_the_requested_action() -> None:
    def agent(task: Task, session: Session) -> str:
        for id in ("P-3", "P-1", "P-3"):
            try:
                session.call("depot.ship", id=id)
            except ToolError:
                continue
        return "done"

    facts = {"decision": "allow", "review_reason": "lost"}
    requested = run(agent, stimulus={"agent_request": "ship_p1"}, expected={"facts": facts})
    assert settled(requested)["facts"] == {"decision": "allow"}
    any_action = run(agent, expected={"facts": facts})
    assert settled(any_action)["facts"] == {"decision": "deny", "review_reason": "lost"}


class Offer(TypedDict):
    valid_until_ms: int


offers = Department(
    "offers",
    tables={"offers": Table(record=Offer, singular="offer")},
    claims=[Claim(name="valid", phrases=("is valid",), fact="offer_valid")],
)


@offers.fact(dict[str, bool])
def offer_valid(context: Context) -> Json:
    """By offer, whether it still stands at this moment."""
    start = context.now.replace(hour=8, minute=0, second=0, microsecond=0)
    passed = (context.now - start).total_seconds() * 1000
    found: dict[str, Json] = {}
    for id in context.claimable("offers"):
        offer: Mapping[str, Any] = context.read("offers", id)
        found[id] = passed < offer["valid_until_ms"]
    return found


def replies(trace: Trace) -> list[Any]:
    return [record["facts"] for record in trace.by_kind("reply")]


def test_time_alone_can_make_a_claim_untrue() -> None:
    def agent(task: Task, session: Session) -> str:
        if task.turn == 2:
            session.call("clock.wait", duration="1h")
        return "it is valid"

    made = scenario(
        initial={"tables": {"offers": {"OF-1": {"valid_until_ms": 60_000}}}},
        stimulus={"message": "Go.", "then": [{"when": {"after": "clock.wait"}, "message": "And now?"}]},
        events=[{"at": "+1s", "id": "e1", "type": "tick", "data": {"valid_until_ms": 0}, "wakes": True}],
    )
    trace = play(World("offers", [offers]).prepare(made), function_agent(agent)).trace
    assert replies(trace) == [
        {"offer_valid": {"OF-1": True}},
        {"offer_valid": {"OF-1": False}},
        {"offer_valid": {"OF-1": False}},
    ]


@offers.event("tick", Offer)
def tick(context: Context, data: Mapping[str, Json]) -> None:
    """Nothing changes."""


def test_of_a_large_table_a_claim_is_about_what_the_episode_touched() -> None:
    many = {f"P-{n}": PARCELS["P-1"] for n in range(1, 200)}

    def agent(task: Task, session: Session) -> str:
        session.call("depot.get", id="P-77")
        return "done"

    trace = run(agent, initial={"tables": {"parcels": many}})
    assert replies(trace) == [{"parcel_sent": {"P-77": False}}]
