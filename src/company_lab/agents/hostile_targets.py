"""Right deeds on the wrong thing: a sibling record, the first hit of a search, an amount without its currency."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from company_lab.agents.hostile_replay import attempt, replaced
from company_lab.agents.protocol import Session, Task, ToolOffer
from company_lab.formats import money
from company_lab.formats.canonical import Json
from company_lab.scenarios.model import Scenario, Step

ADDRESS = re.compile(r"[^@\s<>,;:]+@[^@\s<>,;:]+\w")


class WrongTarget:
    """Does what is right to the record beside the one that was meant, and writes to the person beside."""

    def __init__(self, scenario: Scenario) -> None:
        self._siblings = _siblings(scenario)
        self._offers: Mapping[str, ToolOffer] = {}

    def begin(self, task: Task, session: Session) -> None:
        self._offers = {offer.name: offer for offer in task.tools}

    def step(self, session: Session, step: Step) -> None:
        offer = self._offers.get(step.tool)
        args = dict(step.args)
        if offer is not None and offer.writes:
            shapes = {name: parameter.shape for name, parameter in offer.signature.parameters.items()}
            for name, value in args.items():
                if name in shapes and not shapes[name].prose:
                    args[name] = replaced(value, self._beside)
        attempt(session, step.tool, args)

    def reply(self, text: str) -> str:
        return text

    def _beside(self, value: str) -> str:
        if value in self._siblings:
            return self._siblings[value]
        # Where nobody else is known, the mail goes to whoever reads that domain's shared mailbox.
        local, _, domain = value.partition("@")
        return f"{'info' if local == 'office' else 'office'}@{domain}" if ADDRESS.fullmatch(value) else value


def _siblings(scenario: Scenario) -> dict[str, str]:
    """Each id and each mail address, with the one that comes after it among its kind."""
    kinds: dict[object, list[str]] = {
        table: list(records) for table, records in scenario.initial.tables.items()
    }
    for event in scenario.events:
        for name, value in event.data.items():
            if isinstance(value, str) and name in ("mail", "payment"):
                kinds.setdefault((event.type, name), []).append(value)
    records = [record for table in scenario.initial.tables.values() for record in table.values()]
    kinds["addresses"] = [str(record["email"]) for record in records if isinstance(record.get("email"), str)]
    return {
        one: other
        for named in kinds.values()
        for one, other in zip(named, named[1:] + named[:1], strict=True)
        if one != other
    }


class FirstHit:
    """Takes the first hit of every search for the right one, and never asks which was meant."""

    def __init__(self, scenario: Scenario) -> None:
        self._tables = {id: table for table, records in scenario.initial.tables.items() for id in records}
        self._taken: dict[str, str] = {}
        self._first: Mapping[str, Json] = {}
        self._offers: tuple[ToolOffer, ...] = ()

    def begin(self, task: Task, session: Session) -> None:
        self._offers = tuple(task.tools)

    def step(self, session: Session, step: Step) -> None:
        args = {name: replaced(value, self._take) for name, value in step.args.items()}
        text = args.get("text")
        if isinstance(text, str) and "?" in text and "to" in args and self._first:
            self._answer(session, step.tool, args)
            return
        result = attempt(session, step.tool, args)
        hits = result.get("items") if isinstance(result, dict) else None
        if isinstance(hits, list) and len(hits) > 1:
            self._note([hit for hit in hits if isinstance(hit, dict)])

    def reply(self, text: str) -> str:
        return text

    def _take(self, value: str) -> str:
        return self._taken.get(value, value)

    def _note(self, hits: list[dict[str, Json]]) -> None:
        if not hits:
            return
        self._first = hits[0]
        for name in ("id", "email"):
            for hit in hits[1:]:
                if isinstance(hit.get(name), str) and isinstance(hits[0].get(name), str):
                    self._taken.setdefault(str(hit[name]), str(hits[0][name]))

    def _answer(self, session: Session, tool: str, args: dict[str, Json]) -> None:
        """Instead of asking: the first thing on file for the first hit, attached and told."""
        for record in self._on_file(session):
            known = {name: item for name, item in record.items() if not isinstance(item, (dict, list))}
            told = ", ".join(f"{name} {_said(name, item, record)}" for name, item in known.items())
            answer: dict[str, Json] = {"to": args["to"], "text": f"Here you are: {told}."}
            if attempt(session, tool, {**answer, "attachments": [str(record["id"])]}) is not None:
                return
        attempt(session, tool, {"to": args["to"], "text": f"Dear {self._first.get('name')}, here you are."})

    def _on_file(self, session: Session) -> Iterator[Mapping[str, Json]]:
        table = self._tables.get(str(self._first.get("id")))
        for offer in self._offers:
            for name, parameter in offer.signature.parameters.items():
                if offer.writes or table is None or parameter.shape.references != table:
                    continue
                found = attempt(session, offer.name, {name: self._first["id"]})
                hits = found.get("items") if isinstance(found, dict) else None
                for hit in hits[:1] if isinstance(hits, list) else ():
                    if isinstance(hit, dict) and "id" in hit:
                        yield hit


def _said(name: str, value: Json, record: Mapping[str, Json]) -> str:
    currency = record.get("currency")
    if name.endswith("_minor") and isinstance(value, int) and isinstance(currency, str):
        return money.to_text(value, currency)
    return str(value)


class IgnoresCurrency:
    """Sees digits only: every amount has two decimals, and every currency is the first one it saw."""

    def __init__(self, scenario: Scenario) -> None:
        self._records = {
            id: record for records in scenario.initial.tables.values() for id, record in records.items()
        }
        self._planned = [step for turn in scenario.reference for step in turn.do]
        currencies = [str(record["currency"]) for record in self._records.values() if "currency" in record]
        self._only = currencies[0] if currencies else "EUR"
        self._codes = re.compile(rf"\b(?:{'|'.join(sorted(money.currencies()))})\b")

    def begin(self, task: Task, session: Session) -> None:
        tools = {offer.name for offer in task.tools}
        for event in task.events:
            data = event.get("data")
            if isinstance(data, dict) and "invoices.record_payment" in tools:
                self._book(session, data)

    def _book(self, session: Session, data: Mapping[str, Json]) -> None:
        """Book whatever money came for an invoice, unless the reference does."""
        payment, invoice, amount = data.get("payment"), data.get("invoice"), data.get("amount_minor")
        planned = any(
            step.tool == "invoices.record_payment" and step.args.get("payment") == payment
            for step in self._planned
        )
        if planned or not (isinstance(payment, str) and isinstance(invoice, str) and type(amount) is int):
            return
        attempt(
            session, "invoices.record_payment", {"id": invoice, "payment": payment, "amount_minor": amount}
        )
        if self._records.get(invoice, {}).get("total_minor") == amount:
            attempt(session, "invoices.mark_paid", {"id": invoice})

    def step(self, session: Session, step: Step) -> None:
        places = self._places(step)
        args: dict[str, Json] = {}
        for name, value in step.args.items():
            if name.endswith("_minor") and type(value) is int and places is not None:
                args[name] = value * 100 // 10**places or 1
            elif isinstance(value, str) and " " in value:
                args[name] = self._digits(value)
            else:
                args[name] = value
        attempt(session, step.tool, args)

    def reply(self, text: str) -> str:
        return self._digits(text)

    def _places(self, step: Step) -> int | None:
        named = [self._records.get(value, {}) for value in step.args.values() if isinstance(value, str)]
        for record in (step.args, *named):
            currency = record.get("currency")
            if isinstance(currency, str) and currency in money.currencies():
                return money.exponent(currency)
        return None

    def _digits(self, text: str) -> str:
        return self._codes.sub(self._only, text)
