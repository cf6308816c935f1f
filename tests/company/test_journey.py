"""The journey: one customer through the whole company, stage by stage, and whatever is broken off on the way."""

from __future__ import annotations

from typing import Any

import pytest

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.company import SUITE, company
from company_lab.episodes import Episode, play
from company_lab.evaluation import Verdict, judge
from company_lab.formats.canonical import Json
from company_lab.reports.console import to_text
from company_lab.reports.timeline import render
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario
from company_lab.scenarios.suite import load_suite

FILE = SUITE / "journey.yaml"
(JOURNEY,) = load_suite(FILE, lambda name: company.spec).scenarios

STAGES = (
    "enquiry",
    "qualification",
    "edit",
    "approval",
    "budget",
    "order",
    "delivery",
    "not_yet",
    "invoice",
    "deposit",
    "again",
    "no_reminder",
    "last_payment",
    "complaint",
    "still",
)
"""The stages, one turn each, by the names of the anchors in the file."""

CHECKPOINTS: dict[str, dict[str, Any]] = {
    "enquiry": {"leads/L-41": {"status": "open"}},
    "qualification": {"leads/L-41": {"status": "qualified"}, "quotes/Q-77": {"version": 2}},
    "edit": {"quotes/Q-77": {"version": 3, "approved_version": 2, "status": "draft"}},
    "approval": {"quotes/Q-77": {"status": "sent", "sent_version": 3}},
    "budget": {"approvals/approval_3": {"tool": "ads.set_budget", "status": "requested"}},
    "order": {"leads/L-41": {"status": "won"}, "orders/O-520": {"status": "placed"}},
    "delivery": {"deliveries/delivery_1": {"quantity": 3}, "deliveries/delivery_2": {"quantity": 2}},
    "not_yet": {"orders/O-520": {"status": "placed"}},
    "invoice": {"invoices/invoice_1": {"total_minor": 498000, "received_minor": 0, "status": "open"}},
    "deposit": {"invoices/invoice_1": {"received_minor": 200000, "status": "partially_paid"}},
    "again": {"invoices/invoice_1": {"received_minor": 200000}, "orders/O-520": {"status": "delivered"}},
    "no_reminder": {"invoices/invoice_1": {"received_minor": 350000}},
    "last_payment": {"invoices/invoice_1": {"received_minor": 498000, "status": "paid"}},
    "complaint": {"cases/case_1": {"status": "open"}},
    "still": {"cases/case_1": {"status": "escalated"}},
}
"""What stands in the books when a stage is over."""


def judged(scenario: Scenario, agent: Agent) -> tuple[Episode, Verdict]:
    episode = play(company.prepare(scenario), agent)
    return episode, judge(scenario, company.spec, episode.trace, episode.timings)


def books_after_each_turn(episode: Episode) -> list[dict[str, dict[str, Any]]]:
    """Records by table/id, as they were whenever a turn was over."""
    books: dict[str, dict[str, Any]] = {
        f"{table}/{id}": dict(record)
        for table, records in JOURNEY.initial.tables.items()
        for id, record in records.items()
    }
    seen = []
    for record in episode.trace.records:
        for change in record.get("changes") or () if record["kind"] != "settled" else ():
            fields = books.setdefault(f"{change['table']}/{change['id']}", {})
            fields |= {name: after for name, (_, after) in change["fields"].items()}
        if record["kind"] == "reply":
            seen.append({name: dict(fields) for name, fields in books.items()})
    return seen


def test_every_stage_leaves_the_books_as_they_must_be() -> None:
    episode, verdict = judged(JOURNEY, reference(JOURNEY))
    assert verdict.outcome == "passed"
    seen = books_after_each_turn(episode)
    assert len(seen) == len(STAGES) == len(CHECKPOINTS)
    for stage, books in zip(STAGES, seen, strict=True):
        for name, expected in CHECKPOINTS[stage].items():
            found = {field: books[name].get(field) for field in expected}
            assert found == expected, (stage, name)


def test_it_leads_through_at_least_six_departments() -> None:
    tools = {step.tool for turn in JOURNEY.reference for step in turn.do}
    departments = {company.spec.tools[tool].department for tool in tools}
    assert len(departments) >= 6
    writing = {company.spec.tools[tool].department for tool in tools if company.spec.tools[tool].writes}
    assert len(writing) >= 6


def test_the_file_names_its_stages() -> None:
    text = FILE.read_text("utf-8")
    assert [stage for stage in STAGES if f"  - &{stage}\n" not in text] == []


@pytest.mark.parametrize("id", [conduct.id for conduct in JOURNEY.wrong])
def test_every_wrong_way_is_noticed_where_it_leaves_the_right_one(id: str) -> None:
    _, verdict = judged(JOURNEY, wrong(JOURNEY, id))
    (declared,) = (conduct.codes for conduct in JOURNEY.wrong if conduct.id == id)
    assert verdict.outcome == "failed"
    assert set(declared) <= set(verdict.codes)


def patient(scenario: Scenario) -> Agent:
    """The reference, trying once more what failed."""
    turns = scenario.reference

    def act(task: Task, session: Session) -> str:
        for step in turns[task.turn - 1].do:
            for attempt in range(2):
                try:
                    session.attempt(step.tool, step.args)
                except ToolError as error:
                    if error.code == "failed" and attempt == 0:
                        continue
                break
        return turns[task.turn - 1].reply or ""

    return Agent(name="patient", kind="conduct", act=act)


AGAIN: dict[str, Json] = {"on": "evt_pay_1", "kind": "duplicate", "by": "+2h"}
"""The fault that is part of the story."""
WRITING = sorted(
    {step.tool for turn in JOURNEY.reference for step in turn.do if company.spec.tools[step.tool].writes}
)


@pytest.mark.parametrize("tool", WRITING)
def test_it_can_stumble_at_every_action_and_be_gone_on_with(tool: str) -> None:
    stumbling = load_document(
        {**JOURNEY.document, "faults": [AGAIN, {"on": tool, "kind": "error", "error": "unavailable"}]},
        worlds=lambda name: company.spec,
    )
    episode, verdict = judged(stumbling, patient(stumbling))
    assert len(list(episode.trace.by_kind("fault"))) == 2
    assert verdict.outcome == "passed", [failure.message for failure in verdict.failures]


def test_its_report_reads_as_a_story() -> None:
    episode, verdict = judged(JOURNEY, reference(JOURNEY))
    told = " ".join(to_text(render(JOURNEY, company.spec, episode.trace, verdict)).replace("│", "").split())
    story = [
        "Monday, 02 March 2026",
        "I filled in your form an hour ago",
        "guard: needs approval, reason quote_changed",
        "Turn 5: ads answers",
        "received 0.00 EUR (0) → 2,000.00 EUR (200000)",
        "event evt_pay_1 arrives: payment.succeeded, delivery 2",
        "No reminder for O-520",
        "status partially_paid → paid",
        "Still two greens!",
        "status open → escalated",
        "Why it passed",
    ]
    places = [told.find(line) for line in story]
    assert -1 not in places, story[places.index(-1)]
    assert places == sorted(places)


def test_its_report_says_nothing_twice_in_a_row() -> None:
    episode, verdict = judged(JOURNEY, reference(JOURNEY))
    told = to_text(render(JOURNEY, company.spec, episode.trace, verdict), width=400)
    on_the_way, _, _ = told.partition("the books in the end")
    assert on_the_way.count("Do you do that?") == 2  # as it comes, and as the agent reads it
    assert (
        on_the_way.count("How many walls shall it be") == 3
    )  # as it is sent, and in two lists of what was sent
    assert told.count("Read one received mail.") == 1
    assert "guard: allowed" not in told
