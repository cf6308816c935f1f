from __future__ import annotations

from typing import Any

import pytest

from company_desk import work
from company_lab.agents.protocol import Session

ADA, BRUNO = "ada@lorenz.example.test", "bruno@keil.example.test"


def desk(**bruno: Any) -> dict[str, Any]:
    owed = {
        "total_minor": 12000,
        "received_minor": 0,
        "currency": "EUR",
        "status": "open",
        "due": "2026-02-20",
    }
    return {
        "contacts": {"C-1": {"name": "Ada", "email": ADA}, "C-2": {"name": "Bruno", "email": BRUNO}},
        "invoices": {"I-1": owed | {"contact": "C-1"}, "I-2": owed | {"contact": "C-2"} | bruno},
    }


@pytest.mark.parametrize(
    ("bruno", "written_to", "everybody"),
    [
        ({}, [(ADA, "reminder"), (BRUNO.upper(), "reminder")], True),
        ({}, [(ADA, "reminder")], False),
        ({}, [(ADA, "reminder"), (BRUNO, "transactional")], False),
        ({"received_minor": 12000, "status": "paid"}, [(ADA, "reminder")], True),
        ({"due": "2026-03-02"}, [(ADA, "reminder")], True),
        ({"due": "02.02.2026"}, [(ADA, "reminder")], True),
    ],
)
def test_all_reminders_are_out_when_nobody_who_is_overdue_was_left_out(
    bruno: dict[str, Any], written_to: list[tuple[str, str]], everybody: bool
) -> None:
    def do(session: Session) -> None:
        for to, kind in written_to:
            session.call("email.send", to=to, kind=kind, text="120.00 EUR are open.")

    assert work(do, tables=desk(**bruno)).facts()["everybody_reminded"] is everybody


@pytest.mark.parametrize(
    ("zone", "due", "everybody"),
    [
        ("America/Los_Angeles", "2026-03-01", True),
        ("America/Los_Angeles", "2026-02-28", False),
        ("Europe/Berlin", "2026-03-01", False),
    ],
)
def test_whose_day_is_not_over_is_not_overdue(zone: str, due: str, everybody: bool) -> None:
    tables = desk(due=due)
    tables["contacts"]["C-2"]["zone"] = zone
    left = work(
        lambda session: session.call("email.send", to=ADA, kind="reminder", text="120.00 EUR are open."),
        tables=tables,
        clock="2026-03-02T08:00:00+01:00",
    )
    assert left.facts()["everybody_reminded"] is everybody
