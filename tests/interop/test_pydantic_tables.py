"""Tables of models: whatever is done to one shows, and never reaches the records that all episodes share."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from company_lab.interop.hosting.pydantic_tables import differing, opened


class Order(BaseModel):
    status: str


class Books(BaseModel):
    orders: dict[str, Order]
    notes: list[str]


def books() -> Books:
    return Books(orders={"A": Order(status="open"), "B": Order(status="open")}, notes=["n"])


def shut_all(database: Any) -> None:
    for _, order in database.orders.items():
        order.status = "shut"


WRITES: dict[str, tuple[Callable[[Any], object], list[str]]] = {
    "nothing": (lambda db: [order.status for order in db.orders.values()], []),
    "a field": (lambda db: setattr(db.orders["A"], "status", "shut"), ["orders/A"]),
    "by items": (shut_all, ["orders/A", "orders/B"]),
    "by get": (lambda db: setattr(db.orders.get("B"), "status", "shut"), ["orders/B"]),
    "a new record": (lambda db: db.orders.update(C=Order(status="open")), ["orders/C"]),
    "a new record in place": (lambda db: db.orders.__ior__({"C": Order(status="open")}), ["orders/C"]),
    "a record less": (lambda db: db.orders.pop("A"), ["orders/A"]),
    "the last record less": (lambda db: db.orders.popitem(), ["orders/B"]),
    "no record left": (lambda db: db.orders.clear(), ["orders/A", "orders/B"]),
    "through copy()": (lambda db: setattr(db.orders.copy()["A"], "status", "shut"), ["orders/A"]),
    "through unpacking": (lambda db: setattr({**db.orders}["A"], "status", "shut"), ["orders/A"]),
    "through a union": (lambda db: setattr((db.orders | {})["A"], "status", "shut"), ["orders/A"]),
    "a deep copy": (lambda db: setattr(copy.deepcopy(db.orders)["A"], "status", "shut"), []),
    "another kind of table": (lambda db: db.notes.append("m"), ["notes"]),
}


@pytest.mark.parametrize(("write", "places"), WRITES.values(), ids=WRITES)
def test_what_is_done_to_a_table_shows_and_reaches_no_other_episode(
    write: Callable[[Any], object], places: list[str]
) -> None:
    base = books()
    mine, theirs = opened(base), opened(base)
    write(mine)
    assert list(differing(mine, theirs)) == places
    assert base == books()


def test_opening_copies_no_record() -> None:
    base = books()
    assert dict.__getitem__(opened(base).orders, "A") is base.orders["A"]
