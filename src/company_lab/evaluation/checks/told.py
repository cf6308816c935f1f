"""Told: what the reply, or a text to a named receiver, must say or ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from company_lab.evaluation.case import Case, Check
from company_lab.evaluation.checks.amounts import Swapped
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Text
from company_lab.evaluation.matching import same_address
from company_lab.evaluation.remembering import Remembered
from company_lab.evaluation.texts.dates import states_date
from company_lab.evaluation.texts.findings import Decision
from company_lab.evaluation.texts.identifiers import mentions_identifier
from company_lab.evaluation.texts.phrases import compile_phrases
from company_lab.evaluation.texts.questions import asks
from company_lab.evaluation.texts.stated import states_amount, states_number, tells_literal
from company_lab.formats.money import to_text
from company_lab.scenarios.model import Asks, Scenario, States, Told
from company_lab.scenarios.spec import WorldSpec


@dataclass(frozen=True, slots=True)
class Said:
    """At least one text, to the right receiver in the right turn, says or asks it."""

    place: Place
    to: str | None
    """Receiver's address; None is whoever gave the stimulus, that is, the reply."""
    turn: int | None
    reads: Remembered[Decision]
    words: str
    """What must be said, for people."""
    amount: tuple[int, str] | None = None
    """The amount and its currency, where it is one that must be said."""
    swapped: Swapped | None = None
    """Finds out whether a text gives this amount another one's role; None where a role is asked for."""

    def __call__(self, case: Case) -> None:
        spoken: list[Text] = []
        unclear: Text | None = None
        for text in case.index.texts:
            if (
                (self.turn is not None and text.turn != self.turn)
                or not self._reaches(text)
                or not text.text.strip()
            ):
                continue
            decision = self.reads(text.text)
            if decision != "no" and self._has_changed_places(text):
                decision = "no"
            if decision == "yes":
                if case.findings.explaining:
                    case.findings.hold(self.place, f"{self._receiver()} was told {self.words}", (text.seq,))
                return
            spoken.append(text)
            if decision == "unclear" and unclear is None:
                unclear = text
        if unclear is not None:
            case.findings.undecided(
                self.place, f"whether {self._receiver()} was told {self.words} is unclear", (unclear.seq,)
            )
            return
        turn = f" in turn {self.turn}" if self.turn is not None else ""
        nothing = f"there is no text to {self.to}" if self.to is not None else "there is no reply"
        case.findings.fail(
            self.place,
            "missing_reply",
            f"{self._receiver()} was not told {self.words}{turn}; "
            + (_silent(len(spoken)) if spoken else nothing),
            tuple(text.seq for text in spoken) or (case.index.end,),
            found=[text.text[:400] for text in spoken],
            expected=self.words,
        )

    def _has_changed_places(self, text: Text) -> bool:
        if self.swapped is None or self.amount is None:
            return False
        return self.swapped(text.text, text.facts, *self.amount)

    def _reaches(self, text: Text) -> bool:
        if self.to is None:
            return text.reply
        return any(same_address(receiver, self.to) for receiver in text.to)

    def _receiver(self) -> str:
        return self.to or "whoever asked"


@dataclass(frozen=True, slots=True)
class Answered:
    """There is an answer at all: an empty one would satisfy everything that must not be said."""

    place: Place
    reply: bool
    """Whether it must be a reply; otherwise a text to anybody will do."""
    turn: int | None

    def __call__(self, case: Case) -> None:
        if case.index.contract:
            return
        for text in case.index.texts:
            if (text.reply or not self.reply) and self.turn in (None, text.turn) and text.text.strip():
                return
        what = "reply" if self.reply else "reply nor a text to anybody"
        case.findings.fail(
            self.place,
            "missing_reply",
            f"there is {'no' if self.reply else 'neither a'} {what}"
            + (f" in turn {self.turn}" if self.turn else ""),
            tuple(text.seq for text in case.index.texts) or (case.index.end,),
            found="nothing",
            expected="a text that is not blank",
        )


def told_checks(
    told: Told, scenario: Scenario, spec: WorldSpec, *, prefix: str, place: Place
) -> Iterator[Check]:
    """Checks for what must be said."""
    for position, entry in enumerate(told.states):
        yield _states(entry, f"{prefix}.states[{position}]", told, scenario, spec)
    for position, question in enumerate(told.asks):
        yield _asks(question, f"{prefix}.asks[{position}]", told, scenario, spec)
    addressed: list[States | Asks] = [*told.states, *told.asks]
    gating = [entry for entry in addressed if not entry.advisory]
    request = scenario.stimulus.request is not None
    silent = told.never_claims or told.claims_only_if_true or told.never_discloses
    if (request and all(entry.to is not None for entry in gating)) or (silent and not gating):
        yield Answered(Place(prefix, place.scenario), request, told.turn)


def _states(entry: States, path: str, told: Told, scenario: Scenario, spec: WorldSpec) -> Said:
    reads, words = _stated(entry, scenario.locale, spec)
    roles = tuple(role for role in spec.amount_roles.values() if role.amounts is not None)
    amount = (
        None if entry.amount_minor is None or entry.currency is None else (entry.amount_minor, entry.currency)
    )
    return Said(
        place=Place(path, scenario.severity, entry.severity, entry.advisory),
        to=entry.to,
        turn=entry.turn if entry.turn is not None else told.turn,
        reads=Remembered(reads),
        words=words,
        amount=amount,
        swapped=Swapped(roles, scenario.locale) if amount and roles and entry.role is None else None,
    )


def _asks(entry: Asks, path: str, told: Told, scenario: Scenario, spec: WorldSpec) -> Said:
    phrases = compile_phrases(spec.questions[entry.question].phrases)
    languages = spec.questions[entry.question].languages
    return Said(
        place=Place(path, scenario.severity, entry.severity, entry.advisory),
        to=entry.to,
        turn=entry.turn if entry.turn is not None else told.turn,
        reads=Remembered(lambda text: asks(text, phrases, languages).decision),
        words=f"the question {entry.question}",
    )


def _stated(entry: States, locale: str, spec: WorldSpec) -> tuple[Callable[[str], Decision], str]:
    """How to read one entry in a text, and what it asks for in words."""
    if entry.amount_minor is not None and entry.currency is not None:
        role = spec.amount_roles[entry.role].phrases if entry.role is not None else ()
        amount, currency = entry.amount_minor, entry.currency
        words = to_text(amount, currency) + (f" as {entry.role}" if entry.role is not None else "")
        return (
            lambda text: states_amount(
                text, amount_minor=amount, currency=currency, locale=locale, role_phrases=role
            )
        ), words
    if entry.literal is not None:
        literal = entry.literal
        return (lambda text: tells_literal(text, literal)), repr(literal)
    if entry.number is not None:
        number = Decimal(str(entry.number)) if isinstance(entry.number, float) else entry.number
        return (lambda text: _decision(states_number(text, number, locale))), f"the number {number}"
    if entry.date is not None:
        date = entry.date
        return (lambda text: states_date(text, date, locale)), f"the date {date}"
    id = entry.id or ""
    return (lambda text: _decision(mentions_identifier(text, id))), f"the id {id}"


def _decision(holds: bool) -> Decision:
    return "yes" if holds else "no"


def _silent(texts: int) -> str:
    return "one text does not say it" if texts == 1 else f"{texts} texts do not say it"
