"""A world is a list of departments; whatever they declare together must fit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.worlds import (
    AmountRole,
    Claim,
    Context,
    Decision,
    Department,
    Json,
    Moment,
    Provider,
    Question,
    Ref,
    Request,
    Table,
    Tool,
    World,
)
from depot import depot, world


class Note(TypedDict):
    text: str


def ignore(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
    return None


def notes(name: str = "notes", **declared: Any) -> Department:
    department = Department(name, **declared)

    @department.tool(permission=f"{name}.read")
    def get(context: Context, id: str) -> Json:
        """Read a note."""
        return id

    return department


def test_a_world_offers_what_its_departments_declare_and_waiting() -> None:
    made = World("office", [notes("left"), notes("right")])
    assert list(made.tools) == ["left.get", "right.get", "clock.wait"]
    assert made.spec.departments == ("left", "right", "clock")
    assert made.spec.permissions == {"left.read", "right.read"}


def test_the_spec_says_what_scenarios_and_judging_may_know() -> None:
    spec = world.spec
    assert spec.tools["depot.ship"].spends
    assert (spec.tools["depot.find"].latency_ms, spec.tools["depot.get"].latency_ms) == (200, 1000)
    assert spec.tools["depot.get"].description == "Read a parcel."
    assert spec.tables["parcels"].read == "depot.read"
    assert spec.events["parcel.arrived"].brings == {"parcel": "parcels"}
    assert (spec.facts["weight_of_p1"].settable, spec.facts["shipments"].settable) == (True, False)
    assert spec.facts["decision"].shape.choices == ("allow", "require_approval", "deny")
    assert spec.claims["sent"].fact == "parcel_sent"
    assert spec.providers["carrier"].answers == ("declined", "pending", "permissive")
    assert spec.permissions == {"depot.read", "depot.write", "depot.ship", "depot.secret"}
    assert {"heavy", "lost", "permission", "requester_permission", "other_tenant"} <= spec.reasons
    assert list(spec.rules)[-2:] == ["not_lost", "heavy_needs_approval"]


SAME: dict[str, dict[str, Any]] = {
    "table": {"tables": {"notes": Table(record=Note, singular="note")}},
    "provider": {"providers": [Provider(name="notes", operations={"write": Note})]},
    "question": {"questions": [Question(name="notes", phrases=("which note",))]},
    "amount role": {"amount_roles": [AmountRole(name="notes", phrases=("balance",))]},
    "request": {
        "requests": [Request(name="notes", tool="clock.wait", args={"duration": "1s"}, task="Wait.")]
    },
}


@pytest.mark.parametrize("what", SAME)
def test_a_name_is_declared_once_in_a_world(what: str) -> None:
    World("office", [notes("left", **SAME[what]), notes("right")])
    with pytest.raises(WrongUse, match=f"the {what} notes is declared by left and by right"):
        World("office", [notes("left", **SAME[what]), notes("right", **SAME[what])])


@pytest.mark.parametrize("what", ["provider", "question", "amount role", "request"])
def test_a_name_is_declared_once_in_a_department(what: str) -> None:
    twice: dict[str, Any] = {key: [*value, *value] for key, value in SAME[what].items()}
    with pytest.raises(WrongUse, match=f"the {what} notes is declared twice"):
        World("office", [notes(**twice)])


def test_functions_are_declared_once_in_a_department() -> None:
    department = notes()

    @department.fact(int)
    def count(context: Context) -> Json:
        """How many."""
        return 0

    @department.sets("count", int)
    def set_count(context: Context, value: int) -> None: ...

    @department.event("note.came", Note)
    def came(context: Context, data: Mapping[str, Json]) -> None: ...

    @department.stimulus(int)
    def write(context: Context, value: int) -> None: ...

    for declare, what in (
        (lambda: department.tool(name="get")(count), "tool notes.get"),
        (lambda: department.fact(int)(count), "fact count"),
        (lambda: department.sets("count", int)(set_count), "count of notes is set"),
        (lambda: department.event("note.came", Note)(came), "event note.came"),
        (lambda: department.stimulus(int)(write), "stimulus write"),
    ):
        with pytest.raises(WrongUse, match=f"{what}.* declared twice"):
            declare()
    with pytest.raises(WrongUse, match="two different types"):
        department.fact(str, name="count")(count)


def test_rules_have_names_of_their_own() -> None:
    department = notes()
    department.rule("Nothing.", tools=["any"])(ignore)
    World("office", [department])
    department.rule("Nothing, again.", tools=["any"])(ignore)
    with pytest.raises(WrongUse, match="the rule ignore is declared twice"):
        World("office", [department])


def test_no_rule_takes_the_name_of_one_every_world_has() -> None:
    def own_tenant(context: Context, tool: Tool, args: Mapping[str, Json]) -> Decision | None:
        return None

    department = notes()
    department.rule("Mine.", tools=["notes.get"])(own_tenant)
    with pytest.raises(WrongUse, match="own_tenant of notes has the name of a rule every world has"):
        World("office", [department])


def test_one_department_keeps_the_approvals() -> None:
    with pytest.raises(WrongUse, match="on_hold is set by left and by right"):
        World("office", [notes("left", on_hold=lambda *_: None), notes("right", on_hold=lambda *_: None)])
    with pytest.raises(WrongUse, match="on_approved_use is set by left and by right"):
        World(
            "office",
            [notes("left", on_approved_use=lambda *_: None), notes("right", on_approved_use=lambda *_: None)],
        )


def loose(annotation: object) -> Department:
    department = Department("loose")

    def get(context: Context, id: str) -> Json:
        """Read."""
        return id

    get.__annotations__["id"] = annotation
    department.tool()(get)
    return department


def ruled(tool: str) -> Department:
    department = notes()
    department.rule("Nothing.", tools=[tool])(ignore)
    return department


class Stray(TypedDict):
    parcel: Annotated[str, Ref("parcls")]


def stray(where: str) -> Department:
    department = notes(
        providers=[Provider(name="post", operations={"send": Stray})] if where == "operation" else []
    )
    if where == "event":
        department.event("note.came", Stray)(lambda context, data: None)
    elif where == "fact":
        department.fact(Annotated[str, Ref("parcls")], name="last")(lambda context: None)
    elif where == "stimulus":
        department.stimulus(Annotated[str, Ref("parcls")], name="lose")(lambda context, value: None)
    return department


def eventful(brings: Mapping[str, str]) -> Department:
    department = notes(tables={"notes": Table(record=Note, singular="note")})
    department.event("note.came", Note, brings=brings)(lambda context, data: None)
    return department


@pytest.mark.parametrize(
    ("department", "message"),
    [
        (ruled("notes.gat"), "concerns notes.gat, which is no tool of office; did you mean notes.get"),
        (notes(claims=[Claim(name="sent", phrases=("sent",), fact="sentt")]), "rests on the fact sentt"),
        (
            notes(amount_roles=[AmountRole(name="total", phrases=("total",), amounts="totals")]),
            "the amount role total takes its amounts from the fact totals, which is not declared",
        ),
        (notes(requests=[Request(name="r", tool="notes.gett", args={}, task="t")]), "did you mean notes.get"),
        (
            notes(requests=[Request(name="r", tool="notes.get", args={}, task="t")]),
            "does not fit notes.get.*the key id",
        ),
        (
            notes(requests=[Request(name="r", tool="notes.get", args={"id": 1}, task="t")]),
            "id: found 1, expected text",
        ),
        (
            notes(
                requests=[
                    Request(name="r", tool="notes.get", args={"id": "1"}, task="t", never_claims=("sent",))
                ]
            ),
            "names the claim sent",
        ),
        (eventful({"txt": "notes"}), "has no txt that could bring a record; did you mean text"),
        (eventful({"text": "note"}), "brings a record of note, which is no table; did you mean notes"),
        (loose(Annotated[str, Ref("parcls")]), "the argument id of loose.get refers to parcls"),
        (loose(list[Annotated[str, Ref("parcls")]]), "refers to parcls"),
        (stray("event"), "the event note.came refers to parcls"),
        (stray("fact"), "the fact last refers to parcls"),
        (stray("stimulus"), "the stimulus lose refers to parcls"),
        (stray("operation"), "the operation send of post refers to parcls"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(department: Department, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        World("office", [department])


def test_the_same_declarations_with_names_that_exist_are_accepted() -> None:
    World("office", [ruled("notes.get")])
    World("office", [notes(requests=[Request(name="r", tool="notes.get", args={"id": "1"}, task="t")])])
    World("office", [eventful({"text": "notes"})])


def test_a_tool_needs_words_for_the_agent() -> None:
    def silent(context: Context) -> Json:
        return None

    with pytest.raises(WrongUse, match="silent needs a docstring"):
        notes().tool()(silent)


def test_the_digest_is_over_what_departments_are_made_of() -> None:
    def made(**declared: Any) -> str:
        return World("office", [notes(**declared)]).digest

    assert made() == made()
    phrases = [
        made(questions=[Question(name="which", phrases=(phrase,))]) for phrase in ("which note", "what note")
    ]
    assert len({made(), *phrases, made(reasons=["late"]), made(**SAME["provider"])}) == 5
    assert World("other", [notes()]).digest != made()
    assert World("office", [notes()]).spec.digest == World("office", [notes()]).spec.digest


def test_what_a_record_looks_like_is_part_of_the_digest_wherever_its_type_stands() -> None:
    def of(*fields: str, expires: str | None = None) -> str:
        record = TypedDict("record", dict.fromkeys(fields, Moment))  # type: ignore[misc]
        return World(
            "office", [notes(tables={"notes": Table(record=record, singular="note", expires=expires)})]
        ).digest

    assert of("until") == of("until")
    assert len({of("until"), of("until", "since"), of("until", expires="until")}) == 3


def test_departments_can_be_shared_between_worlds() -> None:
    again = World("depot", [depot])
    assert again.digest == world.digest
    assert again.spec.digest == world.spec.digest


def test_the_world_of_the_documentation_takes_less_than_sixty_lines() -> None:
    page = Path(__file__).parents[2] / "docs" / "your_own_world.md"
    (module,) = re.findall(
        r"<!-- file: rental_world.py -->\n```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL
    )
    assert "World(" in module
    assert len(module.splitlines()) < 60
