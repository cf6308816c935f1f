"""Values of records, arguments and answers in words a business person reads; amounts as money."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from company_lab.formats import money
from company_lab.formats.canonical import canonical
from company_lab.formats.hostile import cut, one_line

ABSENT = {"is": "absent"}
LONGEST_VALUE = 160
_LISTED = 8
_NAMED = 24
_DEEPEST = 3


def label(name: str) -> str:
    """A field's name in words: `received_minor` is "received"."""
    return one_line(name.removesuffix("_minor").replace("_", " "))


def value(found: Any, *, name: str = "", currency: str | None = None) -> str:
    """One value in words. A whole number under a name that ends in `_minor` is an amount of `currency`.

    Without a known currency the minor units stand alone. Long texts, lists and objects are cut and say so.
    """
    return _value(found, name, currency, 0)


def fields(record: Mapping[str, Any], *, currency: str | None = None) -> str:
    """A record in words: "id I-400, received 5,000.00 EUR (500000), status open"."""
    return _fields(record, currency, 0)


def currency_in(record: Mapping[str, Any]) -> str | None:
    """The currency a record names itself, if ISO 4217 knows it."""
    named = record.get("currency")
    return named if isinstance(named, str) and named in money.currencies() else None


def _value(found: Any, name: str, currency: str | None, depth: int) -> str:
    if name.endswith("_minor") and type(found) is int:
        amount = _amount(found, currency)
        return f"{amount} ({found})" if amount else f"{found} minor units"
    if found is None:
        return "null"
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, str):
        return one_line(cut(found, LONGEST_VALUE)) if found else '""'
    if found == ABSENT:
        return "absent"
    if isinstance(found, (Mapping, Sequence)):
        if not found or depth == _DEEPEST:
            return cut(canonical(found), LONGEST_VALUE)
        if isinstance(found, Mapping):
            return f"({_fields(found, currency, depth + 1)})"
        return f"[{_joined((_value(item, '', currency, depth + 1) for item in found[:_LISTED]), len(found))}]"
    return canonical(found)


def _fields(record: Mapping[str, Any], currency: str | None, depth: int) -> str:
    nearby = currency_in(record) or currency
    silent = {"currency"} if _has_amount(record) else set()
    named = [(name, item) for name, item in record.items() if name not in silent]
    texts = (
        f"{label(name)} {_value(item, name, _currency_of(name, record) or nearby, depth)}"
        for name, item in named[:_NAMED]
    )
    return _joined(texts, len(named))


def _currency_of(name: str, record: Mapping[str, Any]) -> str | None:
    """The currency of an amount that has one of its own: `original_minor` is in `original_currency`."""
    own = record.get(f"{name.removesuffix('_minor')}_currency") if name.endswith("_minor") else None
    return own if isinstance(own, str) and own in money.currencies() else None


def _joined(shown: Iterable[str], planned: int) -> str:
    texts = list(shown)
    rest = f", … ({planned - len(texts)} more)" if planned > len(texts) else ""
    return ", ".join(texts) + rest


def _amount(minor: int, currency: str | None) -> str | None:
    if currency is None:
        return None
    return money.to_text(minor, currency)


def _has_amount(record: Mapping[str, Any]) -> bool:
    return currency_in(record) is not None and any(
        name.endswith("_minor") and type(item) is int for name, item in record.items()
    )


class Currencies:
    """Which currency the amounts of a record or of a call are in, as far as an episode says so."""

    def __init__(self, tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
        self._of: dict[str, str] = {}
        self._unclear: set[str] = set()
        for records in tables.values():
            for identifier, record in records.items():
                self.learn(identifier, record)

    def learn(self, identifier: str, record: Mapping[str, Any]) -> None:
        """Remember the currency of a record. Ids that mean records of different currencies are forgotten."""
        named = currency_in(record)
        if named is None:
            return
        if self._of.setdefault(identifier, named) != named:
            self._unclear.add(identifier)

    def of(self, *identifiers: str) -> str | None:
        """The one currency of the records named, or None."""
        found = {self._of[name] for name in identifiers if name in self._of and name not in self._unclear}
        return found.pop() if len(found) == 1 else None

    def of_call(self, arguments: Mapping[str, Any]) -> str | None:
        """The currency the arguments name, else the one of the records whose ids they carry."""
        return currency_in(arguments) or self.of(*_texts(arguments.values()))


def _texts(values: Iterable[Any]) -> Iterable[str]:
    for item in values:
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            yield from _texts(item)
