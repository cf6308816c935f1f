"""The guard allows, holds or denies, with a reason from a closed list, and says which rules objected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from company_lab.formats.errors import WrongUse
from company_lab.traces import Trace
from company_lab.worlds import Context, Decision, Department, Failed, Json, Tool, World, deny, hold, under
from depot import ALL, PARCELS, results, run, scenario, settled, world


def trying(*calls: tuple[str, dict[str, Any]]) -> Any:
    """An agent that makes each call once and goes on whatever comes."""

    def agent(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                session.call(tool, **args)
            except ToolError:
                continue
        return "done"

    return agent


def guards(trace: Trace) -> list[tuple[str, str | None, str | None]]:
    return [(record["decision"], record["reason"], record["rule"]) for record in trace.by_kind("guard")]


ship_one = trying(("depot.ship", {"id": "P-1"}))


def test_a_role_without_the_permission_is_refused_and_nothing_happens() -> None:
    trace = run(ship_one, role={"tenant": "northquay", "permissions": ["depot.read"]})
    assert guards(trace) == [("deny", "permission", "role_permission")]
    assert results(trace) == [("refused", "refused")]
    assert (settled(trace)["ledgers"], settled(trace)["changes"]) == ({}, [])


def test_a_role_with_the_permission_may() -> None:
    trace = run(ship_one, role={"tenant": "northquay", "permissions": ["depot.ship"]})
    assert guards(trace) == [("allow", None, None)]
    assert results(trace) == [("executed", "")]


def test_a_role_of_no_named_permissions_has_those_of_the_world() -> None:
    assert results(run(ship_one)) == [("executed", "")]


@pytest.mark.parametrize(
    ("role", "person", "answer"),
    [
        (ALL, ALL, ("allow", None, None)),
        (ALL, ("depot.read",), ("deny", "requester_permission", "requester_permission")),
        (("depot.read",), ALL, ("deny", "permission", "role_permission")),
        (("depot.read",), ("depot.read",), ("deny", "permission", "role_permission")),
        (None, ("depot.read",), ("deny", "requester_permission", "requester_permission")),
        (ALL, None, ("allow", None, None)),
    ],
)
def test_what_may_be_done_is_what_both_the_role_and_the_person_asking_may(
    role: Any, person: Any, answer: Any
) -> None:
    trace = run(
        ship_one,
        role={"tenant": "northquay"} | ({} if role is None else {"permissions": role}),
        people={"lead": {} if person is None else {"permissions": person}},
        stimulus={"from": "lead", "message": "Ship P-1."},
    )
    assert guards(trace) == [answer]


def test_every_rule_that_objects_is_named_and_a_denial_comes_before_a_hold() -> None:
    lost_and_heavy = {"P-1": PARCELS["P-1"] | {"status": "lost", "weight": 99}}
    trace = run(
        ship_one,
        role={"tenant": "northquay", "permissions": []},
        initial={"tables": {"parcels": lost_and_heavy}},
    )
    (record,) = trace.by_kind("guard")
    assert (record["decision"], record["reason"]) == ("deny", "permission")
    assert record["objections"] == ["role_permission", "not_lost", "heavy_needs_approval"]
    assert record["touched"] == [
        "role_permission",
        "requester_permission",
        "not_lost",
        "heavy_needs_approval",
    ]


order = Department("order", reasons=["first", "second"])


@order.tool()
def place(context: Context) -> Json:
    """Place an order."""
    return None


@order.rule("Holds.", tools=["order.place"])
def holds(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return hold("first")


@order.rule("Denies.", tools=["any"])
def denies(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return deny("second") if tool.name == "order.place" else None


def played(here: World, agent: Any, **options: Any) -> Trace:
    return play(here.prepare(scenario(initial={"tables": {}})), function_agent(agent), **options).trace


def test_a_denial_wins_over_an_earlier_hold() -> None:
    trace = played(World("order", [order]), trying(("order.place", {}), ("clock.wait", {"duration": "1s"})))
    assert guards(trace) == [("deny", "second", "denies"), ("allow", None, None)]
    assert next(trace.by_kind("guard"))["objections"] == ["holds", "denies"]


@pytest.mark.parametrize(
    ("off", "answer"),
    [
        ((), ("deny", "second", "denies")),
        (("denies",), ("require_approval", "first", "holds")),
        (("holds", "denies"), ("allow", None, None)),
    ],
)
def test_a_rule_that_is_switched_off_is_not_asked(off: tuple[str, ...], answer: Any) -> None:
    trace = played(World("order", [order]), trying(("order.place", {})), rules_off=frozenset(off))
    assert guards(trace) == [answer]


def test_a_rule_made_to_deny_denies_whatever_comes() -> None:
    trace = played(
        World("order", [order]),
        trying(("clock.wait", {"duration": "1s"})),
        rules_denying=frozenset({"denies"}),
    )
    assert guards(trace) == [("deny", "switched_off", "denies")]


@pytest.mark.parametrize("option", ["rules_off", "rules_denying"])
def test_a_rule_nobody_declared_can_not_be_switched(option: str) -> None:
    with pytest.raises(WrongUse, match="there is no rule denis; did you mean denies"):
        played(World("order", [order]), trying(), **{option: frozenset({"denis"})})


def test_another_tenants_records_are_out_of_reach() -> None:
    agent = trying(
        ("depot.peek", {"tenant": "southquay", "id": "P-1"}),
        ("depot.peek", {"tenant": "nowhere", "id": "P-1"}),
        ("depot.peek", {"tenant": "northquay", "id": "P-1"}),
    )
    trace = run(agent, other_tenants={"southquay": {"parcels": {"P-1": PARCELS["P-2"]}}})
    assert guards(trace) == [
        ("deny", "other_tenant", "own_tenant"),
        ("deny", "other_tenant", "own_tenant"),
        ("allow", None, None),
    ]
    answers = [record["value"] for record in trace.by_kind("result")]
    assert answers == [None, None, {"id": "P-1"} | PARCELS["P-1"]]


def test_with_the_tenant_rule_off_the_breach_shows_in_the_trace() -> None:
    made = scenario(other_tenants={"southquay": {"parcels": {"P-1": PARCELS["P-2"]}}})
    agent = trying(
        ("depot.peek", {"tenant": "southquay", "id": "P-1"}),
        ("depot.peek", {"tenant": "nowhere", "id": "P-1"}),
    )
    trace = play(world.prepare(made), function_agent(agent), rules_off=frozenset({"own_tenant"})).trace
    assert results(trace) == [("executed", ""), ("failed", "failed")]
    assert next(trace.by_kind("result"))["value"]["receiver"] == PARCELS["P-2"]["receiver"]


def test_identical_requests_of_two_tenants_never_share_results() -> None:
    tables = {"northquay": {"P-1": PARCELS["P-1"]}, "southquay": {"P-1": PARCELS["P-2"]}}
    seen: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        seen.append(session.call("depot.get", id="P-1")["receiver"])
        return "done"

    for own, other in (("northquay", "southquay"), ("southquay", "northquay"), ("northquay", "southquay")):
        run(
            agent,
            role={"tenant": own},
            initial={"tables": {"parcels": tables[own]}},
            other_tenants={other: {"parcels": tables[other]}},
        )
    assert seen == ["ida@holm.example.test", "jon@aker.example.test", "ida@holm.example.test"]


heavy = trying(
    ("depot.ship", {"id": "P-2"}),
    ("depot.approve", {"approval": "approval_1"}),
    ("depot.ship", {"id": "P-2"}),
    ("depot.ship", {"id": "P-2"}),
)


def test_a_held_action_waits_is_approved_carried_out_once_and_held_again() -> None:
    trace = run(heavy)
    assert results(trace) == [("held", "held"), ("executed", ""), ("executed", ""), ("held", "held")]
    assert [record["approval"] for record in trace.by_kind("guard")] == [None, None, "approval_1", None]
    assert len(settled(trace)["ledgers"]["carrier"]) == 1
    held = next(trace.by_kind("result"))
    assert held["value"] == {"approval": "approval_1"}
    assert held["changes"] == []
    asked, used = list(trace.by_kind("approval"))[:2]
    assert (asked["id"], asked["decision"], asked["call"]) == ("approval_1", "requested", "c1")
    assert (used["id"], used["decision"], used["call"]) == ("approval_1", "used", "c3")
    assert [change["table"] for change in asked["changes"]] == ["approvals"]
    writers = settled(trace)["writers"]
    assert writers["approvals/approval_1/state"] == ["guard", "c2", "guard"]
    assert writers["approvals/approval_2/state"] == ["guard"]
    assert writers["parcels/P-2/status"] == ["c3"]


def test_the_agent_learns_what_it_waits_for() -> None:
    found: list[ToolError] = []

    def agent(task: Task, session: Session) -> str:
        with pytest.raises(ToolError) as held:
            session.call("depot.ship", id="P-2")
        found.append(held.value)
        return "done"

    run(agent)
    assert (found[0].code, found[0].reason, found[0].detail) == ("held", "heavy", {"approval": "approval_1"})


@pytest.mark.parametrize(
    ("args", "outcome"),
    [
        ({"id": "P-2"}, "executed"),
        ('{"id": "P-2"}', "executed"),
        ({"id": "P-2", "key": "k"}, "held"),
    ],
)
def test_an_approval_covers_these_arguments_in_any_spelling_and_no_others(args: Any, outcome: str) -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(ToolError):
            session.call("depot.ship", id="P-2")
        session.call("depot.approve", approval="approval_1")
        try:
            session.attempt("depot.ship", args)
        except ToolError:
            return "held"
        return "done"

    assert results(run(agent))[-1][0] == outcome


def test_an_approval_is_not_used_up_by_a_call_that_failed() -> None:
    department = Department(
        "risky", reasons=["first"], on_approved_use=lambda context, approval: used.append(approval)
    )
    used: list[str] = []

    @department.tool()
    def go(context: Context, works: bool) -> Json:
        """Try."""
        if not works:
            raise Failed("no_luck")
        return None

    @department.rule("Everything is approved.", tools=["risky.go"])
    def approved(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        return under("AP-1")

    trace = played(
        World("risky", [department]), trying(("risky.go", {"works": False}), ("risky.go", {"works": True}))
    )
    assert results(trace) == [("failed", "failed"), ("executed", "")]
    assert used == ["AP-1"]


def test_asking_the_guard_writes_down_the_answer_and_carries_nothing_out() -> None:
    trace = run(trying(("depot.may_ship", {"id": "P-3"}), ("depot.may_ship", {"id": "P-1"})))
    assert [record["value"] for record in trace.by_kind("result")] == [
        {"answer": "deny", "reason": "lost"},
        {"answer": "allow", "reason": None},
    ]
    assert [record["tool"] for record in trace.by_kind("guard")] == ["depot.may_ship", "depot.ship"] * 2
    assert settled(trace)["ledgers"] == {}


def test_a_contract_request_goes_straight_to_the_guard() -> None:
    for request, answer, outcome in (
        ("ship_p1", "allow", "executed"),
        ("ship_p9", "require_approval", "held"),
    ):
        trace = run(
            None,
            stimulus={"agent_request": request},
            initial={"tables": {"parcels": PARCELS | {"P-9": PARCELS["P-2"]}}},
            expected={"facts": {"decision": answer, "shipments": 0}},
        )
        assert [record["decision"] for record in trace.by_kind("guard")] == [answer]
        assert results(trace)[0][0] == outcome
        assert settled(trace)["facts"] == {"decision": answer, "shipments": int(answer == "allow")}
        assert (trace.header["layer"], trace.header["agent"]["kind"], trace.stop) == (
            "contract",
            "request",
            "finished",
        )
        assert [record["by"] for record in trace.by_kind("action")] == ["request"]


def test_a_contract_request_about_a_record_that_is_missing_fails() -> None:
    trace = run(None, stimulus={"agent_request": "ship_p9"})
    assert results(trace) == [("failed", "failed")]
    assert trace.stop == "finished"


def test_a_rule_that_merely_agrees_leaves_the_approval_to_be_used() -> None:
    department = Department("shop")

    @department.tool(writes=True)
    def buy(context: Context) -> Json:
        """Buy."""
        return None

    @department.rule("Needs an approval.", tools=["shop.buy"])
    def covered(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        return under("AP-1")

    @department.rule("Agrees.", tools=["shop.buy"])
    def agrees(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        return Decision("allow")

    used: list[str] = []
    department.on_approved_use = lambda context, approval: used.append(approval)
    play(
        World("shop", [department]).prepare(scenario()), function_agent(trying(("shop.buy", {})), name="t:a")
    )
    assert used == ["AP-1"]
