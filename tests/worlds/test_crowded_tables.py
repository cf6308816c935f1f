"""A crowd stands around a scenario's records: searches meet it, and nothing that counts or scans does."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Session, Task
from company_lab.episodes import play
from company_lab.formats.canonical import same
from company_lab.formats.errors import Problems, WrongUse
from company_lab.scenarios.crowding import crowded, with_crowd
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Initial, Scenario
from company_lab.worlds import World
from company_lab.worlds.crowd import Bulk, Crowd, Crowded, CrowdedIndex
from company_lab.worlds.index import Index, exactly, folded, has_words, words_of
from company_lab.worlds.state import FEW, State
from depot import PARCELS, scenario, world

Record = dict[str, Any]


def parcel(number: int) -> Record:
    return {
        "receiver": f"person {number}",
        "weight": number % 7,
        "status": "waiting" if number % 2 else "sent",
    }


BULK = Bulk({"parcels": {f"P-{number}": parcel(number) for number in range(1000, 1400)}})
NEAR = {"parcels": {"P-9001": parcel(1), "P-9002": parcel(2)}}
LEFT_OUT = {"parcels": frozenset({"P-1003", "P-1007"})}
CROWD = Crowd(bulk=BULK, left_out=LEFT_OUT, near=NEAR)


def make(asked: Scenario, tables: Mapping[str, Any]) -> Crowd:
    return CROWD


busy = World("depot", world.departments[:-1], crowd=make)


def state(own: dict[str, Record] | None = None) -> State:
    """A state over parcels with a crowd around them."""
    parcels = copy.deepcopy(PARCELS) if own is None else own
    tables = {"parcels": Crowded(parcels, CROWD, "parcels"), "approvals": dict[str, Record]()}
    singular = {"parcels": "parcel", "approvals": "approval"}
    return State(tables, CrowdedIndex(tables, CROWD), singular, tenant=None, writers={})


def test_a_search_meets_the_crowd_and_what_was_left_out_is_not_there() -> None:
    found = state().find("parcels", {"status": "waiting"})
    assert {"P-1", "P-2", "P-9001", "P-1001"} <= set(found)
    assert not {"P-1003", "P-1007"} & set(found)
    assert len(found) == 2 + 1 + 200 - 2
    assert state().get("parcels", "P-1003") is None
    assert state().get("parcels", "P-1001") == parcel(1001)


def test_the_first_find_is_not_always_the_scenarios_own() -> None:
    assert state().find("parcels", {"status": "waiting"})[:3] == ["P-9001", "P-1", "P-2"]
    assert state().find("parcels", {})[:5] == ["P-9001", "P-1", "P-9002", "P-2", "P-3"]


def test_what_counts_or_scans_leaves_the_crowd_out() -> None:
    here = state()
    assert (list(here.ids("parcels")), here.count("parcels")) == (["P-1", "P-2", "P-3"], 3)
    here.delete("parcels", "P-1")
    here.delete("parcels", "P-1001")
    here.create("parcels", parcel(5))
    here.update("parcels", "P-1002", {"weight": 9})
    assert (list(here.ids("parcels")), here.count("parcels")) == (["P-2", "P-3", "parcel_1"], 3)
    assert here.crowded("parcels")
    assert not here.crowded("approvals")


def test_records_of_the_crowd_are_read_and_written_like_any_other() -> None:
    here = state()
    here.update("parcels", "P-1001", {"weight": 99})
    (change,) = here.net_changes()
    assert change == {"table": "parcels", "id": "P-1001", "op": "update", "fields": {"weight": [0, 99]}}
    assert here.find("parcels", {"weight": 99}) == ["P-1001"]
    assert BULK.tables["parcels"]["P-1001"]["weight"] == 0
    here.delete("parcels", "P-1001")
    assert here.get("parcels", "P-1001") is None
    assert here.find("parcels", {"receiver": "person 1001"}) == []


def test_a_wide_search_has_looked_at_nothing_yet() -> None:
    here = state()
    assert len(here.find("parcels", {"status": "sent"})) > FEW
    assert not here.touched
    here.find("parcels", {"receiver": "person 1001"})
    assert list(here.touched) == [("parcels", "P-1001")]


@given(
    st.lists(
        st.one_of(
            st.tuples(
                st.just("update"), st.sampled_from(["P-1", "P-1001", "P-1002", "P-9001"]), st.integers(0, 7)
            ),
            st.tuples(st.just("delete"), st.sampled_from(["P-2", "P-1004", "P-9002"]), st.just(0)),
            st.tuples(st.just("create"), st.just(""), st.integers(0, 7)),
        ),
        max_size=8,
    ),
    st.integers(0, 7),
)
def test_finding_agrees_with_looking_at_every_record(steps: list[tuple[str, str, int]], weight: int) -> None:
    here = state()
    for op, id, number in steps:
        if op == "create":
            here.create("parcels", parcel(number))
        elif here.get("parcels", id) is not None:
            here.update("parcels", id, {"weight": number}) if op == "update" else here.delete("parcels", id)
    asked: list[dict[str, Any]] = [{"weight": weight}, {"weight": weight, "status": "waiting"}, {}]
    for where in asked:
        everything = here.find("parcels", {})
        expected = [
            id
            for id in everything
            if all(same((here.get("parcels", id) or {})[name], value) for name, value in where.items())
        ]
        assert here.find("parcels", where) == expected
    words = words_of(f"person {weight}")
    expected = [
        id for id in here.find("parcels", {}) if has_words((here.get("parcels", id) or {})["receiver"], words)
    ]
    assert here.search("parcels", "receiver", words) == expected


@pytest.mark.parametrize(
    ("asked", "found"),
    [("ida", ["1", "3"]), ("HOLM i", ["1"]), ("ho", ["1", "2"]), ("I. Holm", ["1"]), ("olm", []), ("", [])],
)
def test_words_are_found_by_their_beginnings(asked: str, found: list[str]) -> None:
    records: dict[str, Record] = {
        "1": {"name": "Ida Holm"},
        "2": {"name": "Jo Holmberg-Dahl"},
        "3": {"name": "Ida"},
        "4": {"name": None},
        "5": {},
    }
    index = Index({"people": records})
    assert index.with_words("people", "name", words_of(asked)) == found


@given(
    st.lists(
        st.sampled_from([True, 1, 1.0, 0, False, "1", "true", None, [1], "[1]", {"a": 1}, " Ida", "ida"])
    ),
    st.sampled_from([True, 1, 0, False, "1", None, [1], "[1]", {"a": 1}, "IDA "]),
)
def test_an_index_takes_no_value_for_another(values: list[Any], wanted: Any) -> None:
    records: dict[str, Record] = {str(place): {"value": value} for place, value in enumerate(values)}
    index = Index({"things": records})
    for key in (exactly, folded):
        expected = [id for id, record in records.items() if same(key(record["value"]), key(wanted))]
        assert index.ids("things", {"value": wanted}, key) == expected


def look(task: Task, session: Session) -> str:
    found = session.call("depot.find", status="waiting")
    assert len(found) > FEW
    session.call("depot.get", id="P-1001")
    session.call("depot.ship", id="P-1001")
    return "done"


def test_an_episode_plays_in_the_crowd_and_its_claims_are_about_what_it_touched() -> None:
    asked = with_crowd(scenario(), 400)
    trace = play(busy.prepare(asked), function_agent(look)).trace
    (reply,) = trace.by_kind("reply")
    assert reply["facts"]["parcel_sent"] == {"P-1": False, "P-2": False, "P-3": False, "P-1001": True}


def test_the_crowd_is_part_of_the_start_and_of_the_scenarios_digest() -> None:
    document: dict[str, Any] = {
        "id": "shipped",
        "world": "depot",
        "role": {"tenant": "northquay"},
        "initial": {"parcels": PARCELS},
        "stimulus": {"agent_request": "ship_p1"},
        "expected": {"shipments": 1},
    }
    alone = load_document(document, worlds=lambda _: busy.spec)
    written = load_document(document | {"crowd": {"size": 400, "seed": 0}}, worlds=lambda _: busy.spec)
    asked = with_crowd(alone, 400)
    assert (asked.digest, asked.document) == (written.digest, written.document)
    assert (
        len(
            {alone.digest, asked.digest, with_crowd(alone, 401).digest, with_crowd(alone, 400, seed=1).digest}
        )
        == 4
    )
    assert busy.prepare(asked).digest == busy.prepare(written).digest != busy.prepare(alone).digest
    assert busy.prepare(alone).digest == world.prepare(alone).digest
    assert crowded([alone], None) == (alone,)
    assert crowded([alone], 400)[0].digest == asked.digest


def test_a_world_without_a_crowd_says_so() -> None:
    assert (world.spec.crowd, busy.spec.crowd) == (False, True)
    assert world.spec.digest != busy.spec.digest
    with pytest.raises(WrongUse, match="the world depot has no crowd, which parcel_for_ida asks for"):
        world.prepare(with_crowd(scenario(), 400))
    document: dict[str, Any] = {
        "id": "x",
        "world": "depot",
        "crowd": {"size": 4},
        "expected": {"shipments": 0},
    }
    with pytest.raises(Problems, match="the world depot has no crowd"):
        load_document(document | {"stimulus": {"agent_request": "ship_p1"}}, worlds=lambda _: world.spec)


@pytest.mark.parametrize(
    "crowd", [{"size": 0}, {"size": 1_000_001}, {"size": True}, {}, {"size": 3, "sed": 1}, None]
)
def test_a_crowd_that_makes_no_sense_is_refused(crowd: Any) -> None:
    document = {"id": "x", "world": "depot", "crowd": crowd, "expected": {"shipments": 0}}
    with pytest.raises(Problems, match="crowd"):
        load_document(document | {"stimulus": {"agent_request": "ship_p1"}}, worlds=lambda _: busy.spec)


def test_what_is_gone_is_no_longer_spoken_of() -> None:
    def clear(task: Task, session: Session) -> str:
        for id in (*PARCELS, "P-1001"):
            session.call("depot.remove", id=id)
        return "done"

    for here, asked in ((world, scenario()), (busy, with_crowd(scenario(), 400))):
        kept = {"P-1001": PARCELS["P-1"]} if here is world else {}
        asked = asked.model_copy(update={"initial": Initial(tables={"parcels": PARCELS | kept})})
        (reply,) = play(here.prepare(asked), function_agent(clear)).trace.by_kind("reply")
        assert reply["facts"]["parcel_sent"] == {}
