"""Amounts that were said, against the amounts of the books at that moment.

A world may name, for a claim and for a role of an amount, a fact that holds the amounts it may truly be said of: an
object from record id to a list of amounts, or to null where the books do not tell them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from company_lab.evaluation.texts.amounts import Amount, find_amounts
from company_lab.evaluation.texts.findings import Finding
from company_lab.evaluation.texts.identifiers import named_among
from company_lab.evaluation.texts.roles import in_role, linked_amounts
from company_lab.scenarios.spec import AmountRoleSpec

Agreement = Literal["agrees", "differs", "unclear"]
_Money = tuple[int, str]


def agreement(text: str, finding: Finding, known: object, locale: str) -> Agreement:
    """Whether the amounts a claim is made of are among the known ones.

    `differs` only where the claim is made of one amount, it is read without doubt, and the books know it not. Other
    amounts in the sentence decide nothing; without any, the claim agrees.
    """
    if not isinstance(known, Mapping):
        return "agrees"
    begin = text.find(finding.clause, max(0, finding.start - len(finding.clause)))
    if begin < 0:
        return "agrees"
    clause = finding.clause
    said = linked_amounts(clause, finding.start - begin, finding.end - begin, find_amounts(clause, locale))
    if not said:
        return "agrees"
    books = _of_the_named(finding.about or clause, known)
    if books is None or any(_is_known(amount, books) for amount in said):
        return "agrees"
    return "differs" if all(_is_plain(amount) for amount in said) else "unclear"


def _of_the_named(clause: str, known: Mapping[str, object]) -> list[_Money] | None:
    """The amounts of the records a sentence names, of all where it names none; None where they can not be told."""
    found: list[_Money] = []
    for id in named_among(clause, known) or known:
        amounts = known[id]
        if not isinstance(amounts, Sequence):
            return None
        found.extend(_money(amounts))
    return found


def _money(amounts: object) -> Iterator[_Money]:
    for amount in amounts if isinstance(amounts, Sequence) else ():
        if isinstance(amount, Mapping):
            minor, currency = amount.get("amount_minor"), amount.get("currency")
            if isinstance(minor, int) and isinstance(currency, str):
                yield minor, currency


def _is_known(amount: Amount, books: Sequence[_Money]) -> bool:
    return any(
        (not amount.candidates or currency in amount.candidates) and any(amount.matches(minor, currency))
        for minor, currency in books
    )


def _is_plain(amount: Amount) -> bool:
    return len(amount.readings) == 1 and len(amount.candidates) >= 1


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two amounts that a text puts in each other's role: each is right in the other one's, and wrong in its own."""

    roles: tuple[AmountRoleSpec, ...]
    """Roles whose amounts the world knows."""
    locale: str

    def __call__(self, text: str, facts: Mapping[str, object], minor: int, currency: str) -> bool:
        """Whether this amount is one of two that changed places in `text`."""
        amounts = find_amounts(text, self.locale)
        if len(amounts) < 2:
            return False
        books = {role.name: _all(facts.get(role.amounts or "")) for role in self.roles}
        wrong = [
            (role.name, amount)
            for role in self.roles
            for amount in in_role(text, amounts, role.phrases)
            if books[role.name] and _is_plain(amount) and not _is_known(amount, books[role.name])
        ]
        return any(
            any(amount.matches(minor, currency))
            and other is not amount
            and _is_known(amount, books[others])
            and _is_known(other, books[own])
            for own, amount in wrong
            for others, other in wrong
            if others != own
        )


def _all(known: object) -> list[_Money]:
    if not isinstance(known, Mapping):
        return []
    return [money for amounts in known.values() for money in _money(amounts)]
