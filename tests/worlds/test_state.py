"""State behaves as a plain dict of records would, while its fixture never changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from company_lab.formats.canonical import Json, NotJson, canonical, same
from company_lab.formats.errors import WrongUse
from company_lab.worlds.index import Index, exactly, folded
from company_lab.worlds.state import ABSENT, NoSuchRecord, State

Record = dict[str, Any]
SINGULAR = {"parcels": "parcel", "notes": "note"}

ids = st.sampled_from(["parcel_1", "parcel_2", "P-1", "P-2", "P-3"])
tables = st.sampled_from(["parcels", "notes"])
fields = st.sampled_from(["name", "weight", "lines"])
values: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 1, 0, False, "Ida", " ida ", "1", [], [1, {"a": 1, "b": [2]}], [1, {"b": [2], "a": 1}], {}]
)
records = st.dictionaries(fields, values, max_size=3)


def made(base: dict[str, dict[str, Record]], tenant: str | None = None) -> State:
    return State(base, Index(base), SINGULAR, tenant=tenant, writers={})


def matches(record: Record, where: Record, fold: bool) -> bool:
    key = folded if fold else exactly
    return all(name in record and same(key(record[name]), key(value)) for name, value in where.items())


class StateAgainstModel(RuleBasedStateMachine):
    """The same operations on a `State` and on plain dictionaries."""

    @initialize(base=st.fixed_dictionaries({"parcels": st.dictionaries(ids, records, max_size=4)}))
    def begin(self, base: dict[str, dict[str, Record]]) -> None:
        self.base = base
        self.before = copy.deepcopy(base)
        self.model: dict[str, dict[str, Record]] = {"parcels": copy.deepcopy(base["parcels"]), "notes": {}}
        self.order = {"parcels": list(base["parcels"]), "notes": list[str]()}
        self.state = made(base)
        self.used = {table: set(rows) for table, rows in self.model.items()}

    @rule(table=tables, id=ids, changes=st.dictionaries(fields, values | st.just(ABSENT), max_size=3))
    def update(self, table: str, id: str, changes: Record) -> None:
        if id not in self.model[table]:
            with pytest.raises(NoSuchRecord):
                self.state.update(table, id, changes)
            return
        self.state.update(table, id, changes)
        for name, value in changes.items():
            if value is ABSENT:
                self.model[table][id].pop(name, None)
            else:
                self.model[table][id][name] = copy.deepcopy(value)

    @rule(table=tables, record=records)
    def create(self, table: str, record: Record) -> None:
        id = self.state.create(table, record)
        assert id not in self.used[table]
        self._add(table, id, record)

    @rule(table=tables, id=ids, record=records)
    def create_with_id(self, table: str, id: str, record: Record) -> None:
        if id in self.model[table]:
            with pytest.raises(WrongUse, match="already has a record"):
                self.state.create(table, record, id)
            return
        assert self.state.create(table, record, id) == id
        self._add(table, id, record)

    def _add(self, table: str, id: str, record: Record) -> None:
        self.model[table][id] = copy.deepcopy(record)
        self.used[table].add(id)
        if id not in self.order[table]:
            self.order[table].append(id)

    @rule(table=tables, id=ids)
    def delete(self, table: str, id: str) -> None:
        if id not in self.model[table]:
            with pytest.raises(NoSuchRecord):
                self.state.delete(table, id)
            return
        self.state.delete(table, id)
        del self.model[table][id]

    @rule(table=tables, id=ids)
    def read(self, table: str, id: str) -> None:
        found = self.state.get(table, id)
        expected = self.model[table].get(id)
        assert (None if found is None else canonical(dict(found))) == (
            None if expected is None else canonical(expected)
        )
        if found is not None:
            assert canonical(self.state.copy(table, id)) == canonical({"id": id} | dict(found))

    @rule(table=tables, id=ids)
    def spoil_what_was_read(self, table: str, id: str) -> None:
        found = self.state.get(table, id)
        if found is None:
            return
        with pytest.raises(TypeError):
            found["name"] = "other"  # type: ignore[index]
        for value in found.values():
            if isinstance(value, list):
                value.append("spoilt")
            elif isinstance(value, dict):
                value["spoilt"] = True

    @rule(table=tables, where=records, fold=st.booleans())
    def find(self, table: str, where: Record, fold: bool) -> None:
        scan = [
            id
            for id in self.order[table]
            if id in self.model[table] and matches(self.model[table][id], where, fold)
        ]
        assert self.state.find(table, where, folded if fold else exactly) == scan

    @invariant()
    def the_same_records_are_there(self) -> None:
        for table in SINGULAR:
            expected = [id for id in self.order[table] if id in self.model[table]]
            assert list(self.state.ids(table)) == expected
            assert self.state.count(table) == len(expected)

    @invariant()
    def the_fixture_never_changes(self) -> None:
        assert canonical(self.base) == canonical(self.before)

    @invariant()
    def net_changes_lead_from_the_fixture_to_now(self) -> None:
        rebuilt: dict[str, dict[str, Record]] = {
            "parcels": copy.deepcopy(self.before["parcels"]),
            "notes": {},
        }
        for change in self.state.net_changes():
            assert change["fields"] or change["op"] != "update"
            record = rebuilt[change["table"]].setdefault(change["id"], {})
            for name, (old, new) in change["fields"].items():
                assert not same(old, new)
                if old == {"is": "absent"}:
                    assert name not in record
                else:
                    assert same(record.pop(name), old)
                if new != {"is": "absent"}:
                    record[name] = new
            if change["op"] == "delete":
                assert rebuilt[change["table"]].pop(change["id"]) == {}
        assert canonical(rebuilt) == canonical(self.model)

    @invariant()
    def taken_changes_have_an_author(self) -> None:
        for change in self.state.take_changes():
            for name in change["fields"]:
                assert self.state.writers[f"{change['table']}/{change['id']}/{name}"][-1] == "world"
        assert self.state.take_changes() == []


StateAgainstModel.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestStateAgainstModel = StateAgainstModel.TestCase


BASE: dict[str, dict[str, Record]] = {
    "parcels": {f"P-{n}": {"name": "Ida" if n % 2 else "Jon", "lines": [n]} for n in range(6)}
}


def test_net_changes_are_net_and_gross_changes_are_gross() -> None:
    state = made(BASE)
    state.update("parcels", "P-1", {"name": "Eva"})
    state.update("parcels", "P-1", {"name": "Ida"})
    assert [change["fields"] for change in state.take_changes()] == [
        {"name": ["Ida", "Eva"]},
        {"name": ["Eva", "Ida"]},
    ]
    assert state.net_changes() == []


def test_a_record_created_and_deleted_leaves_no_net_change() -> None:
    state = made(BASE)
    state.delete("parcels", state.create("parcels", {"name": "Eva"}))
    assert state.net_changes() == []


def test_a_change_to_the_same_value_is_no_change() -> None:
    state = made(BASE)
    state.update("parcels", "P-1", {"name": "Ida", "lines": [1.0]})
    state.update("parcels", "P-1", {"missing": ABSENT})
    assert (state.take_changes(), state.writers, state.versions) == ([], {}, {})


def test_absent_null_and_empty_are_three_things() -> None:
    state = made({"parcels": {"P-1": {"note": None}}})
    state.update("parcels", "P-1", {"note": ""})
    state.update("parcels", "P-1", {"note": ABSENT})
    state.update("parcels", "P-1", {"note": None})
    assert [change["fields"]["note"] for change in state.take_changes()] == [
        [None, ""],
        ["", {"is": "absent"}],
        [{"is": "absent"}, None],
    ]


def test_writers_are_kept_in_order_by_leaf() -> None:
    state = made(BASE)
    for actor, name in (("c1", "Eva"), ("event:evt_1", "Jon"), ("guard", "Eva")):
        state.actor = actor
        state.update("parcels", "P-1", {"name": name})
    assert state.writers == {"parcels/P-1/name": ["c1", "event:evt_1", "guard"]}


def test_changes_of_another_tenant_say_so() -> None:
    state = made(BASE, tenant="other")
    state.update("parcels", "P-1", {"name": "Eva"})
    assert [change["tenant"] for change in (*state.take_changes(), *state.net_changes())] == [
        "other",
        "other",
    ]
    assert list(state.writers) == ["other:parcels/P-1/name"]


def test_generated_ids_are_counters_by_table_and_never_come_back() -> None:
    state = made({"parcels": {"parcel_2": {}}})
    assert [state.create("parcels", {}), state.create("parcels", {}), state.create("notes", {})] == [
        "parcel_1",
        "parcel_3",
        "note_1",
    ]
    state.delete("parcels", "parcel_2")
    state.delete("parcels", "parcel_3")
    assert state.create("parcels", {}) == "parcel_4"
    fresh = made({"parcels": {"parcel_1": {}}})
    fresh.delete("parcels", "parcel_1")
    assert fresh.create("parcels", {}) == "parcel_2"


def test_records_that_come_to_match_are_found_in_the_order_of_the_fixture() -> None:
    state = made(BASE)
    state.update("parcels", "P-2", {"name": "Ida"})
    state.update("parcels", "P-1", {"note": "seen"})
    created = state.create("parcels", {"name": "Ida"})
    assert state.find("parcels", {"name": "Ida"}) == ["P-1", "P-2", "P-3", "P-5", created]


def test_nested_values_are_found_whatever_the_order_of_their_keys() -> None:
    base: dict[str, dict[str, Record]] = {
        "parcels": {"P-1": {"size": {"a": 1, "b": [2]}}, "P-2": {"size": {"a": 1, "b": []}}}
    }
    state = made(base)
    assert state.find("parcels", {"size": {"b": [2], "a": 1}}) == ["P-1"]
    assert state.find("parcels", {"size": {"b": [2.0], "a": 1}}) == ["P-1"]
    assert state.find("parcels", {"size": {"b": [2], "a": True}}) == []


def test_what_was_written_is_not_shared_with_the_writer() -> None:
    state = made(BASE)
    lines: list[Json] = [1]
    state.update("parcels", "P-1", {"lines": lines})
    id = state.create("parcels", {"lines": lines})
    lines.append(2)
    assert [dict(state.get("parcels", each) or {})["lines"] for each in ("P-1", id)] == [[1], [1]]


@pytest.mark.parametrize("value", [float("nan"), 10**30, object(), {1: 2}])
def test_only_json_can_be_written(value: Any) -> None:
    state = made(BASE)
    with pytest.raises(NotJson):
        state.update("parcels", "P-1", {"name": value})
    with pytest.raises(NotJson):
        state.create("parcels", {"name": value})
    assert state.net_changes() == []


def test_a_table_nobody_declared_is_named_with_the_nearest() -> None:
    state = made(BASE)
    attempts = (
        lambda: state.get("parcel", "P-1"),
        lambda: state.before("parcel", "P-1"),
        lambda: list(state.ids("parcel")),
        lambda: state.count("parcel"),
        lambda: state.find("parcel", {"name": "Ida"}),
        lambda: state.create("parcel", {}),
        lambda: state.update("parcel", "P-1", {}),
        lambda: state.delete("parcel", "P-1"),
    )
    for attempt in attempts:
        with pytest.raises(WrongUse, match="no table parcel; did you mean parcels"):
            attempt()


def test_a_large_fixture_costs_an_episode_nothing() -> None:
    base = {"parcels": {f"P-{n}": {"name": f"name {n}"} for n in range(50_000)}}
    index = Index(base)
    calls = 0

    def counting(value: Json) -> Json:
        nonlocal calls
        calls += 1
        return value

    def look_up() -> None:
        state = State(base, index, SINGULAR, tenant=None, writers={})
        assert state.find("parcels", {"name": "name 777"}, counting) == ["P-777"]
        state.update("parcels", "P-777", {"name": "other"})
        assert len(state.net_changes()) == 1

    look_up()
    calls = 0
    look_up()
    assert calls < 10
