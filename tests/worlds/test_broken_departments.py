"""A department's own mistake ends the episode as an outage: never as the agent's failure, never silently."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.episodes import play
from company_lab.traces import Trace
from company_lab.worlds import (
    Claim,
    Context,
    Decision,
    Department,
    Failed,
    Json,
    Provider,
    Table,
    Tool,
    World,
    deny,
    hold,
    under,
)
from depot import kinds, scenario, settled


class Box(TypedDict):
    size: int


def workshop(**declared: Any) -> Department:
    department = Department(
        "shop",
        tables={"boxes": Table(record=Box, singular="box")},
        providers=[Provider(name="post", operations={"send": Box})],
        **declared,
    )

    @department.tool(writes=True)
    def work(context: Context) -> Json:
        """Make a box."""
        return {"id": context.create("boxes", size=1)}

    return department


def broken_tool(department: Department) -> None:
    @department.tool(name="break", writes=True)
    def _break(context: Context) -> Json:
        """Break."""
        context.create("boxes", size=2)
        raise KeyError("oops")


def tool_that_returns_no_json(department: Department) -> None:
    @department.tool(name="break")
    def _break(context: Context) -> Json:
        """Break."""
        return object()  # type: ignore[return-value]


def reading_tool_that_writes(department: Department) -> None:
    @department.tool(name="break")
    def _break(context: Context) -> Json:
        """Break."""
        return context.create("boxes", size=3)


def reading_tool_that_sends(department: Department) -> None:
    @department.tool(name="break")
    def _break(context: Context) -> Json:
        """Break."""
        context.perform("post", "send", {"size": 1})
        return None


def tool_that_writes_nonsense(department: Department) -> None:
    @department.tool(name="break", writes=True)
    def _break(context: Context) -> Json:
        """Break."""
        return context.create("boxes", size=float("nan"))


def tool_that_names_no_table(department: Department) -> None:
    @department.tool(name="break")
    def _break(context: Context) -> Json:
        """Break."""
        return list(context.find("boxs", size=1))


def tool_that_names_no_operation(department: Department) -> None:
    @department.tool(name="break", writes=True)
    def _break(context: Context) -> Json:
        """Break."""
        context.perform("post", "sent", {"size": 1})
        return None


def fine(department: Department) -> None:
    @department.tool(name="break", writes=True)
    def _break(context: Context) -> Json:
        """Do not break."""
        return None


def rule(check: Callable[..., Decision | None]) -> Callable[[Department], None]:
    def declare(department: Department) -> None:
        fine(department)
        department.rule("Breaks.", tools=["shop.break"])(check)

    return declare


def undeclared_reason(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return deny("because")


def no_reason(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return Decision("deny")


def rule_of_words(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return "deny"  # type: ignore[return-value]


def rule_with_an_answer_of_its_own(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return Decision("require_aproval", "why")  # type: ignore[arg-type]


def raising_rule(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    raise ZeroDivisionError


def writing_rule(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    context.update("boxes", "B-1", size=5)
    return None


def holding(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return hold("why")


def covered(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return under("AP-1")


def raising(*_: Any) -> Any:
    raise LookupError("oops")


def hold_that_breaks(department: Department) -> None:
    department.reasons = ["why"]
    department.on_hold = raising
    rule(holding)(department)


def hold_that_answers_no_json(department: Department) -> None:
    department.reasons = ["why"]
    department.on_hold = lambda *_: object()  # type: ignore[assignment]
    rule(holding)(department)


def use_that_breaks(department: Department) -> None:
    department.on_approved_use = raising
    rule(covered)(department)


BROKEN = {
    "shop.break: KeyError: 'oops'": broken_tool,
    "a value of type object is not JSON": tool_that_returns_no_json,
    "declare the tool with writes=True": reading_tool_that_writes,
    "a reading tool, a rule or a fact tried to write": reading_tool_that_sends,
    "nan is not a JSON number": tool_that_writes_nonsense,
    "no table boxs; did you mean boxes": tool_that_names_no_table,
    "post has no operation sent; did you mean send": tool_that_names_no_operation,
    "the rule undeclared_reason gave the reason 'because', which no department declares": rule(
        undeclared_reason
    ),
    "the rule no_reason gave the reason None": rule(no_reason),
    "the rule rule_of_words answered 'deny'; it returns None, deny, hold or under": rule(rule_of_words),
    "the rule rule_with_an_answer_of_its_own answered Decision(": rule(rule_with_an_answer_of_its_own),
    "the rule raising_rule: ZeroDivisionError": rule(raising_rule),
    "the rule writing_rule": rule(writing_rule),
    "on_hold: LookupError": hold_that_breaks,
    "on_hold: NotJson": hold_that_answers_no_json,
    "on_approved_use: LookupError": use_that_breaks,
}


def played(department: Department, agent: Any, **keys: Any) -> Trace:
    made = scenario(**({"initial": {"tables": {"boxes": {"B-1": {"size": 1}}}}} | keys))
    trace = play(World("shop", [department]).prepare(made), function_agent(agent, name="tests:agent")).trace
    trace.bytes()
    assert [record["seq"] for record in trace.records] == list(range(len(trace)))
    assert kinds(trace)[-1] == "settled"
    assert kinds(trace).count("stopped") == 1
    return trace


def detail(trace: Trace) -> str:
    return str(next(trace.by_kind("stopped"))["detail"])


@pytest.mark.parametrize("message", BROKEN)
@pytest.mark.parametrize("swallows", [False, True])
def test_what_a_department_raises_is_an_outage_whatever_the_agent_does_with_it(
    message: str, swallows: bool
) -> None:
    department = workshop()
    BROKEN[message](department)

    def agent(task: Task, session: Session) -> str:
        session.call("shop.work")
        for _ in range(3):
            try:
                session.call("shop.break")
            except BaseException:
                if not swallows:
                    raise
        return "Everything is fine."

    trace = played(department, agent)
    assert trace.stop == "infrastructure_error"
    assert message in detail(trace)
    assert [record["call"] for record in trace.by_kind("action")] == ["c1", "c2"]
    assert settled(trace)["writers"]["boxes/box_1/size"] == ["c1"]


def test_a_department_without_mistakes_is_no_outage() -> None:
    department = workshop()
    fine(department)
    assert played(department, lambda task, session: str(session.call("shop.break"))).stop == "finished"


def one_call(task: Task, session: Session) -> str:
    session.call("clock.wait", duration="1s")
    session.observe()
    return "done"


@pytest.mark.parametrize("at", ["+0s", "+1s", "+1h"])
def test_an_event_that_can_not_be_applied_is_an_outage_whenever_it_comes(at: str) -> None:
    department = workshop()
    department.event("box.came", Box)(raising)
    trace = played(
        department, one_call, events=[{"at": at, "id": "e1", "type": "box.came", "data": {"size": 1}}]
    )
    assert (trace.stop, detail(trace)) == ("infrastructure_error", "the event box.came: LookupError: oops")


def test_a_happening_that_can_not_be_applied_is_an_outage() -> None:
    department = workshop()
    department.stimulus(int, name="shake")(raising)
    trace = played(department, one_call, stimulus={"message": "Go.", "happenings": [["shake", 1]]})
    assert (trace.stop, detail(trace)) == ("infrastructure_error", "the stimulus shake: LookupError: oops")


def test_a_fact_behind_a_claim_that_breaks_is_an_outage_at_the_reply() -> None:
    department = workshop(claims=[Claim(name="big", phrases=("is big",), fact="box_big")])
    department.fact(dict[str, bool], name="box_big")(raising)
    trace = played(department, one_call)
    assert (trace.stop, detail(trace)) == ("infrastructure_error", "the fact box_big: LookupError: oops")


def test_a_fact_that_breaks_when_all_has_settled_is_an_outage_too() -> None:
    department = workshop()
    department.fact(int, name="size")(raising)
    trace = played(department, one_call, expected={"facts": {"size": 1}})
    assert (trace.stop, detail(trace)) == ("infrastructure_error", "the fact size: LookupError: oops")
    assert settled(trace)["facts"] == {}


def test_what_a_failing_tool_wrote_before_it_failed_is_in_the_trace() -> None:
    department = workshop()

    @department.tool(writes=True)
    def late(context: Context) -> Json:
        """Fail too late."""
        context.update("boxes", "B-1", size=2)
        raise Failed("too_late")

    def agent(task: Task, session: Session) -> str:
        with pytest.raises(ToolError, match="too late"):
            session.call("shop.late")
        return "done"

    trace = played(department, agent)
    (result,) = trace.by_kind("result")
    assert (trace.stop, result["outcome"], result["error"]["reason"]) == ("finished", "failed", "too_late")
    assert [change["fields"] for change in result["changes"]] == [{"size": [1, 2]}]
