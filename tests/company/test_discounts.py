from __future__ import annotations

from typing import Any

import pytest

from company_desk import failing, work
from company_lab.agents.protocol import Session


def quote(**fields: Any) -> dict[str, Any]:
    record = {
        "contact": "C-1",
        "version": 1,
        "approved_version": None,
        "total_minor": 100000,
        "currency": "EUR",
        "status": "draft",
    }
    return {"contacts": {"C-1": {"name": "Ida Holm"}}, "quotes": {"Q-1": record | fields}}


@pytest.mark.parametrize(
    ("args", "held"),
    [
        ({"total_minor": 90000, "discount_minor": 10000}, False),
        ({"total_minor": 89999, "discount_minor": 10001}, True),
        ({"total_minor": 90000}, False),
        ({"total_minor": 89999}, True),
        ({"total_minor": 120000}, False),
        ({"total_minor": 90000, "discount_minor": 30000}, True),
        ({"total_minor": 5000, "lines": [{"item": "flyer", "quantity": 1, "price_minor": 5000}]}, False),
        (
            {
                "total_minor": 4400,
                "discount_minor": 600,
                "lines": [{"item": "flyer", "quantity": 1, "price_minor": 5000}],
            },
            True,
        ),
    ],
)
def test_giving_away_more_than_a_tenth_waits_for_a_person(args: dict[str, Any], held: bool) -> None:
    def do(session: Session) -> None:
        if held:
            assert failing(session, "quotes.revise", id="Q-1", **args).reason == "above_discount_limit"
        else:
            session.call("quotes.revise", id="Q-1", **args)

    record = work(do, tables=quote()).record("quotes", "Q-1")
    assert record is not None
    assert record["version"] == (1 if held else 2)


def test_steps_do_not_add_up_to_more_than_the_limit() -> None:
    def do(session: Session) -> None:
        session.call("quotes.revise", id="Q-1", total_minor=95000, discount_minor=5000)
        session.call("quotes.revise", id="Q-1", total_minor=90000, discount_minor=10000)
        error = failing(session, "quotes.revise", id="Q-1", total_minor=85000, discount_minor=5000)
        assert error.reason == "above_discount_limit"

    def nameless(session: Session) -> None:
        session.call("quotes.revise", id="Q-1", total_minor=95000)
        session.call("quotes.revise", id="Q-1", total_minor=90000, lines=[{"item": "wall", "quantity": 1}])
        assert failing(session, "quotes.revise", id="Q-1", total_minor=89999).reason == "above_discount_limit"
        session.call("quotes.revise", id="Q-1", total_minor=110000)
        assert failing(session, "quotes.revise", id="Q-1", total_minor=98999).reason == "above_discount_limit"

    work(do, tables=quote())
    work(nameless, tables=quote())


def test_fewer_goods_at_their_price_are_no_discount() -> None:
    def do(session: Session) -> None:
        lines = [{"item": "wall", "quantity": 1, "price_minor": 50000}]
        session.call("quotes.revise", id="Q-1", total_minor=95000)
        shown = session.call("quotes.revise", id="Q-1", total_minor=50000, lines=lines)
        assert "list_minor" not in shown
        session.call("quotes.revise", id="Q-1", total_minor=45000)

    work(do, tables=quote())


def test_a_new_quote_with_a_discount_is_bound_too() -> None:
    def do(session: Session) -> None:
        new = {"contact": "C-1", "currency": "EUR"}
        error = failing(session, "quotes.create", total_minor=8900, discount_minor=1100, **new)
        assert error.reason == "above_discount_limit"
        made = session.call("quotes.create", total_minor=9000, discount_minor=1000, **new)
        assert made["discount_minor"] == 1000

    work(do, tables=quote())


def test_the_limit_on_record_and_the_person_who_may_approve_decide() -> None:
    def half(session: Session) -> None:
        session.call("quotes.revise", id="Q-1", total_minor=50000)

    limits = {"limits": {"quotes.discount": {"percent": 50}}}
    assert work(half, tables=quote() | limits).changed
    people = {"sales_lead": {"approves": ("quotes.revise",)}}
    assert work(half, tables=quote(), people=people, sender="sales_lead").changed


def test_a_quote_that_is_closed_says_so() -> None:
    def do(session: Session) -> None:
        assert failing(session, "quotes.revise", id="Q-1", total_minor=1).reason == "quote_closed"

    assert not work(do, tables=quote(status="withdrawn")).changed


@pytest.mark.parametrize(
    ("quantity", "price", "held"), [(1, -4000, True), (-1, 4000, True), (1, -1000, False), (-1, 1000, False)]
)
def test_a_line_that_takes_off_is_a_discount(quantity: int, price: int, held: bool) -> None:
    lines = [
        {"item": "banner", "quantity": 1, "price_minor": 10000},
        {"item": "regular customer", "quantity": quantity, "price_minor": price},
    ]
    args = {"total_minor": 10000 + quantity * price, "lines": lines}

    def do(session: Session) -> None:
        if held:
            for tool, about in (
                ("quotes.create", {"contact": "C-1", "currency": "EUR"}),
                ("quotes.revise", {"id": "Q-9"}),
            ):
                assert failing(session, tool, **about, **args).reason == "above_discount_limit"
        else:
            made = session.call("quotes.create", contact="C-1", currency="EUR", **args)
            assert made["list_minor"] == 10000
            again = session.call("quotes.revise", id="Q-9", **args)
            assert again["list_minor"] == 10000

    draft = {"contact": "C-1", "version": 1, "total_minor": 10000, "currency": "EUR", "status": "draft"}
    work(do, tables={"contacts": {"C-1": {"name": "Ida Holm"}}, "quotes": {"Q-9": draft}})
