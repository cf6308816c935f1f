"""B5: what must be said, said wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from company_lab.evaluation.texts.amounts import find_amounts
from company_lab.formats.money import to_text
from company_lab.probing.audit.finding import Found, Level, Mutants
from company_lab.probing.audit.spellings import right_spellings, wrong_spellings
from company_lab.probing.audit.subject import Subject
from company_lab.probing.audit.undeserved import sentence_of
from company_lab.scenarios.model import States
from company_lab.traces.record import Record


def weak_replies(subject: Subject) -> Iterator[Found]:
    """Let the reference say what must be said wrongly, or say everything, or say it right in another spelling."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    for position, entry in enumerate(subject.scenario.expected.told.states):
        if entry.advisory:
            continue
        for manner, text, level in _wrong_texts(subject, entry):
            killed = not subject.judged(_all_saying(subject.reference.trace.records, text)).passed
            if level == "block":
                yield Mutants(killed=killed, total=1)
            if not killed:
                yield subject.finding(
                    "B5",
                    level,
                    f"a text that {manner} passes: {text[:100]!r}",
                    "state it more closely: the role of an amount, a longer literal, the receiver",
                    path=f"expected.told.states[{position}]",
                )
        yield from _spelled(subject, entry, f"expected.told.states[{position}]")


def _spelled(subject: Subject, entry: States, path: str) -> Iterator[Found]:
    """The texts of the reference with one amount in another spelling: right ones must pass, wrong ones must not."""
    amount, currency = entry.amount_minor, entry.currency
    if amount is None or currency is None or amount <= 0:
        return
    records = subject.reference.trace.records
    for text in right_spellings(amount, currency):
        played = subject.judged(_each_text(records, partial(_respelled, subject, entry, text)))
        if not played.passed:
            yield subject.finding(
                "B5",
                "warn",
                f"the reference does not pass when it writes {text!r} for "
                f"{to_text(amount, currency)!r}: {played.why[0]}",
                "expect the amount rather than one way of writing it",
                path=path,
            )
    for text in wrong_spellings(amount, currency):
        respelled = _each_text(records, partial(_respelled, subject, entry, text))
        yield from subject.mutant(
            not subject.judged(respelled).passed,
            "B5",
            "block",
            f"the reference passes though it writes {text!r} for {to_text(amount, currency)!r}",
            "name the turn and the receiver, so that no other text makes up for a wrong one",
            path=path,
        )


def _respelled(subject: Subject, entry: States, new: str, text: str) -> str:
    """A text with another spelling wherever it states the amount."""
    amount, currency = entry.amount_minor, entry.currency
    assert amount is not None
    assert currency is not None
    for found in reversed(find_amounts(text, subject.scenario.locale)):
        if currency in (found.candidates or (currency,)) and any(found.matches(amount, currency)):
            text = text[: found.start] + new + text[found.end :]
    return text


def _wrong_texts(subject: Subject, entry: States) -> Iterator[tuple[str, str, Level]]:
    """Texts with what is wrong about them, and how grave it is that one of them passes."""
    yield "says nothing of it", "Thank you for your message; it has been dealt with.", "block"
    if entry.amount_minor is not None and entry.currency is not None:
        wrong = " or ".join(
            to_text(entry.amount_minor + more, entry.currency) for more in (-100, 0, 100, 1000)
        )
        yield "offers several amounts", f"It may be {wrong}.", "info"
        stated = to_text(entry.amount_minor, entry.currency)
        yield "denies it", f"It is not {stated}.", "warn"
        yield "denies it in German", f"Es sind nicht {stated}.", "warn"
        yield "denies it in French", f"Ce n'est pas {stated}.", "warn"
    elif entry.number is not None or entry.date is not None:
        yield (
            "denies it",
            f"It is not so: {sentence_of(entry, subject).replace('It is', 'it is not')}",
            "info",
        )


def _all_saying(records: list[Record], text: str) -> list[Record]:
    """Records in which every text says this; receivers and moments stay."""
    return _each_text(records, lambda _: text)


def _each_text(records: list[Record], changed: Callable[[str], str]) -> list[Record]:
    """Records with every text of the agent changed."""
    return [
        {**record, "text": changed(record["text"])}
        if record["kind"] == "reply"
        else {**record, "text": {**record["text"], "text": changed(str(record["text"].get("text") or ""))}}
        if record["kind"] == "effect" and isinstance(record.get("text"), dict)
        else record
        for record in records
    ]
