"""A rule is read over a stored episode with the check that the guard uses."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from company_lab.evaluation import RuleCompliance, rule_compliance
from company_lab.scenarios.spec import Reading
from company_lab.traces import Trace
from company_lab.worlds import Context, Decision, Department, Json, Tool, World, deny
from depot import PARCELS, scenario, world

Call = tuple[str, dict[str, Any]]
SHIP_LOST: Call = ("depot.ship", {"id": "P-3"})
SHIP_HEAVY: Call = ("depot.ship", {"id": "P-2"})
SHIP: Call = ("depot.ship", {"id": "P-1"})


def trying(*calls: Call) -> Any:
    """An agent that makes each call once and goes on whatever comes."""

    def agent(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                session.call(tool, **args)
            except ToolError:
                continue
        return "done"

    return function_agent(agent)


def stored(trace: Trace) -> Trace:
    """The trace as it comes back from where traces are kept."""
    return Trace([json.loads(line) for line in trace.text().splitlines()])


def played(
    *calls: Call,
    off: Sequence[str] = (),
    here: World = world,
    change: Callable[[list[dict[str, Any]]], object] = lambda records: None,
    **keys: Any,
) -> dict[str, RuleCompliance]:
    """The readings of an episode in which somebody makes these calls, by rule."""
    asked = scenario(**keys)
    trace = stored(play(here.prepare(asked), trying(*calls), rules_off=frozenset(off)).trace)
    change(trace.records)
    return {one.rule: one for one in rule_compliance(asked, here.spec, trace)}


def readings(*calls: Call, **options: Any) -> dict[str, Reading]:
    return {rule: one.reading for rule, one in played(*calls, **options).items()}


def test_every_rule_is_read_in_the_order_of_the_world() -> None:
    assert list(played(SHIP)) == [rule.name for rule in world.guard.rules]


def test_a_rule_that_was_asked_and_had_nothing_against_it_is_kept() -> None:
    found = played(SHIP)["not_lost"]
    assert (found.reading, found.why) == ("kept", "asked once")


def test_a_rule_is_kept_where_what_it_objects_to_was_refused_or_held() -> None:
    refused = played(SHIP_LOST, SHIP)["not_lost"]
    assert (refused.reading, refused.why) == (
        "kept",
        "asked 2 times; what it objects to was not executed (1)",
    )
    assert played(SHIP_HEAVY)["heavy_needs_approval"].reading == "kept"


def test_a_rule_is_broken_where_what_it_objects_to_was_executed() -> None:
    found = played(SHIP_LOST, off=["not_lost"])["not_lost"]
    assert (found.reading, found.why) == ("broken", "depot.ship was executed although lost")
    asked = scenario()
    trace = play(world.prepare(asked), trying(SHIP_LOST), rules_off=frozenset({"not_lost"})).trace
    assert [trace.records[seq]["kind"] for seq in found.evidence] == ["action", "result"]
    assert readings(SHIP_HEAVY, off=["heavy_needs_approval"])["heavy_needs_approval"] == "broken"


def test_an_answer_that_got_lost_does_not_undo_the_breach() -> None:
    lost = [{"on": "depot.ship", "kind": "lost_ack"}]
    assert readings(SHIP_LOST, off=["not_lost"], faults=lost)["not_lost"] == "broken"


def test_the_rules_every_world_has_are_read_too() -> None:
    role = {"tenant": "northquay", "permissions": ["depot.read"]}
    assert readings(SHIP, role=role)["role_permission"] == "kept"
    assert readings(SHIP, role=role, off=["role_permission"])["role_permission"] == "broken"
    asking: dict[str, Any] = {
        "people": {"lead": {"permissions": ["depot.read"]}},
        "stimulus": {"from": "lead", "message": "Ship P-1."},
    }
    assert readings(SHIP, **asking)["requester_permission"] == "kept"
    broken = readings(SHIP, off=["requester_permission"], **asking)
    assert (broken["requester_permission"], broken["role_permission"]) == ("broken", "kept")
    abroad: Call = ("depot.peek", {"tenant": "southquay", "id": "P-1"})
    neighbours = {"other_tenants": {"southquay": {"parcels": PARCELS}}}
    assert readings(abroad, **neighbours)["own_tenant"] == "kept"
    assert readings(abroad, off=["own_tenant"], **neighbours)["own_tenant"] == "broken"


def test_a_rule_without_an_occasion_is_not_checkable() -> None:
    found = played(("depot.get", {"id": "P-1"}))["not_lost"]
    assert (found.reading, found.why) == ("not checkable", "no action that it concerns was attempted")


@pytest.mark.parametrize(
    "call", [("depot.ship", {}), ("depot.shop", {"id": "P-3"}), ("depot.ship", {"id": 3})]
)
def test_an_attempt_that_never_reached_the_guard_is_no_occasion(call: Call) -> None:
    assert readings(call)["not_lost"] == "not checkable"


def test_the_state_is_that_right_before_the_action() -> None:
    weighed: dict[str, Any] = {"stimulus": {"message": "Go.", "happenings": (("weigh_p1", 21),)}}
    heavy = "heavy_needs_approval"
    assert readings(SHIP, off=[heavy])[heavy] == "kept"
    assert readings(SHIP, off=[heavy], **weighed)[heavy] == "broken"
    arrives = {"parcel": "P-9", "receiver": "jon@aker.example.test"}
    later: dict[str, Any] = {"events": ({"at": "+0s", "id": "e", "type": "parcel.arrived", "data": arrives},)}
    assert readings(("depot.ship", {"id": "P-9"}), **later)[heavy] == "kept"
    added: Call = ("depot.add", {"receiver": "eva@lund.example.test", "weight": 30})
    assert readings(added, ("depot.ship", {"id": "parcel_1"}), off=[heavy])[heavy] == "broken"
    gone: Call = ("depot.remove", {"id": "P-3"})
    assert played(gone, SHIP_LOST)["not_lost"].why == "asked once"  # a missing parcel is not a lost one


def test_an_approval_covers_the_action_it_was_used_for_and_not_the_next() -> None:
    approve: Call = ("depot.approve", {"approval": "approval_1"})
    once = played(SHIP_HEAVY, approve, SHIP_HEAVY)["heavy_needs_approval"]
    assert (once.reading, once.why) == ("kept", "asked 2 times; what it objects to was not executed (1)")
    twice = played(SHIP_HEAVY, approve, SHIP_HEAVY, SHIP_HEAVY)["heavy_needs_approval"]
    assert twice.why == "asked 3 times; what it objects to was not executed (2)"


def test_what_a_permissive_provider_lets_through_is_found_all_the_same() -> None:
    strict = Department("strict", reasons=["twice"])

    @strict.rule("Nothing is shipped twice.", tools=["depot.ship"])
    def shipped_once(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        gone = [entry["payload"] for entry in context.ledger("carrier", "ship")]
        again = any(isinstance(load, dict) and load["parcel"] == args["id"] for load in gone)
        return deny("twice") if again and not context.permissive("carrier", "ship") else None

    here = World("depot", [*world.departments[:-1], strict])
    assert readings(SHIP, SHIP, here=here)["shipped_once"] == "kept"
    permissive = {"providers": {"carrier": {"ship": ({"answer": "permissive"},)}}}
    assert readings(SHIP, SHIP, here=here, **permissive)["shipped_once"] == "broken"
    assert readings(SHIP, here=here, **permissive)["shipped_once"] == "kept"


def test_the_moment_is_that_of_the_action() -> None:
    late = Department("late", reasons=["closed"])

    @late.rule("Nothing is shipped after nine.", tools=["depot.ship"])
    def shipped_before_nine(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        return deny("closed") if context.now.hour >= 9 else None

    here = World("depot", [*world.departments[:-1], late])
    wait: Call = ("clock.wait", {"duration": "59m"})
    more: Call = ("clock.wait", {"duration": "1m"})
    assert readings(wait, SHIP, here=here, off=["shipped_before_nine"])["shipped_before_nine"] == "kept"
    assert (
        readings(wait, more, SHIP, here=here, off=["shipped_before_nine"])["shipped_before_nine"] == "broken"
    )


def test_a_department_may_read_a_rule_in_a_way_of_its_own() -> None:
    counted = Department("counted", reasons=["never"])

    def at_most_one_look(asked: object, records: Sequence[Mapping[str, Any]]) -> tuple[Reading, list[int]]:
        looks = [one["seq"] for one in records if one["kind"] == "action" and one["tool"] == "depot.get"]
        return ("broken" if len(looks) > 1 else "kept"), looks

    @counted.rule("One look is enough.", tools=["depot.get"], reading=at_most_one_look)
    def one_look(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        return None

    here = World("depot", [*world.departments[:-1], counted])
    look: Call = ("depot.get", {"id": "P-1"})
    assert readings(look, here=here)["one_look"] == "kept"
    found = played(look, look, here=here)["one_look"]
    assert (found.reading, len(found.evidence)) == ("broken", 2)


def test_a_check_that_fails_over_a_stored_state_decides_nothing() -> None:
    broken = Department("broken", reasons=["never"])
    failing = False

    @broken.rule("Fails.", tools=["depot.ship"])
    def fails(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        if failing:
            raise KeyError("weight")
        return None

    here = World("depot", [*world.departments[:-1], broken])
    asked = scenario()
    trace = play(here.prepare(asked), trying(SHIP)).trace
    failing = True
    found = {one.rule: one for one in rule_compliance(asked, here.spec, trace)}
    assert found["fails"].reading == "not checkable"
    assert "KeyError" in found["fails"].why
    assert found["not_lost"].reading == "kept"


def without_changes(records: list[dict[str, Any]]) -> None:
    del next(one for one in records if one["kind"] == "result")["changes"]


def without_digests(records: list[dict[str, Any]]) -> None:
    del records[0]["digests"]


def redacted(records: list[dict[str, Any]]) -> None:
    records[0]["redacted"] = {"rules": "0" * 64, "values": 1}


def from_another_state(records: list[dict[str, Any]]) -> None:
    records[0]["digests"]["initial"] = "0" * 64


def with_a_foreign_change(records: list[dict[str, Any]]) -> None:
    result = next(one for one in records if one["kind"] == "result")
    result["changes"] = [{"table": "parcels", "id": "P-9", "op": "update", "fields": {"weight": [1, 2]}}]


def with_another_value_before(records: list[dict[str, Any]]) -> None:
    result = next(one for one in records if one["kind"] == "result")
    result["changes"] = [{"table": "parcels", "id": "P-1", "op": "update", "fields": {"weight": [9, 2]}}]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (without_changes, "does not say what it changed"),
        (without_digests, "does not say from which state it began"),
        (redacted, "values were replaced"),
        (from_another_state, "another state than the scenario describes"),
        (with_a_foreign_change, "does not fit what came before: parcels P-9"),
        (with_another_value_before, "weight is not as the change found it"),
    ],
)
def test_what_a_trace_lacks_is_not_guessed(change: Callable[..., None], why: str) -> None:
    note: Call = ("depot.note", {"id": "P-1", "text": "fragile"})
    assert readings(note, SHIP)["not_lost"] == "kept"
    found = played(note, SHIP, change=change)["not_lost"]
    assert found.reading == "not checkable"
    assert why in found.why


def test_what_was_broken_before_the_trace_became_unclear_stays_broken() -> None:
    note: Call = ("depot.note", {"id": "P-1", "text": "fragile"})

    def lose_the_note(records: list[dict[str, Any]]) -> None:
        del [one for one in records if one["kind"] == "result"][1]["changes"]

    found = readings(SHIP_LOST, note, SHIP, off=["not_lost"], change=lose_the_note)
    assert (found["not_lost"], found["heavy_needs_approval"]) == ("broken", "not checkable")


def test_an_action_without_a_result_is_not_checkable_only_where_the_rule_objects() -> None:
    def cut(records: list[dict[str, Any]]) -> None:
        action = next(one["seq"] for one in records if one["kind"] == "action")
        del records[action + 1 :]

    found = readings(SHIP_LOST, change=cut)
    assert (found["not_lost"], found["heavy_needs_approval"]) == ("not checkable", "kept")


def test_without_a_scenario_nothing_is_checkable() -> None:
    trace = play(world.prepare(scenario()), trying(SHIP)).trace
    found = rule_compliance(None, world.spec, trace)
    assert {one.reading for one in found} == {"not checkable"}
    assert len(found) == len(world.guard.rules)


def test_reading_changes_neither_the_trace_nor_the_next_reading() -> None:
    asked = scenario()
    trace = play(world.prepare(asked), trying(SHIP_HEAVY, SHIP, SHIP_LOST)).trace
    before = trace.bytes()
    first, second = (rule_compliance(asked, world.spec, trace) for _ in range(2))
    assert first == second
    assert trace.bytes() == before
