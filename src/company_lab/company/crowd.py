"""The company's crowd: many contacts, invoices and payments around those of a scenario.

Searches meet people with the same surname, invoices over the same amount, addresses in the same street. Nothing in a
crowd answers a scenario's questions: no full name, mail address or firm that the scenario mentions, no invoice that
is still open over an amount of its own, no payment that is not booked. Ids never collide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any

from company_lab.company.crowd_names import FIRMS, FIRST, LAST, MAIL, STREETS, TOWNS
from company_lab.formats.canonical import Json
from company_lab.formats.randomness import stream
from company_lab.scenarios.model import Scenario
from company_lab.worlds.crowd import Bulk, Crowd
from company_lab.worlds.index import Tables, exactly, folded

FIRST_NUMBER = 1_000_000
"""The numbers in a crowd's ids and addresses begin after this one, or a multiple of it."""
MOST_RESEMBLED = 12
"""So many records of a table get records that resemble them."""

Record = dict[str, Json]
Made = dict[str, dict[str, Record]]


def crowd(scenario: Scenario, tables: Tables) -> Crowd:
    """The crowd a scenario asks for, around its tables; the same for the same scenario, size and seed."""
    assert scenario.crowd is not None
    size, seed = scenario.crowd.size, scenario.crowd.seed
    mentioned = _mentioned(scenario, tables)
    after = FIRST_NUMBER
    while any(after < number <= after + 2 * size for number in mentioned.numbers):
        after += FIRST_NUMBER * (1 + 2 * size // FIRST_NUMBER)
    bulk, unpaid = _bulk(size, seed, after)
    near = _Near(stream(seed, scenario.id, 0, "crowd"), mentioned, after + size).around(tables)
    return Crowd(bulk=bulk, left_out=_left_out(bulk, unpaid, mentioned), near=near)


@dataclass(frozen=True, slots=True)
class _Mentioned:
    """What a scenario speaks of, wherever it does."""

    names: frozenset[str]
    """Two words that follow each other, without letter case: every full name is among them."""
    text: str
    amounts: frozenset[int]
    numbers: frozenset[int]
    """Numbers of seven digits and more in its texts."""


def _mentioned(scenario: Scenario, tables: Tables) -> _Mentioned:
    texts: list[str] = []
    amounts: set[int] = set()
    for leaf in _leaves([scenario.document, *(dict(records) for records in tables.values())]):
        if isinstance(leaf, str):
            texts.append(leaf.casefold())
        elif isinstance(leaf, int):
            amounts.add(leaf)
    pairs: set[str] = set()
    for text in texts:
        words = re.findall(r"[^\W\d_]+", text)
        pairs.update(f"{one} {following}" for one, following in pairwise(words))
    whole = "\n".join(texts)
    return _Mentioned(
        names=frozenset(pairs),
        text=whole,
        amounts=frozenset(amounts),
        numbers=frozenset(int(digits) for digits in re.findall(r"\d{7,}", whole)),
    )


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif not isinstance(value, bool):
        yield value


@lru_cache(maxsize=2)
def _bulk(size: int, seed: int, after: int) -> tuple[Bulk, Mapping[int, list[str]]]:
    """The records that all scenarios share, and the unpaid invoices among them by total and by what is open."""
    random = stream(seed, "", after, "crowd")
    made: Made = {"contacts": {}, "invoices": {}, "payments": {}}
    people = [f"C-{after + number}" for number in range(1, size + 1)]
    unpaid: dict[int, list[str]] = {}
    draw = random.random
    for number, id in enumerate(people, start=after + 1):
        first, last = FIRST[int(draw() * len(FIRST))], LAST[int(draw() * len(LAST))]
        made["contacts"][id] = _contact(random, f"{first} {last}", number)
    payment = after
    for number in range(size):
        id, contact = f"I-{after + number + 1}", people[int(draw() * size)]
        total = 100 * (5 + int(900 * draw() ** 2)) + (95 if draw() < 0.3 else 0)
        # Of twenty invoices three are open and one is paid in part; three are paid in two parts: twenty payments.
        kind = number % 20
        parts = [] if kind < 3 else [total // 2] if kind == 3 else _parts(total, 2 if kind < 7 else 1)
        invoice = made["invoices"][id] = _invoice(random, contact, total, sum(parts), "EUR")
        if invoice["status"] != "paid":
            for amount in {total, total - sum(parts)}:
                unpaid.setdefault(amount, []).append(id)
        for part in parts:
            payment += 1
            payer = str(made["contacts"][contact]["name"])
            made["payments"][f"pay_{payment}"] = _payment(random, id, part, "EUR", payer)
    return Bulk(made), unpaid


def _parts(total: int, number: int) -> list[int]:
    return [total] if number == 1 else [total // 3, total - total // 3]


def _left_out(
    bulk: Bulk, unpaid: Mapping[int, list[str]], mentioned: _Mentioned
) -> dict[str, frozenset[str]]:
    index = bulk.index
    contacts = {id for name in mentioned.names for id in index.ids("contacts", {"name": name}, folded)}
    for firm in FIRMS:
        if firm.casefold() in mentioned.text:
            contacts.update(index.ids("contacts", {"company": firm}, exactly))
    invoices = {id for amount in mentioned.amounts for id in unpaid.get(amount, ())}
    for contact in contacts:
        invoices.update(index.ids("invoices", {"contact": contact}, exactly))
    payments = {id for invoice in invoices for id in index.ids("payments", {"invoice": invoice}, exactly)}
    return {
        "contacts": frozenset(contacts),
        "invoices": frozenset(invoices),
        "payments": frozenset(payments),
    }


class _Near:
    """Records that resemble those of one scenario."""

    def __init__(self, random: Random, mentioned: _Mentioned, after: int) -> None:
        self._random = random
        self._mentioned = mentioned
        self._number = after
        self._made: Made = {"contacts": {}, "invoices": {}, "payments": {}}

    def around(self, tables: Tables) -> Made:
        contacts = [*tables.get("contacts", {}).values()][:MOST_RESEMBLED]
        for same_surname in (True, True, False):
            for contact in contacts:
                self._person_like(contact, same_surname=same_surname)
        if not contacts:
            self._person_like({"name": "Ida Holm"}, same_surname=True)
        for invoice in [*tables.get("invoices", {}).values()][:MOST_RESEMBLED]:
            for _ in range(2):
                self._paid(invoice.get("total_minor"), str(invoice.get("currency", "EUR")))
        for payment in [*tables.get("payments", {}).values()][:MOST_RESEMBLED]:
            self._paid(payment.get("amount_minor"), str(payment.get("currency", "EUR")))
        return self._made

    def _next(self, prefix: str) -> str:
        self._number += 1
        return f"{prefix}{self._number}"

    def _person_like(self, contact: Mapping[str, Json], *, same_surname: bool) -> None:
        words = str(contact.get("name", "")).split() or ["Holm"]
        while True:
            first = self._random.choice(FIRST) if same_surname else words[0]
            last = words[-1] if same_surname else self._random.choice(LAST)
            if f"{first} {last}".casefold() not in self._mentioned.names:
                break
        id = self._next("C-")
        person = _contact(self._random, f"{first} {last}", self._number)
        address = contact.get("address")
        if isinstance(address, str) and same_surname:
            other = str(self._random.randrange(1, 400))
            person["address"] = re.sub(r"\d+", other, address, count=1)
            if person["address"] == address:
                person["address"] = f"{address} {other}"
        if isinstance(contact.get("city"), str):
            person["city"] = contact["city"]
        self._made["contacts"][id] = person

    def _paid(self, amount: Json, currency: str) -> None:
        if not isinstance(amount, int) or amount <= 0:
            return
        contact = self._random.choice([*self._made["contacts"]])
        invoice, payment = self._next("I-"), self._next("pay_")
        self._made["invoices"][invoice] = _invoice(self._random, contact, amount, amount, currency)
        payer = str(self._made["contacts"][contact]["name"])
        self._made["payments"][payment] = _payment(self._random, invoice, amount, currency, payer)


def _contact(random: Random, name: str, number: int) -> Record:
    draw = random.random
    mailbox = re.sub(r"[^a-z]+", ".", name.casefold()).strip(".") or "someone"
    contact: dict[str, Any] = {
        "name": name,
        "email": f"{mailbox}.{number}@{MAIL[int(draw() * len(MAIL))]}",
        "phone": f"+00 555 {number}",
        "address": f"{STREETS[int(draw() * len(STREETS))]} {1 + int(draw() * 140)}",
        "city": TOWNS[int(draw() * len(TOWNS))],
        "created": f"20{19 + int(draw() * 6)}-{_month(draw())}-{_day(draw())}T09:00:00+00:00",
    }
    if draw() < 0.3:
        contact["company"] = FIRMS[int(draw() * len(FIRMS))]
    return contact


def _invoice(random: Random, contact: str, total: int, received: int, currency: str) -> Record:
    draw = random.random
    return {
        "contact": contact,
        "total_minor": total,
        "received_minor": received,
        "currency": currency,
        "status": "paid" if received >= total else "partially_paid" if received else "open",
        "due": f"2026-{_month(0.25 + draw() / 2)}-{_day(draw())}",
    }


def _payment(random: Random, invoice: str, amount: int, currency: str, payer: str) -> Record:
    draw = random.random
    return {
        "amount_minor": amount,
        "currency": currency,
        "invoice": invoice,
        "payer": payer,
        "received": f"2025-{_month(draw())}-{_day(draw())}T09:00:00+00:00",
        "status": "succeeded",
        "booked_to": invoice,
    }


def _month(part: float) -> str:
    return f"{1 + int(part * 12):02d}"


def _day(part: float) -> str:
    return f"{1 + int(part * 28):02d}"
