"""The company's crowd is hard to search in and answers no question of the scenario."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.probing.rehearse import rehearse
from company_lab.scenarios.crowding import with_crowd
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.traces import Trace
from company_lab.worlds import Context
from company_lab.worlds.crowd import Crowded
from company_lab.worlds.fixture import Fixture
from company_lab.worlds.live import LiveWorld

SIZE = 3000
SCENARIOS = load_suite(SUITE, lambda name: company.spec).scenarios
ASKED: dict[str, Any] = {
    "id": "crowded_desk",
    "initial": {
        "contacts": {
            "C-1": {
                "name": "Ida Holm",
                "email": "ida@holm.example.test",
                "address": "Mill Lane 4",
                "city": "Kiel",
            },
            "C-2": {"name": "Jo Berg", "email": "jo@berg.example.test", "company": "Orchid Spa"},
        },
        "invoices": {
            "I-1": {
                "contact": "C-1",
                "total_minor": 50000,
                "received_minor": 0,
                "currency": "EUR",
                "status": "open",
            }
        },
        "payments": {"pay_1": {"amount_minor": 50000, "currency": "EUR", "payer": "Ada Tran"}},
    },
    "stimulus": {"message": "Zoe Zimmer asks about 77700 cents."},
    "expected": {"told": {"states": [{"literal": "done"}, {"amount_minor": 77700, "currency": "EUR"}]}},
    "reference": [{"reply": "done"}],
}


def scenario(**changes: Any) -> Scenario:
    return load_document(ASKED | changes, worlds=lambda _: company.spec)


def fixture(size: int = SIZE, seed: int = 0, **changes: Any) -> Fixture:
    return company.prepare(with_crowd(scenario(**changes), size, seed=seed))


def desk(prepared: Fixture) -> Context:
    """What a tool would see of a fixture."""
    return LiveWorld(prepared, Trace()).reading


def others(prepared: Fixture, table: str) -> dict[str, Mapping[str, Any]]:
    """The records of the crowd."""
    records = prepared.tenants[prepared.scenario.role.tenant][table]
    assert isinstance(records, Crowded)
    return {id: records[id] for id in records if id not in records.own}


@pytest.fixture(scope="module")
def prepared() -> Fixture:
    return fixture()


@pytest.mark.parametrize("table", ["contacts", "invoices", "payments"])
def test_the_crowd_fills_the_table_with_records_of_its_shape(prepared: Fixture, table: str) -> None:
    found = others(prepared, table)
    assert SIZE * 0.97 <= len(found) <= SIZE * 1.03
    shape = company.spec.tables[table].shape
    for id, record in found.items():
        assert not list(shape.mismatches(record)), (id, record)


def test_every_record_of_the_crowd_belongs_to_something_in_it(prepared: Fixture) -> None:
    contacts, invoices = others(prepared, "contacts"), others(prepared, "invoices")
    assert all(invoice["contact"] in contacts for invoice in invoices.values())
    received = dict.fromkeys(invoices, 0)
    for payment in others(prepared, "payments").values():
        assert payment["booked_to"] == payment["invoice"]
        received[payment["invoice"]] += payment["amount_minor"]
    assert received == {id: invoice["received_minor"] for id, invoice in invoices.items()}
    settled = {id: invoice["total_minor"] for id, invoice in invoices.items() if invoice["status"] == "paid"}
    assert settled == {id: received[id] for id in settled}


def test_searches_meet_people_with_the_same_surname_and_addresses_in_the_same_street(
    prepared: Fixture,
) -> None:
    ctx = desk(prepared)
    named = ctx.search("contacts", "name", "Holm")
    assert len(named) > 3
    assert named.index("C-1") > 0
    addresses = [str(record["address"]) for record in others(prepared, "contacts").values()]
    assert sum(address.startswith("Mill Lane ") for address in addresses) > 2
    assert "Mill Lane 4" not in [record["address"] for record in prepared_near(prepared)]


def prepared_near(prepared: Fixture) -> list[Mapping[str, Any]]:
    records = prepared.tenants[prepared.scenario.role.tenant]["contacts"]
    assert isinstance(records, Crowded)
    return [record for id, record in records.front.items() if id not in records.own]


def test_the_same_amount_stands_on_other_invoices_which_are_paid(prepared: Fixture) -> None:
    ctx = desk(prepared)
    found = [id for id in ctx.find("invoices", total_minor=50000) if id != "I-1"]
    assert len(found) >= 2
    assert {ctx.read("invoices", id)["status"] for id in found} == {"paid"}
    paid = [id for id in ctx.find("payments", amount_minor=50000) if id != "pay_1"]
    assert len(paid) >= 2
    assert all("booked_to" in ctx.read("payments", id) for id in paid)


def test_nothing_in_it_answers_what_the_scenario_asks(prepared: Fixture) -> None:
    ctx = desk(prepared)
    for email, id in (("ida@holm.example.test", "C-1"), ("JO@berg.example.test", "C-2")):
        assert ctx.find("contacts", fold_case=True, email=email) == [id]
    for name, ids in (("Ida Holm", ["C-1"]), ("jo berg", ["C-2"]), ("Zoe Zimmer", []), ("Ada Tran", [])):
        assert ctx.find("contacts", fold_case=True, name=name) == ids
    assert ctx.find("contacts", company="Orchid Spa") == ["C-2"]
    for amount in (50000, 77700):
        open_over = [
            id
            for id, invoice in others(prepared, "invoices").items()
            if invoice["status"] != "paid"
            and amount in (invoice["total_minor"], invoice["total_minor"] - invoice["received_minor"])
        ]
        assert not open_over


def test_whoever_the_scenario_mentions_is_not_in_its_crowd(prepared: Fixture) -> None:
    somebody = next(
        record for record in reversed(others(prepared, "contacts").values()) if "company" in record
    )
    open_total = next(
        int(record["total_minor"])
        for record in others(prepared, "invoices").values()
        if record["status"] == "open"
    )
    assert desk(prepared).find("contacts", name=somebody["name"])
    asked = fixture(stimulus={"message": f"What of {somebody['name']}, of {somebody['company']}?"})
    assert not desk(asked).find("contacts", name=somebody["name"])
    assert not desk(asked).find("contacts", company=somebody["company"])
    assert desk(prepared).find("invoices", total_minor=open_total, status="open")
    owed = ASKED["initial"]["invoices"]["I-1"] | {"total_minor": open_total}
    asked = fixture(initial=ASKED["initial"] | {"invoices": {"I-1": owed}})
    assert desk(asked).find("invoices", total_minor=open_total, status="open") == ["I-1"]


def test_ids_never_collide() -> None:
    first = sorted(others(fixture(), "contacts"))[5]
    moved = fixture(
        initial=ASKED["initial"]
        | {"orders": {"O-1": {"contact": "C-1", "status": "ready"}}}
        | {"contacts": ASKED["initial"]["contacts"] | {first: {"name": "Somebody Else"}}}
    )
    found = others(moved, "contacts")
    assert first not in found
    assert len(found) >= SIZE * 0.97


def test_the_same_seed_gives_the_same_crowd_and_another_one_does_not() -> None:
    assert fixture(500).digest == fixture(500).digest
    assert others(fixture(500), "contacts") == others(fixture(500), "contacts")
    assert len({fixture(500).digest, fixture(501).digest, fixture(500, seed=1).digest}) == 3


def test_fixtures_share_the_bulk() -> None:
    one, two = fixture(700), fixture(700, id="another_desk")
    id = sorted(others(one, "invoices"))[0]
    tables = [one.tenants["main"]["invoices"], two.tenants["main"]["invoices"]]
    assert tables[0][id] is tables[1][id]


def test_short_forms_and_empty_scenarios_have_a_crowd_too() -> None:
    bare = {name: value for name, value in ASKED.items() if name != "initial"}
    asked = load_document(bare, worlds=lambda _: company.spec)
    assert len(others(company.prepare(with_crowd(asked, 500)), "contacts")) > 480


def test_every_conduct_of_the_suite_behaves_in_the_crowd_as_it_does_alone() -> None:
    compared = 0
    for alone in SCENARIOS:
        crowd = with_crowd(alone, SIZE)
        for before, after in zip(rehearse(alone, company), rehearse(crowd, company), strict=True):
            assert (after.conduct, after.verdict.outcome, after.verdict.codes) == (
                before.conduct,
                before.verdict.outcome,
                before.verdict.codes,
            ), (alone.id, before.conduct)
            compared += 1
    assert compared > len(SCENARIOS)


def test_an_episode_costs_about_the_same_in_a_crowd_of_100_000() -> None:
    alone = [one for one in SCENARIOS if not one.is_contract][:20]
    crowd = [with_crowd(one, 100_000) for one in alone]
    small, large = (cpu_of([company.prepare(one) for one in scenarios]) for scenarios in (alone, crowd))
    assert large < 4 * small + 0.002


def cpu_of(fixtures: list[Fixture]) -> float:
    best = float("inf")
    for _ in range(4):
        started = time.process_time()
        for one in fixtures:
            play(one, reference(one.scenario))
        best = min(best, (time.process_time() - started) / len(fixtures))
    return best
