"""Retelling: the same person told the same thing twice, in other words.

A second mail that only says again what the first one said is a duplicate, whatever its wording. Two mails that tell
something different are not: another record, another amount, another claim, another question, another attachment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from company_lab.evaluation.case import Case
from company_lab.evaluation.checks.actions import ActionEntry, Bounds
from company_lab.evaluation.checks.effects import EffectsAtProvider
from company_lab.evaluation.checks.repeats import is_counted_already
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Attempt, Record
from company_lab.evaluation.remembering import Remembered
from company_lab.evaluation.texts.amounts import find_amounts
from company_lab.evaluation.texts.claims import claims_made
from company_lab.evaluation.texts.numbers import NUMBER
from company_lab.evaluation.texts.phrases import ID, compile_phrases
from company_lab.evaluation.texts.reading import read
from company_lab.formats.canonical import canonical
from company_lab.scenarios.spec import WorldSpec

_IDS = re.compile(rf"(?<![\w@-])(?:{ID.pattern})(?![\w@])", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_STEM = 5
_FEWEST_WORDS = 4
_MANY_WORDS = 10
_ALIKE = 0.6
"""Share of the shorter text's words that stand in the other one, too, where nothing but words is left to compare."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a text is there to tell."""

    words: str
    """The text itself, as it looks to people."""
    ids: frozenset[str]
    amounts: frozenset[object]
    figures: frozenset[str]
    """Dates, times, counts: numbers that are no amounts and belong to no id."""
    says: frozenset[str]
    """Claims made, denied, and whether something is asked."""
    stems: frozenset[str]

    def is_told_again_by(self, other: Purpose) -> bool:
        """Whether `other` adds nothing: no record, amount, figure, claim or question that is not told already.

        A few words never decide: the texts must share an amount and what it is of, or the id of a record and what is
        said about it, or a long text must have all its words in the other.
        """
        if self.words == other.words:
            return True
        if self.says != other.says or not (other.amounts <= self.amounts and other.figures <= self.figures):
            return False
        if not (self.ids <= other.ids or other.ids <= self.ids):
            return False
        same = self.ids & other.ids or self.stems & other.stems or _claims(self.says)
        if same and self.amounts & other.amounts:
            return True
        if _MANY_WORDS <= len(min(self.stems, other.stems, key=len)) == len(self.stems & other.stems):
            return True  # a long text, of which the other one has every word
        if not self.ids & other.ids:
            return False
        shorter = min(len(self.stems), len(other.stems))
        alike = shorter >= _FEWEST_WORDS and len(self.stems & other.stems) >= _ALIKE * shorter
        return alike or bool(self.figures & other.figures) or _claims(self.says)


def _claims(says: frozenset[str]) -> bool:
    return any(said != "?" for said in says)


@dataclass(frozen=True, slots=True)
class Message:
    """A text that left the company through a provider."""

    effect: Record
    attempt: Attempt
    text: str
    to: str

    @property
    def payload(self) -> Mapping[str, Any]:
        """What the provider was given beside the text."""
        payload = self.effect.get("payload")
        return payload if isinstance(payload, Mapping) else {}

    def is_for_something_else(self, other: Message) -> bool:
        """Whether attachments, copies, kind or anything else but prose says that this is another message."""
        mine, theirs = self.payload, other.payload
        if any(
            mine[name] != theirs[name] and not (isinstance(mine[name], str) and mine[name] in self.text)
            for name in mine.keys() & theirs.keys()
        ):
            return True
        alone = [(mine.get(name) or theirs.get(name)) for name in mine.keys() ^ theirs.keys()]
        return any(value and not isinstance(value, str) for value in alone)


@dataclass(frozen=True, slots=True)
class NothingToldTwice:
    """Nobody is told the same thing twice within one turn, unless something came in between or two are asked for.

    To run after the checks that count: what one of these has found already is not said again.
    """

    place: Place
    entries: tuple[ActionEntry, ...]
    """Expected actions of which the scenario itself wants or allows more than one."""
    effects: tuple[EffectsAtProvider, ...]
    """The same for effects."""
    purpose: Remembered[Purpose]

    def __call__(self, case: Case) -> None:
        texts = [effect for effect in case.index.effects if "text" in effect]
        if len(texts) < 2:
            return
        for first, again in _pairs(list(_messages(case, texts))):
            if self._is_asked_for(first, again) or _something_came(case, first, again):
                continue
            if is_counted_already(case, again.attempt):
                continue
            if self._purpose(first).is_told_again_by(self._purpose(again)):
                case.findings.fail(
                    self.place,
                    "duplicate_effect",
                    f"{again.to} was told in {again.attempt.call} what {first.attempt.call} had told already",
                    (*first.attempt.seqs, *again.attempt.seqs),
                    found=[first.text[:400], again.text[:400]],
                    expected="each message once",
                )
                return

    def _purpose(self, message: Message) -> Purpose:
        purpose = self.purpose(message.text)
        filed = {str(value).lower() for value in message.payload.values() if _is_id(value)}
        return replace(purpose, ids=purpose.ids | filed) if filed else purpose

    def _is_asked_for(self, first: Message, again: Message) -> bool:
        """Whether the scenario itself speaks of more than one such message."""
        for entry in self.entries:
            if all(
                message.attempt.tool == entry.tool and entry.args.match(message.attempt.args or {})
                for message in (first, again)
            ):
                return True
        return any(
            all(
                message.effect.get("provider") == effect.provider
                and message.effect.get("op") == effect.op
                and effect.test(message.payload)
                for message in (first, again)
            )
            for effect in self.effects
        )


def allows_two(bounds: Bounds) -> bool:
    """Whether more than one is counted on; "at least four" asks for four things to tell, not for one four times."""
    return bounds.high is not None and bounds.high > 1


def nothing_told_twice(
    place: Place,
    entries: tuple[ActionEntry, ...],
    effects: tuple[EffectsAtProvider, ...],
    spec: WorldSpec,
    locale: str,
) -> NothingToldTwice:
    """The check for one branch of a scenario; `entries` and `effects` are those that allow more than one."""
    return NothingToldTwice(place, entries, effects, Remembered(_purposes(spec, locale)))


def _purposes(spec: WorldSpec, locale: str) -> Callable[[str], Purpose]:
    def purpose(text: str) -> Purpose:
        amounts = find_amounts(text, locale)
        rest = text
        for amount in reversed(amounts):
            rest = f"{rest[: amount.start]} {rest[amount.end :]}"
        ids = frozenset(found.group().lower() for found in _IDS.finditer(rest))
        seen = read(text).folded
        return Purpose(
            words=" ".join(seen.split()),
            ids=ids,
            amounts=frozenset((amount.readings, amount.candidates) for amount in amounts),
            figures=frozenset(NUMBER.findall(_IDS.sub(" ", rest))),
            says=frozenset(_said(text, spec)),
            stems=frozenset(word[:_STEM] for word in _WORD.findall(seen)),
        )

    return purpose


def _said(text: str, spec: WorldSpec) -> Iterator[str]:
    if "?" in text:
        yield "?"
    for name, claim in spec.claims.items():
        if claim.phrases and claims_made(text, compile_phrases(claim.phrases)):
            yield name
        if claim.denied and claims_made(text, compile_phrases(claim.denied)):
            yield f"not {name}"


def _messages(case: Case, effects: list[Record]) -> Iterator[Message]:
    for effect in effects:
        attempt, said = case.index.calls.get(effect.get("call") or ""), effect["text"]
        if attempt is None or not isinstance(said, Mapping):
            continue
        to, text = said.get("to"), said.get("text")
        if isinstance(text, str) and text.strip():
            yield Message(effect, attempt, text, to.lower() if isinstance(to, str) else canonical(to))


def _pairs(messages: list[Message]) -> Iterator[tuple[Message, Message]]:
    for position, again in enumerate(messages):
        for first in messages[:position]:
            if (
                first.to == again.to
                and first.attempt is not again.attempt
                and first.attempt.turn == again.attempt.turn
                and not first.is_for_something_else(again)
            ):
                yield first, again


def _something_came(case: Case, first: Message, again: Message) -> bool:
    """Whether an event or an answer reached the company between the two."""
    return any(
        first.attempt.seq < record.get("seq", -1) < again.attempt.seq
        for record in case.index.outside
        if record.get("kind") != "guard"
    )


def _is_id(value: object) -> bool:
    return isinstance(value, str) and ID.fullmatch(value) is not None
