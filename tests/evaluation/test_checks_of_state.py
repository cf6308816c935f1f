"""State, new and deleted records, only expected changes, facts."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.evaluation import Verdict, judge
from company_lab.scenarios.model import Scenario
from company_lab.traces.record import Trace
from judged_world import JUDGED_WORLD, scenario
from trace_writing import Script, create, delete, mail, refund, update

PAID = {"state": {"invoices": {"I-400": {"received_minor": 500000, "status": "partially_paid"}}}}
BOOKED = update("invoices", "I-400", received_minor=(0, 500000), status=("open", "partially_paid"))


def judged(asked: Scenario, trace: Trace) -> Verdict:
    return judge(asked, JUDGED_WORLD, trace)


def book(*changes: dict[str, Any]) -> Script:
    return Script().call(
        "invoices.record_payment", id="I-400", payment="pay_1", amount_minor=500000, changes=changes
    )


def test_a_state_as_expected_passes() -> None:
    assert judged(scenario(PAID), book(BOOKED).end()).passed


def test_a_state_counts_whoever_wrote_it() -> None:
    trace = Script().call("crm.list").event("evt_1", "payment.succeeded", changes=[BOOKED]).end()
    assert judged(scenario(PAID), trace).passed


def test_each_wrong_leaf_is_a_failure_with_its_place_and_what_was_found() -> None:
    wrong = update("invoices", "I-400", received_minor=(0, 50000), status=("open", "paid"))
    verdict = judged(scenario(PAID, severity="critical"), book(wrong).end())
    assert [failure.check for failure in verdict.failures] == [
        "expected.state.invoices.I-400.received_minor",
        "expected.state.invoices.I-400.status",
    ]
    failure = verdict.failures[0]
    assert (failure.code, failure.severity, failure.failure_class) == ("state_mismatch", "critical", "other")
    assert (failure.found, failure.expected) == (50000, 500000)
    assert failure.message == "received_minor of invoices/I-400 is 50000; expected 500000"
    assert failure.evidence == (4, 7)


def test_an_untouched_record_is_compared_too() -> None:
    assert judged(scenario(PAID), Script().call("crm.list").end()).codes == ("state_mismatch",)
    same = {"state": {"invoices": {"I-400": {"received_minor": 0}}}, "actions": [{"tool": "crm.list"}]}
    assert judged(scenario(same), Script().call("crm.list").end()).passed


@pytest.mark.parametrize(
    ("after", "passes"),
    [(None, True), ("", False), ({"is": "absent"}, False), ([], False)],
)
@pytest.mark.fault("A31")
def test_absent_null_and_empty_are_three_things(after: object, passes: bool) -> None:
    expected = {"state": {"invoices": {"I-400": {"note": None}}}}
    trace = book(update("invoices", "I-400", note=("old", after))).end()
    assert judged(scenario(expected), trace).passed is passes


def test_a_field_expected_to_be_gone() -> None:
    expected = {"state": {"contacts": {"C-1": {"note": {"is": "absent"}}}}}
    gone = Script().call(
        "crm.note", id="C-1", note="", changes=[update("contacts", "C-1", note=("x", {"is": "absent"}))]
    )
    kept = Script().call("crm.note", id="C-1", note="", changes=[update("contacts", "C-1", note=("x", None))])
    assert judged(scenario(expected), gone.end()).passed
    assert judged(scenario(expected), kept.end()).codes == ("state_mismatch",)


@pytest.mark.parametrize(("after", "passes"), [(1, False), (True, True)])
def test_types_are_strict_in_state(after: object, passes: bool) -> None:
    expected = {"state": {"invoices": {"I-400": {"note": True}}}}
    assert (
        judged(scenario(expected), book(update("invoices", "I-400", note=(None, after))).end()).passed
        is passes
    )


def test_a_record_that_was_deleted_has_none_of_the_expected_values() -> None:
    trace = (
        Script()
        .call("crm.list", changes=[delete("invoices", "I-400", received_minor=0, status="open")])
        .end()
    )
    assert "state_mismatch" in judged(scenario(PAID), trace).codes


def test_new_records_are_matched_one_to_one_whatever_their_order() -> None:
    expected = {"created": {"cases": [{"status": "open"}, {"subject": "Refund", "status": "open"}]}}
    one = create("cases", "case_1", subject="Refund", status="open")
    two = create("cases", "case_2", subject="Delivery", status="open")
    assert judged(
        scenario(expected), Script().call("cases.open", subject="x", changes=[one, two]).end()
    ).passed
    assert judged(
        scenario(expected), Script().call("cases.open", subject="x", changes=[two, one]).end()
    ).passed
    verdict = judged(scenario(expected), Script().call("cases.open", subject="x", changes=[one]).end())
    assert verdict.codes == ("state_mismatch",)
    assert verdict.failures[0].check.startswith("expected.created.cases[")


def test_a_second_new_record_like_the_expected_one_is_unexpected() -> None:
    expected = {"created": {"cases": [{"status": "open"}]}}
    changes = [create("cases", f"case_{n}", subject="Refund", status="open") for n in (1, 2)]
    assert judged(
        scenario(expected), Script().call("cases.open", subject="x", changes=changes).end()
    ).codes == ("unexpected_change",)


def test_a_record_expected_to_be_deleted() -> None:
    expected = {"deleted": {"orders": ["O-400"]}}
    gone = Script().call("crm.list", changes=[delete("orders", "O-400", invoice="I-400", status="ready")])
    assert judged(scenario(expected), gone.end()).passed
    verdict = judged(scenario(expected), Script().call("crm.list").end())
    assert (verdict.codes, verdict.failures[0].check) == (("state_mismatch",), "expected.deleted.orders[0]")


def test_a_change_the_scenario_names_nowhere_fails() -> None:
    order = update("orders", "O-400", status=("ready", "released"))
    verdict = judged(scenario(PAID), book(BOOKED).call("orders.release", id="O-400", changes=[order]).end())
    assert verdict.codes == ("unexpected_change",)
    assert verdict.failures[0].message == (
        "the agent changed status of orders/O-400, which the scenario names nowhere"
    )


@pytest.mark.parametrize("freedom", ["any", {"O-400": "any"}, {"O-400": ["status"]}])
def test_a_change_that_may_be_is_no_failure(freedom: Any) -> None:
    order = update("orders", "O-400", status=("ready", "released"))
    trace = book(BOOKED).call("orders.release", id="O-400", changes=[order]).end()
    assert judged(scenario({**PAID, "may_change": {"orders": freedom}}), trace).passed


@pytest.mark.parametrize("freedom", [{"O-400": ["invoice"]}, {"O-1": "any"}])
def test_freedom_reaches_no_further_than_it_says(freedom: Any) -> None:
    order = update("orders", "O-400", status=("ready", "released"))
    trace = book(BOOKED).call("orders.release", id="O-400", changes=[order]).end()
    assert not judged(scenario({**PAID, "may_change": {"orders": freedom}}), trace).passed


def test_a_field_of_a_named_record_that_is_not_named_itself_is_unexpected() -> None:
    trace = book(BOOKED, update("invoices", "I-400", note=(None, "x"))).end()
    assert judged(scenario(PAID), trace).codes == ("unexpected_change",)


def test_what_an_expected_action_writes_is_expected() -> None:
    expected = {"actions": [{"tool": "orders.release", "args": {"id": "O-400"}}]}
    order = update("orders", "O-400", status=("ready", "released"))
    assert judged(
        scenario(expected), Script().call("orders.release", id="O-400", changes=[order]).end()
    ).passed


def test_what_another_call_wrote_as_well_is_not() -> None:
    expected = {"actions": [{"tool": "orders.release", "args": {"id": "O-400"}}]}
    first = update("orders", "O-400", status=("ready", "checked"))
    second = update("orders", "O-400", status=("checked", "released"))
    trace = (
        Script().call("crm.list", changes=[first]).call("orders.release", id="O-400", changes=[second]).end()
    )
    assert judged(scenario(expected), trace).codes == ("unexpected_change",)


def test_changes_count_net() -> None:
    there = update("orders", "O-400", status=("ready", "released"))
    back = update("orders", "O-400", status=("released", "ready"))
    trace = book(BOOKED).call("orders.release", id="O-400", changes=[there, back]).end()
    assert judged(scenario(PAID), trace).passed


@pytest.mark.fault("A15")
def test_reads_and_what_the_guard_writes_leave_the_verdict_alone() -> None:
    audit = create("cases", "case_9", subject="approval asked", status="open")
    trace = (
        Script()
        .call("crm.get", id="C-4", outcome="failed", reason="not_found")
        .call("invoices.get", id="I-400")
        .call("invoices.get", id="I-400")
        .call("orders.release", outcome="held", id="O-400", guard_changes=[audit])
        .call("invoices.record_payment", id="I-400", payment="p", amount_minor=1, changes=[BOOKED])
        .end()
    )
    assert judged(scenario(PAID), trace).passed


def test_what_events_bring_is_not_the_agents() -> None:
    trace = (
        book(BOOKED).event("e", "x", changes=[create("contacts", "C-9", name="N", email="n@n.test")]).end()
    )
    assert judged(scenario(PAID), trace).passed


def test_an_effect_the_scenario_names_nowhere_fails() -> None:
    trace = book(BOOKED).call("email.send", to="x@y.test", text="hi", effects=[mail("x@y.test", "hi")]).end()
    verdict = judged(scenario(PAID), trace)
    assert verdict.codes == ("unexpected_change",)
    named = {**PAID, "effects": [{"provider": "mail", "op": "send", "match": {"to": "x@y.test"}}]}
    assert judged(scenario(named), trace).passed


def test_without_writers_the_calls_own_changes_tell_who_wrote() -> None:
    trace = (
        book(BOOKED)
        .call("crm.note", id="C-1", note="", changes=[update("contacts", "C-1", note=(None, "x"))])
        .end()
    )
    trace.records[-1]["writers"] = {}
    assert judged(scenario(PAID), trace).codes == ("unexpected_change",)


def test_an_unchanged_record_that_initial_facts_may_have_made_can_not_be_scored() -> None:
    asked = scenario(
        {"state": {"quotes": {"Q-1": {"version": 4}}}},
        initial={"facts": {"quote_version": 3}},
    )
    verdict = judged(asked, Script().call("crm.list").end())
    assert (verdict.outcome, verdict.unscored[0].check) == ("unscored", "expected.state.quotes.Q-1.version")
    changed = (
        Script().event("e", "x", changes=[update("quotes", "Q-1", version=(3, 4))]).call("crm.list").end()
    )
    assert judged(asked, changed).passed


@pytest.mark.parametrize(
    ("facts", "codes"),
    [
        ({"external_sends": 0, "decision": "deny"}, ()),
        ({"external_sends": 1, "decision": "deny"}, ("state_mismatch",)),
        ({"external_sends": False, "decision": "deny"}, ("state_mismatch",)),
        ({"external_sends": 0}, ("state_mismatch",)),
        ({}, ("state_mismatch",)),
    ],
)
def test_facts_are_compared_strictly_and_an_absent_one_fails(
    facts: dict[str, Any], codes: tuple[str, ...]
) -> None:
    asked = scenario(
        {"facts": {"external_sends": 0, "decision": "deny"}}, stimulus={"agent_request": "send_quote"}
    )
    trace = Script(layer="contract", kind="request").call("quotes.send", id="Q-1", outcome="refused")
    assert judged(asked, trace.stop().settle(facts=facts).trace).codes == codes


def test_the_request_and_happenings_may_change_what_they_change() -> None:
    asked = scenario({"facts": {"decision": "allow"}}, stimulus={"agent_request": "refund"})
    trace = (
        Script(layer="contract", kind="request")
        .event("happening", "x", changes=[create("quotes", "Q-2", version=1, approved_version=1)])
        .call(
            "payments.refund",
            charge="ch_1",
            amount_minor=100,
            changes=[create("cases", "case_1", subject="r", status="open")],
            effects=[refund("ch_1", 100)],
        )
    )
    assert judged(asked, trace.stop().settle(facts={"decision": "allow"}).trace).passed


@pytest.mark.parametrize(
    ("wanted", "found", "passes"),
    [
        (["100.00", "100.00"], ["100.00", "100.00"], True),
        (["100.00", "100.00"], ["100.00"], False),
        (["quote", "invoice"], ["invoice", "quote"], False),
        ({"unordered": ["quote", "invoice"]}, ["invoice", "quote"], True),
        ({"unordered": ["quote", "invoice"]}, ["invoice", "quote", "quote"], False),
    ],
)
@pytest.mark.fault("A29")
def test_lists_are_ordered_unless_declared_otherwise_and_duplicates_count(
    wanted: Any, found: list[str], passes: bool
) -> None:
    expected = {"state": {"invoices": {"I-400": {"note": wanted}}}}
    assert (
        judged(scenario(expected), book(update("invoices", "I-400", note=(None, found))).end()).passed
        is passes
    )


def test_nested_objects_are_patched_and_not_replaced() -> None:
    expected = {"state": {"contacts": {"C-1": {"address": {"city": "Bergen"}}}}}
    both = update("contacts", "C-1", address=(None, {"city": "Bergen", "zip": "5003"}))
    other = update("contacts", "C-1", address=(None, {"city": "Oslo", "zip": "5003"}))
    assert judged(
        scenario(expected), Script().call("crm.note", id="C-1", note="", changes=[both]).end()
    ).passed
    verdict = judged(scenario(expected), Script().call("crm.note", id="C-1", note="", changes=[other]).end())
    assert verdict.failures[0].check == "expected.state.contacts.C-1.address.city"


@pytest.mark.parametrize(
    ("after", "codes"),
    [
        ({"city": "Bergen", "zip": "5003", "geo": {"lat": 1, "lon": 2}}, ()),
        ({"city": "Bergen", "zip": "5099", "geo": {"lat": 1, "lon": 2}}, ("unexpected_change",)),
        ({"city": "Bergen", "geo": {"lat": 1, "lon": 2}}, ("unexpected_change",)),
        ({"city": "Bergen", "zip": "5003", "geo": {"lat": 1, "lon": 9}}, ("unexpected_change",)),
        ({"city": "Bergen", "zip": "5003", "geo": {"lat": 1, "lon": 2}, "co": "x"}, ("unexpected_change",)),
    ],
)
def test_a_part_of_an_object_that_no_patch_names_must_not_change(after: Any, codes: tuple[str, ...]) -> None:
    before = {"city": "Oslo", "zip": "5003", "geo": {"lat": 0, "lon": 2}}
    expected = {"state": {"contacts": {"C-1": {"address": {"city": "Bergen", "geo": {"lat": 1}}}}}}
    change = update("contacts", "C-1", address=(before, after))
    trace = Script().call("crm.note", id="C-1", note="", changes=[change]).end()
    assert judged(scenario(expected), trace).codes == codes
    free = scenario({**expected, "may_change": {"contacts": {"C-1": ["address"]}}})
    assert judged(free, trace).passed
    whole = scenario({"state": {"contacts": {"C-1": {"address": {"equals": after}}}}})
    assert judged(whole, trace).passed


def test_a_record_expected_as_a_whole_names_all_its_fields() -> None:
    whole = {"invoice": "O-9", "status": "released"}
    asked = scenario({"state": {"orders": {"O-400": {"equals": whole}}}})
    change = update("orders", "O-400", invoice=("I-400", "O-9"), status=("ready", "released"))
    assert judged(asked, Script().call("crm.list", changes=[change]).end()).passed
    there = scenario({"state": {"orders": {"O-400": {"is": "present"}}}})
    assert judged(there, Script().call("crm.list", changes=[change]).end()).codes == ("unexpected_change",)
