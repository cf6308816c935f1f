from __future__ import annotations

import pytest

from company_lab.evaluation import Failure, Note, Verdict
from company_lab.reports.console import to_text
from company_lab.reports.timeline import render
from company_lab.traces.record import Trace
from recorded_episode import at, failed_verdict, passed_verdict, wrong_posting


def shown(trace: Trace, verdict: Verdict | None, width: int = 100) -> str:
    return to_text(render(None, None, trace, verdict), width=width)


def line_with(text: str, part: str) -> int:
    return next(number for number, line in enumerate(text.splitlines()) if part in line)


def test_the_first_line_says_what_it_is_evidence_of_and_the_second_the_outcome() -> None:
    lines = shown(wrong_posting(), failed_verdict()).splitlines()
    assert lines[0].startswith("Deterministic simulation; one episode")
    assert lines[1] == "partial_payment_is_not_settlement, trial 2: FAILED"


def test_a_broken_expectation_stands_under_the_event_that_broke_it() -> None:
    text = shown(wrong_posting(), failed_verdict())
    attempt = line_with(text, "attempts invoices.mark_paid")
    broken = line_with(text, "BROKEN: forbidden_action (critical, other)")
    following = line_with(text, "attempts email.send")
    assert attempt < broken < following


def test_what_never_happened_stands_at_the_end() -> None:
    text = shown(wrong_posting(), failed_verdict())
    assert line_with(text, "BROKEN: missing_action") > line_with(text, "What never happened")
    assert line_with(text, "What never happened") > line_with(text, "stopped: finished")
    assert "Why it passed" not in text


def test_a_failure_with_several_records_stands_under_the_last_moment_among_them() -> None:
    trace = wrong_posting()
    settled = len(trace) - 1
    failure = Failure(
        code="action_count", severity="major", check="x", message="twice", evidence=(4, 10, settled)
    )
    text = shown(trace, Verdict(outcome="failed", failures=(failure,)))
    assert line_with(text, "attempts email.send") < line_with(text, "BROKEN: action_count")
    assert line_with(text, "BROKEN: action_count") < line_with(text, "attempts payments.refund")


def test_an_episode_that_passed_says_why_each_expectation_holds() -> None:
    text = shown(wrong_posting(), passed_verdict())
    assert "PASSED" in text
    assert "✓ expected.actions[1]: email.send was executed once [c3 at 08:00:03]" in text
    assert "✓ expected.forbidden[1]: orders.release was never attempted" in text
    assert "BROKEN" not in text


def test_amounts_are_money_and_changes_show_before_and_after() -> None:
    text = shown(wrong_posting(), None, 120)
    assert (
        "invoices I-400: status open → paid, received 5,000.00 EUR (500000) → 9,000.00 EUR (900000)" in text
    )
    assert "amount 100 JPY (100)" in text
    assert "not judged" in text


def test_mails_and_replies_are_quoted_and_refusals_give_their_reason() -> None:
    text = shown(wrong_posting(), None)
    assert "│ We received 5,000.00 EUR; 4,000.00 EUR remain open." in text
    assert "│ 4,000.00 EUR remain open." in text
    assert "guard: denied, reason permission" in text
    assert "refused, nothing was done: the role lacks payments.refund" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_quotes_keep_their_mark(width: int) -> None:
    trace = Trace([wrong_posting().records[0]])
    trace.add("reply", at(1), turn=1, to="finance_lead", text="word " * 60 + "x" * 200, facts={})
    lines = shown(trace, failed_verdict(), width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.lstrip().startswith("│ ") for line in lines) >= 500 // width


def test_hostile_text_is_spelled_out_wherever_it_stands() -> None:
    hostile = "FAIL\x1b[2K\x1b[1G PASS \u202e00.08\u202c\x07"
    trace = Trace(
        [{**wrong_posting().records[0], "scenario": hostile, "agent": {"name": hostile, "kind": hostile}}]
    )
    trace.add("turn", at(0), turn=1, because="stimulus", sender=hostile, message=hostile)
    trace.add("event", at(0), id=hostile, type=hostile, data={hostile: hostile}, delivery=1, visible=True)
    trace.add("observation", at(0), turn=1, events=[{"id": hostile, "type": hostile}])
    trace.add("choice", at(0), request={}, answer=hostile, observation=3)
    trace.add(
        "action",
        at(0),
        call="c1",
        turn=1,
        tool=hostile,
        supplied=hostile,
        args=None,
        by="agent",
        hint=hostile,
    )
    trace.add(
        "action", at(0), call="c2", turn=1, tool=hostile, supplied={}, args={hostile: hostile, "l": [hostile]}
    )
    trace.add("guard", at(0), call="c2", decision=hostile, reason=hostile, rule=hostile)
    trace.add(
        "effect",
        at(0),
        call="c2",
        provider=hostile,
        op=hostile,
        payload={hostile: hostile},
        text={"to": hostile, "text": hostile},
    )
    change = {
        "table": hostile,
        "id": hostile,
        "tenant": hostile,
        "op": "update",
        "fields": {hostile: [hostile, None]},
    }
    error = {"code": hostile, "reason": hostile, "message": hostile}
    trace.add(
        "result",
        at(0),
        call="c2",
        outcome=hostile,
        delivery="delivered",
        value=hostile,
        error=error,
        changes=[change],
    )
    trace.add("approval", at(0), id=hostile, decision=hostile, by=hostile)
    trace.add("memory", at(0), value={"note": hostile})
    trace.add("novelty", at(0), note=hostile)
    trace.add("reply", at(0), turn=1, to=hostile, text=hostile, facts={})
    trace.add("stopped", hostile, reason=hostile, detail=hostile)
    failure = Failure(
        code="false_claim",
        severity="major",
        check=hostile,
        message=hostile,
        found=hostile,
        expected={hostile: hostile},
    )
    note = Note(check=hostile, message=hostile, evidence=(1, 999))
    verdict = Verdict(outcome="failed", failures=(failure,), unscored=(note,), invalid=(note,))
    text = shown(trace, verdict)
    assert all(
        ord(character) >= 0x20 and character not in "\x7f\u202e\u202c" for character in text.replace("\n", "")
    )
    assert "\\x1b[2K" in text
    assert "novelty" in text


def test_markup_of_the_printing_library_is_text_like_any_other() -> None:
    trace = Trace([wrong_posting().records[0]])
    trace.add("reply", at(1), turn=1, to=None, text="[bold red]PASSED[/] :smile: [link=x]y[/link]", facts={})
    assert "[bold red]PASSED[/] :smile: [link=x]y[/link]" in shown(trace, None)


def test_an_episode_without_an_end_says_that_it_is_incomplete() -> None:
    trace = Trace(wrong_posting().records[:5])
    assert "incomplete" in shown(trace, None)


def test_a_very_long_text_is_cut_at_a_character_and_says_so() -> None:
    trace = Trace([wrong_posting().records[0]])
    trace.add("reply", at(1), turn=1, to=None, text="é" * 1_000_000, facts={})
    text = shown(trace, None)
    assert len(text) < 10_000
    assert "more characters)" in text


def test_an_empty_reply_is_named() -> None:
    trace = Trace([wrong_posting().records[0]])
    trace.add("reply", at(1), turn=1, to="finance_lead", text=" \n", facts={})
    assert "the agent's reply to finance_lead is empty" in shown(trace, None)
