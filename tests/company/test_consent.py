from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session

SINCE = "2026-02-01T12:00:00+01:00"


def contact(marketing: str = "opted_out", since: str | None = SINCE) -> dict[str, Any]:
    word = {"marketing": marketing} | ({} if since is None else {"marketing_since": since})
    return {"contacts": {"C-1": {"name": "Pia", "email": "pia@example.test", **word}}}


@pytest.mark.parametrize(
    ("said", "goes"),
    [
        ("2026-02-01T12:00:01+01:00", True),
        ("2026-02-01T12:00:00+01:00", False),
        ("2026-02-01T11:59:00Z", True),
        ("2026-02-01T10:59:00Z", False),
    ],
)
def test_a_yes_counts_only_from_after_the_no(said: str, goes: bool) -> None:
    def do(session: Session) -> None:
        args = {"id": "C-1", "marketing": "opted_in", "source": "card", "at": said}
        if goes:
            session.call("crm.record_consent", **args)
        else:
            assert failing(session, "crm.record_consent", **args).reason == "newer_consent"

    record = work(do, tables=contact()).record("contacts", "C-1")
    assert record is not None
    expected = ("opted_in", said, "card") if goes else ("opted_out", SINCE, None)
    assert (record["marketing"], record["marketing_since"], record.get("marketing_source")) == expected


def test_nobody_has_said_anything_at_a_moment_that_lies_ahead() -> None:
    def do(session: Session) -> None:
        args = {"id": "C-1", "marketing": "opted_in", "source": "card"}
        error = failing(session, "crm.record_consent", **args, at="2026-03-02T09:00:01+01:00")
        assert error.reason == "moment_ahead"

    assert not work(do, tables=contact()).changed


@pytest.mark.parametrize("at", [None, "2026-02-14T12:00:00+01:00"])
def test_a_yes_does_not_undo_a_no_of_which_nobody_knows_the_day(at: str | None) -> None:
    def do(session: Session) -> None:
        args = {"id": "C-1", "marketing": "opted_in", "source": "card"}
        if at is None:
            session.call("crm.record_consent", **args)
        else:
            assert failing(session, "crm.record_consent", **args, at=at).reason == "newer_consent"

    assert bool(work(do, tables=contact(since=None)).changed) == (at is None)


def test_a_no_is_recorded_whenever_it_was_said() -> None:
    def do(session: Session) -> None:
        session.call(
            "crm.record_consent", id="C-1", marketing="opted_out", source="letter", at="2025-01-01T00:00:00Z"
        )

    record = work(do, tables=contact("opted_in")).record("contacts", "C-1")
    assert record is not None
    assert record["marketing"] == "opted_out"


def test_consent_needs_a_source_and_a_real_moment() -> None:
    def do(session: Session) -> None:
        assert failing(session, "crm.record_consent", id="C-1", marketing="opted_in").code == "bad_arguments"
        error = failing(
            session,
            "crm.record_consent",
            id="C-1",
            marketing="opted_in",
            source="x",
            at="2026-02-01T12:00:00",
        )
        assert error.code == "bad_arguments"

    assert not work(do, tables=contact()).changed


def clicked(marketing: str, at: str | None = None) -> dict[str, Any]:
    data = {"contact": "C-1", "marketing": marketing} | ({} if at is None else {"at": at})
    return {"at": "+0s", "id": f"e_{marketing}_{at}", "type": "consent.given", "data": data}


@pytest.mark.parametrize(
    ("event", "marketing"),
    [
        (clicked("opted_in"), "opted_in"),
        (clicked("opted_in", "2026-01-31T12:00:00+01:00"), "opted_out"),
        (clicked("opted_in", SINCE), "opted_out"),
    ],
)
def test_a_click_that_comes_late_undoes_nothing_newer(event: dict[str, Any], marketing: str) -> None:
    record = work(lambda session: None, tables=contact(), events=[event]).record("contacts", "C-1")
    assert record is not None
    assert record["marketing"] == marketing


def test_a_first_click_is_written_down_with_moment_and_source() -> None:
    left = work(
        lambda session: None, tables={"contacts": {"C-1": {"name": "Pia"}}}, events=[clicked("opted_out")]
    )
    record = left.record("contacts", "C-1")
    assert record is not None
    assert record["marketing_since"].startswith("2026-03-02T09:00:00")
    assert record["marketing_source"] == "link in a mail"
    assert left.facts()["unsubscribed"] == {"C-1": True}
