from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def job(at: str = "02:30", zone: str = "Europe/Berlin", **more: Any) -> dict[str, Any]:
    return {"jobs": {"J-1": {"name": "Reminders", "at": at, "zone": zone}}} | more


@pytest.mark.fault("B23")
@pytest.mark.parametrize(
    ("clock", "zone", "at"),
    [
        ("2026-10-24T00:00:00+02:00", "Europe/Berlin", "02:30"),
        ("2026-03-28T00:00:00+01:00", "Europe/Berlin", "02:30"),
        ("2026-03-07T00:00:00-05:00", "America/New_York", "02:15"),
        ("2026-10-31T00:00:00-04:00", "America/New_York", "01:30"),
        ("2026-03-30T00:00:00+02:00", "Europe/Berlin", "23:20"),
        ("2026-02-27T00:00:00+00:00", "Pacific/Auckland", "00:00"),
    ],
)
def test_a_daily_job_runs_once_for_each_day_whatever_the_clock_does(clock: str, zone: str, at: str) -> None:
    runs: list[str] = []

    def do(session: Session) -> None:
        for _ in range(2 * 24 * 4):
            waiting = session.call("jobs.due")["items"]
            if waiting:
                runs.append(session.call("jobs.run", job="J-1")["day"])
            else:
                assert failing(session, "jobs.run", job="J-1").reason in ("already_run", "not_due")
            session.call("clock.wait", duration="30m")

    work(do, tables=job(at, zone), clock=clock, limits={"calls": 1_000, "repeats": 1_000})
    assert len(runs) >= 4
    assert set(Counter(runs).values()) == {1}
    assert runs == sorted(runs)


@pytest.mark.fault("B23")
def test_nothing_falls_due_after_the_work_has_ended() -> None:
    left = work(
        lambda session: session.call("jobs.due"), tables=job("09:30"), clock="2026-03-31T09:00:00+02:00"
    )
    assert not left.changed


def test_a_job_is_due_at_its_minute_and_not_before() -> None:
    def do(session: Session) -> None:
        assert session.call("jobs.due")["items"] == []
        assert failing(session, "jobs.run", job="J-1").reason == "not_due"
        session.call("clock.wait", duration="1m")
        assert [one["id"] for one in session.call("jobs.due")["items"]] == ["J-1"]
        session.call("jobs.run", job="J-1")
        assert failing(session, "jobs.run", job="J-1").reason == "already_run"
        assert [one["day"] for one in session.call("jobs.list_runs", job="J-1")["items"]] == ["2026-03-02"]

    work(do, tables=job("10:00"), clock="2026-03-02T09:59:00+01:00")


def test_the_day_is_that_of_the_place_where_the_job_is_kept() -> None:
    def do(session: Session) -> None:
        assert session.call("jobs.run", job="J-1")["day"] == "2026-03-31"

    work(do, tables=job("20:00", "America/Los_Angeles"), clock="2026-04-01T08:00:00+02:00")


def test_a_zone_that_nobody_knows_is_the_zone_of_the_company() -> None:
    def do(session: Session) -> None:
        assert session.call("jobs.run", job="J-1")["day"] == "2026-03-02"

    work(do, tables=job("08:00", "Mars/Base"), clock="2026-03-02T09:00:00+01:00")


def test_who_may_not_run_jobs_looks_only() -> None:
    def do(session: Session) -> None:
        assert session.call("jobs.due")["items"]
        assert failing(session, "jobs.run", job="J-1").reason == "permission"

    work(do, tables=job("08:00"), permissions=("crm.read",))


@pytest.mark.fault("B23")
@pytest.mark.parametrize(
    ("clock", "due"),
    [
        ("2026-03-29T01:59:00+01:00", False),
        ("2026-03-29T03:00:00+02:00", True),
        ("2026-10-25T02:29:00+02:00", False),
        ("2026-10-25T02:30:00+02:00", True),
        ("2026-10-25T02:10:00+01:00", True),
    ],
)
def test_a_time_that_is_left_out_has_come_when_the_clock_is_past_it(clock: str, due: bool) -> None:
    def do(session: Session) -> None:
        assert bool(session.call("jobs.due")["items"]) is due

    work(do, tables=job("02:30"), clock=clock)
