"""Every kind of fault: one episode in which it happens and makes a difference, and one in which it does not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.company import company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.evaluation.summaries import summarise
from company_lab.scenarios.fault_kinds import EVENT_FAULTS, KEYS, KINDS
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.traces import Trace

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
Call = tuple[str, dict[str, Any]]

GET: Call = ("invoices.get", {"id": "I-1"})
REFUND: Call = ("payments.refund", {"charge": "ch_1", "amount_minor": 8000, "key": "k-1"})
CHARGE: Call = (
    "payments.charge",
    {"invoice": "I-1", "amount_minor": 6000, "currency": "EUR", "lease": "run-1", "token": 11},
)
ASK: Call = ("payments.get", {"id": "ch_1"})
WAIT: Call = ("clock.wait", {"duration": "1h"})
PAID: dict[str, Any] = {
    "at": "+10m",
    "id": "evt_1",
    "type": "payment.succeeded",
    "data": {"payment": "pay_1", "invoice": "I-1", "amount_minor": 6000, "currency": "EUR"},
}
SECOND: dict[str, Any] = {
    "at": "+20m",
    "id": "evt_2",
    "type": "payment.succeeded",
    "data": {"payment": "pay_2", "invoice": "I-1", "amount_minor": 100, "currency": "EUR"},
}

FIRES: dict[str, tuple[dict[str, Any], Sequence[Call]]] = {
    "error": ({"on": "payments.refund"}, [REFUND]),
    "lost_ack": ({"on": "payments.refund"}, [REFUND]),
    "lost_request": ({"on": "payments.refund"}, [REFUND]),
    "late_answer": ({"on": "payments.refund", "by": "3h"}, [REFUND]),
    "rate_limited": ({"on": "payments.refund"}, [REFUND]),
    "rate_limited_after": ({"on": "payments.refund"}, [REFUND]),
    "server_error": ({"on": "payments.refund"}, [REFUND]),
    "server_error_after": ({"on": "payments.refund"}, [REFUND]),
    "malformed_result": ({"on": "invoices.get"}, [GET]),
    "partial_result": ({"on": "invoices.get"}, [GET]),
    "stale_read": ({"on": "payments.get"}, [REFUND, ASK]),
    "foreign_change": (
        {"on": "invoices.get", "change": {"invoices": {"I-1": {"received_minor": 100}}}},
        [GET],
    ),
    "outage": ({"on": "payments.refund", "by": "25h"}, [REFUND]),
    "approval_expires": ({"on": "payments.refund"}, [REFUND]),
    "lease_expires": ({"on": "payments.charge"}, [CHARGE]),
    "duplicate": ({"on": "evt_1"}, [WAIT, GET]),
    "late": ({"on": "evt_1", "by": "2d"}, [WAIT, GET]),
    "reorder": ({"on": "evt_1"}, [WAIT, GET]),
    "forged": ({"on": "evt_1"}, [WAIT, GET]),
    "dropped": ({"on": "evt_1"}, [WAIT, GET]),
}
"""What each kind is scheduled on, and calls under which it happens."""

MISSES: dict[str, tuple[dict[str, Any], Sequence[Call]]] = {
    **{kind: (fault, [WAIT]) for kind, (fault, _) in FIRES.items() if kind not in EVENT_FAULTS},
    # nothing has changed that the answer could leave out
    "stale_read": (FIRES["stale_read"][0], [ASK]),
    # what somebody else writes is there already
    "foreign_change": ({"on": "invoices.get", "change": {"invoices": {"I-1": {"received_minor": 0}}}}, [GET]),
    # the agent had stopped before it was due
    "reorder": (FIRES["reorder"][0], []),
    "duplicate": (FIRES["duplicate"][0], []),
    "late": (FIRES["late"][0], []),
    "forged": (FIRES["forged"][0], []),
    "dropped": (FIRES["dropped"][0], []),
}
"""The same where it does not happen, or makes no difference."""


def scenario(*faults: dict[str, Any], **keys: Any) -> Scenario:
    document: dict[str, Any] = {
        "id": "a_day_with_faults",
        "clock": "2026-03-02T09:00:00+01:00",
        "initial": {
            "contacts": {"C-1": {"name": "Ida Holm", "email": "ida@holm.example.test"}},
            "invoices": {
                "I-1": {
                    "contact": "C-1",
                    "total_minor": 6000,
                    "received_minor": 0,
                    "currency": "EUR",
                    "status": "open",
                    "run": "run-1",
                }
            },
            "cards": {"card_1": {"contact": "C-1", "last4": "4242", "status": "active"}},
            "leases": {"run-1": {"holder": "worker-a", "token": 11, "expires": "2026-03-02T15:00:00+01:00"}},
            "charges": {"ch_1": {"captured_minor": 20000, "refunded_minor": 0, "currency": "EUR"}},
            "approvals": {
                "AP-1": {
                    "tool": "payments.refund",
                    "args": {"charge": "ch_1", "amount_minor": 8000},
                    "status": "approved",
                    "expires": "2026-03-02T18:00:00+01:00",
                }
            },
        },
        "events": [PAID, SECOND],
        "stimulus": {"message": "Please see to it."},
        "expected": {"told": {"states": [{"literal": "done"}]}, "may_change": {"charges": "any"}},
        "faults": list(faults),
        "reference": [{"reply": "done"}],
    }
    return load_document(document | keys, worlds=lambda _: company.spec)


def doing(calls: Sequence[Call], heard: list[object] | None = None) -> Agent:
    def act(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                answer: object = session.call(tool, **args)
            except ToolError as error:
                answer = f"{error.code}: {error}"
            if heard is not None:
                heard.append(answer)
        return "done"

    return Agent(name="tests:agent", kind="conduct", act=act)


def played(one: Scenario, calls: Sequence[Call], heard: list[object] | None = None) -> Trace:
    return play(company.prepare(one), doing(calls, heard)).trace


def fault_of(kind: str, table: dict[str, tuple[dict[str, Any], Sequence[Call]]]) -> dict[str, Any]:
    return {"kind": kind, **table[kind][0]}


KINDS_HERE = sorted(FIRES)


def test_no_kind_is_left_out() -> None:
    assert set(FIRES) == set(MISSES) == set(KINDS) - {"crash"}


SPANS = {"10 minutes": 600_000, "one minute": 60_000, "one hour": 3_600_000, "one day": 86_400_000}


def test_the_page_has_every_kind_with_its_keys_and_how_long_it_takes_by_itself() -> None:
    told: dict[str, tuple[set[str], int]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("| `") or line.startswith("| `kind`"):
            continue
        kinds, *cells = line.strip("|").split(" | ")
        named = cells[-1] if len(cells) == 3 else line  # calls have a column for them
        keys = {key for key in KEYS if f"`{key}`" in named}
        by_ms = next((span for words, span in SPANS.items() if words in line), 0)
        told.update(dict.fromkeys(re.findall(r"`(\w+)`", kinds), (keys, by_ms)))
    assert told == {
        name: (set(kind.takes) - {"occurrence", "attempt"}, kind.by_ms) for name, kind in KINDS.items()
    }


@pytest.mark.parametrize("kind", KINDS_HERE)
def test_a_fault_happens_where_it_is_scheduled_and_makes_a_difference(kind: str) -> None:
    calls = FIRES[kind][1]
    faulty, plain = scenario(fault_of(kind, FIRES)), scenario()
    trace = played(faulty, calls)
    assert trace.records[-1]["faults"] == [{"index": 0, "fired": True, "changed": True}]
    (record,) = trace.by_kind("fault")
    assert (record["fault"], record["what"]) == (0, kind)
    assert judge(faulty, company.spec, trace).invalid == ()
    assert experienced(faulty, calls) != experienced(plain, calls)


def experienced(one: Scenario, calls: Sequence[Call]) -> object:
    """What an agent could notice or the books show: answers, news, time, records."""
    heard: list[object] = []
    trace = played(one, calls, heard)
    news = [[event["id"] for event in record["events"]] for record in trace.by_kind("observation")]
    arrived = [(record["id"], record["at"], record["changes"]) for record in trace.by_kind("event")]
    last = trace.records[-1]
    return heard, news, arrived, last["simulated_ms"], last["changes"], last["ledgers"]


@pytest.mark.parametrize("kind", KINDS_HERE)
@pytest.mark.fault("G01")
def test_a_fault_that_tested_nothing_makes_the_episode_invalid(kind: str) -> None:
    fault, calls = MISSES[kind]
    one = scenario({"kind": kind, **fault})
    trace = played(one, calls)
    verdict = judge(one, company.spec, trace)
    assert verdict.outcome == "invalid", verdict
    (note,) = verdict.invalid
    assert note.check == "faults[0]"
    assert kind in note.message
    assert "did not fire" in note.message or "changed nothing" in note.message


@pytest.mark.parametrize("kind", KINDS_HERE)
def test_the_same_seed_gives_the_same_bytes_under_every_fault(kind: str) -> None:
    one = scenario(fault_of(kind, FIRES))
    assert played(one, FIRES[kind][1]).bytes() == played(one, FIRES[kind][1]).bytes()


@pytest.mark.parametrize("kind", KINDS_HERE)
def test_a_schedule_takes_the_place_of_the_scenarios_faults(kind: str) -> None:
    fixture = company.prepare(scenario({"kind": "error", "on": "email.send"}))
    schedule = scenario(fault_of(kind, FIRES)).faults
    trace = play(fixture, doing(FIRES[kind][1]), schedule=schedule).trace
    assert [fault["kind"] for fault in trace.records[0]["schedule"]] == [kind]
    assert trace.records[-1]["faults"] == [{"index": 0, "fired": True, "changed": True}]
    verdict = judge(fixture.scenario, company.spec, trace)
    assert (verdict.outcome == "invalid", verdict.invalid) == (False, ())
    missed = play(fixture, doing([]), schedule=schedule).trace
    (note,) = judge(fixture.scenario, company.spec, missed).invalid
    assert note.check == "schedule[0]"


def test_without_a_schedule_nothing_is_said_about_one() -> None:
    assert "schedule" not in played(scenario(), [GET]).records[0]
    nothing = play(company.prepare(scenario({"kind": "error", "on": "email.send"})), doing([]), schedule=())
    assert nothing.trace.records[0]["schedule"] == []
    assert nothing.trace.records[-1]["faults"] == []


@pytest.mark.fault("A35")
def test_faults_hit_the_same_calls_however_many_episodes_are_played_at_once() -> None:
    scenarios = [scenario(fault_of(kind, FIRES)) for kind in KINDS_HERE]
    alone = [played(one, FIRES[kind][1]).bytes() for kind, one in zip(KINDS_HERE, scenarios, strict=True)]
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            pool.submit(played, one, FIRES[kind][1])
            for _ in range(3)
            for kind, one in zip(KINDS_HERE, scenarios, strict=True)
        ]
        assert [job.result().bytes() for job in jobs] == alone * 3


@pytest.mark.fault("B01")
@pytest.mark.parametrize("by", ["1m", "2d"])
def test_a_payment_that_is_announced_twice_is_in_the_books_once(by: str) -> None:
    one = scenario({"kind": "duplicate", "on": "evt_1", "by": by})
    trace = played(one, [WAIT, GET])
    first, again = [record for record in trace.by_kind("event") if record["id"] == "evt_1"]
    assert ([change["id"] for change in first["changes"]], again["changes"]) == (["pay_1"], [])


@pytest.mark.fault("B03")
def test_older_news_that_comes_later_does_not_undo_newer() -> None:
    sent, arrived = (
        {"at": at, "id": id, "type": f"shipment.{id}", "data": {"order": "O-1"}}
        for at, id in (("+1m", "dispatched"), ("+2m", "delivered"))
    )
    order = {"orders": {"O-1": {"contact": "C-1", "status": "ready"}}}
    for faults in ([], [{"kind": "reorder", "on": "dispatched"}], [{"kind": "late", "on": "dispatched"}]):
        initial = {**scenario().document["initial"], **order}  # type: ignore[dict-item]
        one = scenario(*faults, initial=initial, events=[sent, arrived])
        (change,) = [
            change for change in played(one, [WAIT]).records[-1]["changes"] if change["table"] == "orders"
        ]
        assert change["fields"]["status"] == ["ready", "delivered"]


@pytest.mark.fault("C21")
def test_whoever_saves_what_somebody_else_has_changed_meanwhile_is_refused() -> None:
    contact = {"name": "Ida Holm", "email": "ida@holm.example.test", "version": 1}
    initial = {**scenario().document["initial"], "contacts": {"C-1": contact}}  # type: ignore[dict-item]
    change = {"contacts": {"C-1": {"phone": "+00 555 0100", "version": 2}}}
    heard: list[object] = []
    one = scenario({"kind": "foreign_change", "on": "crm.update", "change": change}, initial=initial)
    update = {"id": "C-1", "phone": "+00 555 0199", "version": 1}
    trace = played(one, [("crm.get", {"id": "C-1"}), ("crm.update", update)], heard)
    assert str(heard[1]).startswith("refused")
    (left,) = [change for change in trace.records[-1]["changes"] if change["table"] == "contacts"]
    assert left["fields"]["phone"][1] == "+00 555 0100"
    assert trace.records[-1]["writers"]["contacts/C-1/phone"] == ["someone else"]


def test_a_summary_says_under_which_kinds_a_call_failed() -> None:
    one = scenario(
        {"kind": "lost_ack", "on": "payments.refund"}, {"kind": "duplicate", "on": "evt_1", "by": "1m"}
    )
    trace = played(one, [REFUND, REFUND, WAIT, GET])
    summary = summarise(trace, judge(one, company.spec, trace))
    assert (summary.fault_kinds, summary.fault_errors) == (("lost_ack", "duplicate"), ("lost_ack",))
