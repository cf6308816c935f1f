"""What a call under a fault leaves in the books and in the trace, and what the agent gets back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company_desk import failing, work
from company_lab.agents.protocol import Session, Task, ToolError
from company_lab.formats.canonical import canonical
from company_lab.scenarios.fault_kinds import TOOL_FAULTS
from company_lab.traces import Trace
from depot import run, settled

Call = tuple[str, dict[str, Any]]
SHIP: Call = ("depot.ship", {"id": "P-1", "key": "k"})
GET: Call = ("depot.get", {"id": "P-1"})
SENT: Call = ("depot.find", {"status": "sent"})
WAITING: Call = ("depot.find", {"status": "waiting"})


def wait(duration: str) -> Call:
    return ("clock.wait", {"duration": duration})


def heard(calls: Sequence[Call], *faults: dict[str, Any], **keys: Any) -> tuple[list[Any], Trace]:
    """What an agent hears that makes these calls, and the trace."""
    answers: list[Any] = []

    def agent(task: Task, session: Session) -> str:
        for tool, args in calls:
            try:
                answers.append(session.call(tool, **args))
            except ToolError as error:
                answers.append((error.code, error.reason, str(error), error.detail))
        return "done"

    trace = run(agent, faults=list(faults), **keys)
    return answers, trace


def shipped(trace: Trace) -> int:
    return len(settled(trace)["ledgers"].get("carrier", ()))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("lost_request", "lost_ack"),
        ("rate_limited", "rate_limited_after"),
        ("server_error", "server_error_after"),
    ],
)
@pytest.mark.fault("D12")
def test_before_and_after_the_effect_look_alike_from_outside_and_differ_at_the_provider(
    before: str, after: str
) -> None:
    told, traces = zip(
        *(heard([SHIP], {"on": "depot.ship", "kind": kind}) for kind in (before, after)), strict=True
    )
    assert told[0] == told[1]
    assert settled(traces[0])["simulated_ms"] == settled(traces[1])["simulated_ms"]
    assert [shipped(trace) for trace in traces] == [0, 1]
    outcomes = [next(iter(trace.by_kind("result"))) for trace in traces]
    assert [one["outcome"] for one in outcomes] == ["failed", "executed"]
    assert {canonical(one["error"]) for one in outcomes} == {canonical(outcomes[0]["error"])}


@pytest.mark.parametrize("kind", ["lost_ack", "rate_limited_after", "server_error_after"])
@pytest.mark.fault("B15")
def test_after_an_effect_without_an_answer_only_the_same_key_does_it_once(kind: str) -> None:
    other: Call = ("depot.ship", {"id": "P-1", "key": "another"})
    fault = {"on": "depot.ship", "kind": kind}
    assert shipped(heard([SHIP, SHIP], fault)[1]) == 1
    assert shipped(heard([SHIP, other], fault)[1]) == 2


def test_a_late_answer_takes_as_long_as_it_says() -> None:
    answers, trace = heard([SHIP], {"on": "depot.ship", "kind": "late_answer", "by": "3h"})
    assert answers == [{"id": "P-1", "status": "done", "again": False}]
    assert settled(trace)["simulated_ms"] == 3 * 3_600_000


def test_a_malformed_answer_is_half_a_text_and_the_trace_knows_both() -> None:
    (answer,), trace = heard([GET], {"on": "depot.get", "kind": "malformed_result"})
    (result,) = trace.by_kind("result")
    whole = canonical(result["value"])
    assert answer == result["received"] == whole[: len(whole) // 2]
    assert (result["outcome"], result["delivery"], result["error"]) == ("executed", "malformed", None)


def test_a_partial_answer_lacks_its_later_half() -> None:
    (whole,), _ = heard([WAITING])
    (part,), trace = heard([WAITING], {"on": "depot.find", "kind": "partial_result"})
    assert (whole, part) == (["P-1", "P-2"], ["P-1"])
    (result,) = trace.by_kind("result")
    assert (result["value"], result["received"], result["delivery"]) == (whole, part, "partial")


def test_an_answer_without_parts_can_not_arrive_in_part() -> None:
    calls: list[Call] = [("depot.remove", {"id": "P-1"})]
    _, trace = heard(calls, {"on": "depot.remove", "kind": "partial_result"})
    assert settled(trace)["faults"] == [{"index": 0, "fired": True, "changed": False}]
    assert "received" not in next(iter(trace.by_kind("result")))


def test_a_stale_read_answers_from_before_the_last_change_that_it_would_show() -> None:
    note: Call = ("depot.note", {"id": "P-2", "text": "fragile"})
    stale = {"on": "depot.find", "kind": "stale_read"}
    answers, trace = heard([SHIP, note, SENT, SENT], stale)
    assert answers[2:] == [[], ["P-1"]]
    fault = next(iter(trace.by_kind("fault")))
    (shipping,) = trace.by_kind("effect")
    assert (fault["call"], fault["as_of"]) == ("c3", shipping["at"])


def test_a_stale_read_does_not_find_what_was_just_made() -> None:
    calls: list[Call] = [
        ("depot.add", {"receiver": "new@holm.example.test", "weight": 1}),
        ("depot.get", {"id": "parcel_1"}),
        ("depot.get", {"id": "parcel_1"}),
    ]
    answers, _ = heard(calls, {"on": "depot.get", "kind": "stale_read"})
    assert answers[1][:2] == ("failed", "not_found")
    assert answers[2]["receiver"] == "new@holm.example.test"


def test_a_stale_read_can_say_how_old_it_is() -> None:
    calls = [SHIP, wait("1h"), ("depot.note", {"id": "P-1", "text": "gone"}), wait("1m"), GET]
    recent, _ = heard(calls, {"on": "depot.get", "kind": "stale_read", "by": "30m"})
    older, _ = heard(calls, {"on": "depot.get", "kind": "stale_read", "by": "2h"})
    assert (recent[-1]["status"], "note" in recent[-1]) == ("sent", False)
    assert older[-1]["status"] == "waiting"
    none, trace = heard(calls, {"on": "depot.get", "kind": "stale_read", "by": "10s"})
    assert none[-1]["note"] == "gone"
    assert not settled(trace)["faults"][0]["changed"]


def test_a_stale_read_leaves_records_and_clock_alone() -> None:
    plain, stale = (
        heard([SHIP, SENT, SENT], *faults)[1]
        for faults in ((), ({"on": "depot.find", "kind": "stale_read"},))
    )
    for name in ("changes", "ledgers", "writers", "simulated_ms"):
        assert settled(plain)[name] == settled(stale)[name]


def test_a_change_by_somebody_else_comes_before_the_guard_and_is_nobodys_in_the_episode() -> None:
    fault = {"on": "depot.ship", "kind": "foreign_change", "change": {"parcels": {"P-1": {"status": "lost"}}}}
    answers, trace = heard([GET, SHIP, GET], fault)
    assert [answers[0]["status"], answers[1][:2], answers[2]["status"]] == [
        "waiting",
        ("refused", "lost"),
        "lost",
    ]
    (record,) = trace.by_kind("fault")
    assert (record["call"], record["changes"]) == (
        "c2",
        [{"table": "parcels", "id": "P-1", "op": "update", "fields": {"status": ["waiting", "lost"]}}],
    )
    assert settled(trace)["writers"] == {"parcels/P-1/status": ["someone else"]}
    assert [result["changes"] for result in trace.by_kind("result")] == [[], [], []]


def test_an_outage_lasts_as_long_as_it_says_and_moves_no_clock() -> None:
    fault = {"on": "depot.ship", "kind": "outage", "by": "2h"}
    calls = [SHIP, ("depot.ship", {"id": "P-2"}), GET, wait("1h"), SHIP, wait("1h"), SHIP]
    answers, trace = heard(calls, fault)
    assert [answers[at][1] for at in (0, 4)] == ["unavailable", "unavailable"]
    assert answers[1][0] == "held"  # what the guard holds never reaches the tool
    assert (answers[2]["status"], answers[6]["status"]) == ("waiting", "done")
    assert shipped(trace) == 1
    assert settled(trace)["simulated_ms"] == 2 * 3_600_000 + 5 * 1000
    assert [record["call"] for record in trace.by_kind("fault")] == ["c1", "c5"]


def test_a_provider_that_is_down_stops_every_tool_that_needs_it_and_no_other() -> None:
    tell: Call = ("depot.tell", {"id": "P-1", "text": "on its way"})
    fault = {"on": "carrier", "kind": "outage", "attempt": 2, "by": "1d"}
    answers, trace = heard([SHIP, tell, GET, tell, wait("1d"), tell], fault)
    assert answers[0]["status"] == "done"
    assert [answers[at][:2] for at in (1, 3)] == [("failed", "unavailable")] * 2
    assert (answers[2]["status"], answers[5]) == ("sent", {"to": "ida@holm.example.test"})
    assert shipped(trace) == 2
    assert {record["provider"] for record in trace.by_kind("fault")} == {"carrier"}


@pytest.mark.parametrize(("outage", "times"), [("23h", 1), ("25h", 2)])
def test_a_key_is_forgotten_where_an_outage_is_longer_than_its_retention(outage: str, times: int) -> None:
    faults: list[dict[str, Any]] = [
        {"on": "depot.ship", "kind": "lost_ack"},
        {"on": "depot.ship", "kind": "outage", "attempt": 2, "by": outage},
    ]
    answers, trace = heard([SHIP, SHIP, wait(outage), SHIP], *faults)
    assert [answers[0][0], answers[1][1]] == ["timed_out", "unavailable"]
    assert (shipped(trace), answers[3]["again"]) == (times, times == 1)


def test_a_key_with_other_arguments_is_refused_by_the_provider_while_it_remembers() -> None:
    def do(session: Session) -> None:
        session.call("payments.refund", charge="ch_1", amount_minor=1000, key="k")
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=1500, key="k").reason

    charge = {"charges": {"ch_1": {"captured_minor": 20000, "refunded_minor": 0, "currency": "EUR"}}}
    assert len(work(do, tables=charge).ledger("payments")) == 1


def test_what_was_never_tried_leaves_no_key_behind() -> None:
    other: Call = ("depot.ship", {"id": "P-9", "key": "k"})
    answers, trace = heard([other, SHIP])
    assert (answers[0][1], answers[1]["status"], shipped(trace)) == ("not_found", "done", 1)


def refunding(**approval: Any) -> dict[str, Any]:
    return {
        "charges": {"ch_1": {"captured_minor": 20000, "refunded_minor": 0, "currency": "EUR"}},
        "approvals": {
            "AP-1": {
                "tool": "payments.refund",
                "args": {"charge": "ch_1", "amount_minor": 8000},
                "status": "approved",
                **approval,
            }
        },
    }


@pytest.mark.fault("C24")
def test_an_approval_that_ran_out_before_the_call_does_not_cover_it() -> None:
    fault = {"on": "payments.refund", "kind": "approval_expires"}

    def do(session: Session) -> None:
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=8000).code == "held"

    left = work(do, tables=refunding(expires="2026-03-02T11:00:00+01:00"), faults=[fault])
    assert not left.ledger("payments")
    assert left.settled["faults"] == [{"index": 0, "fired": True, "changed": True}]
    assert left.settled["simulated_ms"] == 2 * 3_600_000 + 1000


@pytest.mark.parametrize(("bounds", "refunds"), [({}, 1), ({"expires": "2026-03-02T08:59:59+01:00"}, 0)])
def test_an_approval_that_does_not_run_out_or_has_run_out_can_not_expire(
    bounds: dict[str, Any], refunds: int
) -> None:
    def do(session: Session) -> None:
        with suppress(ToolError):
            session.call("payments.refund", charge="ch_1", amount_minor=8000)

    fault = {"on": "payments.refund", "kind": "approval_expires"}
    left = work(do, tables=refunding(**bounds), faults=[fault])
    assert left.settled["faults"] == [{"index": 0, "fired": False, "changed": False}]
    assert len(left.ledger("payments")) == refunds


def test_an_approval_expires_at_the_first_call_that_would_use_it() -> None:
    def do(session: Session) -> None:
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=9000).code == "held"
        assert failing(session, "payments.refund", charge="ch_1", amount_minor=8000).code == "held"

    fault = {"on": "payments.refund", "kind": "approval_expires"}
    left = work(do, tables=refunding(expires="2026-03-02T11:00:00+01:00"), faults=[fault])
    (record,) = left.episode.trace.by_kind("fault")
    assert record["call"] == "c2"


@pytest.mark.fault("B17")
def test_a_lease_that_ran_out_before_the_call_carries_no_effect() -> None:
    tables: dict[str, Any] = {
        "contacts": {"C-1": {"name": "Ida Holm"}},
        "leases": {"run-1": {"holder": "worker-a", "token": 11, "expires": "2026-03-02T09:10:00+01:00"}},
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
    }
    charge = {"invoice": "I-1", "amount_minor": 6000, "currency": "EUR"}

    def do(session: Session) -> None:
        late = failing(session, "payments.charge", **charge, lease="run-1", token=11)
        assert late.reason == "lease_expired"
        token = session.call("leases.acquire", id="run-1", holder="worker-a")["token"]
        session.call("payments.charge", **charge, lease="run-1", token=token)

    left = work(do, tables=tables, faults=[{"on": "payments.charge", "kind": "lease_expires"}])
    assert len(left.ledger("payments")) == 1
    assert left.settled["faults"] == [{"index": 0, "fired": True, "changed": True}]


def test_faults_of_one_call_happen_together() -> None:
    faults: list[dict[str, Any]] = [
        {"on": "depot.ship", "kind": "foreign_change", "change": {"parcels": {"P-1": {"weight": 7}}}},
        {"on": "depot.ship", "kind": "lost_ack"},
    ]
    answers, trace = heard([SHIP], *faults)
    assert answers[0][0] == "timed_out"
    assert settled(trace)["ledgers"]["carrier"][0]["payload"]["weight"] == 7
    assert [(state["fired"], state["changed"]) for state in settled(trace)["faults"]] == [(True, True)] * 2


FAULTS = st.lists(
    st.builds(
        lambda kind, on, occurrence, attempt: {
            "kind": kind,
            "on": on,
            "occurrence": occurrence,
            "attempt": attempt,
            **({"by": "2h"} if kind == "outage" else {}),
            **({"change": {"parcels": {"P-1": {"weight": 9}}}} if kind == "foreign_change" else {}),
        },
        st.sampled_from(sorted(TOOL_FAULTS - {"crash", "approval_expires", "lease_expires"})),
        st.sampled_from(["depot.ship", "depot.get", "depot.find", "depot.note"]),
        st.integers(1, 2),
        st.integers(1, 3),
    ),
    max_size=4,
)
CALLS = st.lists(
    st.sampled_from([SHIP, GET, SENT, WAITING, wait("1h"), ("depot.note", {"id": "P-1", "text": "x"})]),
    max_size=6,  # one more of the same call would reach the limit of repeats
)


@settings(max_examples=150, deadline=None)
@given(calls=CALLS, faults=FAULTS)
def test_under_any_faults_the_same_calls_leave_the_same_bytes_and_the_books_add_up(
    calls: list[Call], faults: list[dict[str, Any]]
) -> None:
    answers, trace = heard(calls, *faults)
    again, twice = heard(calls, *faults)
    assert (answers, trace.bytes()) == (again, twice.bytes())
    # every change is somebody's, and every effect in the ledger is in the trace
    written = [change for record in trace.records[:-1] for change in record.get("changes", ())]
    authors = sum(map(len, settled(trace)["writers"].values()))
    assert authors == sum(len(change["fields"]) for change in written)
    assert shipped(trace) == sum(not record["replayed"] for record in trace.by_kind("effect"))
    fired = {record["fault"] for record in trace.by_kind("fault")}
    assert fired == {state["index"] for state in settled(trace)["faults"] if state["fired"]}
    answered = [record["delivery"] for record in trace.by_kind("result")]
    assert len(answered) == len(calls) == len(answers)
