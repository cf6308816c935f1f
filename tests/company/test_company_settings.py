from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

TABLES: dict[str, Any] = {
    "contacts": {"C-1": {"name": "Ida Holm"}},
    "cases": {
        "K-1": {"contact": "C-1", "subject": "x", "status": "closed", "closed": "2026-02-10T09:00:00+01:00"},
    },
    "settings": {
        "cases.reopen_days": {"value": 14, "guarded": True, "version": 5},
        "greeting": {"value": "Hello"},
    },
}
PEOPLE = {"lead": {"approves": ("settings.set",)}, "front": {}}


def test_settings_are_listed_and_read() -> None:
    def do(session: Session) -> None:
        assert session.call("settings.contents")["items"][1] == {"id": "greeting", "value": "Hello"}
        assert session.call("settings.get", id="cases.reopen_days")["version"] == 5

    assert not work(do, tables=TABLES).changed


@pytest.mark.parametrize(("sender", "goes"), [("lead", True), ("front", False), (None, False)])
def test_a_guarded_setting_waits_for_somebody_who_may(sender: str | None, goes: bool) -> None:
    def do(session: Session) -> None:
        session.call("settings.set", id="greeting", value="Good morning")
        session.call("settings.set", id="cases.reopen_days", value=14)
        if goes:
            session.call("settings.set", id="cases.reopen_days", value=30)
        else:
            assert (
                failing(session, "settings.set", id="cases.reopen_days", value=30).reason == "guarded_setting"
            )

    record = work(do, tables=TABLES, people=PEOPLE, sender=sender).record("settings", "cases.reopen_days")
    assert record is not None
    assert record["value"] == (30 if goes else 14)


def test_an_approval_is_for_one_value_of_one_version() -> None:
    def approved(**fields: Any) -> dict[str, Any]:
        args = {"id": "cases.reopen_days", "value": 30}
        return TABLES | {
            "approvals": {"AP-1": {"tool": "settings.set", "args": args, "status": "approved"} | fields}
        }

    def goes(session: Session) -> None:
        session.call("settings.set", id="cases.reopen_days", value=30, note="agreed")

    def waits(session: Session) -> None:
        for value in (30, 365):
            assert failing(session, "settings.set", id="cases.reopen_days", value=value).code == "held"

    assert work(goes, tables=approved(version=5)).changed >= {"settings/cases.reopen_days"}
    assert work(waits, tables=approved(version=4)).changed == {"approvals/approval_1", "approvals/approval_2"}


def test_the_window_in_which_cases_reopen_is_the_companys_own() -> None:
    def late(session: Session) -> None:
        assert failing(session, "cases.reopen", id="K-1").reason == "reopen_window_over"

    assert not work(late, tables=TABLES).changed
    tables = TABLES | {"settings": {"cases.reopen_days": {"value": 20}}}
    assert work(lambda session: session.call("cases.reopen", id="K-1"), tables=tables).changed == {
        "cases/K-1"
    }


@pytest.mark.parametrize(("value", "goes"), [("30", False), (True, False), (30, True), (2**62, True)])
def test_a_value_keeps_its_type_and_no_number_stops_the_company(value: object, goes: bool) -> None:
    def do(session: Session) -> None:
        if goes:
            session.call("settings.set", id="cases.reopen_days", value=value)
            assert session.call("cases.reopen", id="K-1")["status"] == "open"
        else:
            error = failing(session, "settings.set", id="cases.reopen_days", value=value)
            assert error.reason == "other_type"

    work(do, tables=TABLES, people=PEOPLE, sender="lead")
