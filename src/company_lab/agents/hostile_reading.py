"""Reading as the gullible do: what a sentence asks for, as calls of tools, by the words it shares with them.

No language is understood here. A tool is meant when the words of its name, or words people use for them, stand
in the sentence; its arguments are whatever fits their shapes in the sentence, or else what was last spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from company_lab.agents.hostile_targets import ADDRESS
from company_lab.agents.protocol import ToolOffer
from company_lab.formats import money
from company_lab.formats.canonical import Json
from company_lab.formats.shapes import Shape
from company_lab.scenarios.model import Scenario

MEANT_BY: Mapping[str, tuple[str, ...]] = {
    "send": ("send", "forward", "mail", "email", "copy"),
    "mark": ("mark", "treat", "book", "set", "close", "record", "settle"),
    "paid": ("paid", "settled", "cleared", "settle"),
    "pay": ("pay", "transfer", "wire"),
    "refund": ("refund", "reimburse", "repay", "money back", "back to me", "pay back"),
    "release": ("release", "hand out", "let go", "the files", "ship"),
    "update": ("update", "change", "use", "replace", "switch", "new", "correct", "put"),
    "iban": ("iban", "account", "bank", "on file"),
    "set": ("set", "raise", "increase", "change", "lift", "lower", "put", "turn"),
    "budget": ("budget", "a day", "daily", "per day"),
    "terms": ("terms", "days"),
    "grant": ("grant", "give", "add", "allow", "make"),
    "change": ("change", "update", "set", "make", "extend", "raise", "let"),
    "limit": ("limit", "cap"),
    "role": ("role", "rights", "permissions"),
    "rule": ("rule", "approver", "approval", "approve"),
    "delete": ("delete", "remove", "erase", "clean up", "can go"),
    "merge": ("merge", "combine", "join", "one contact of"),
    "write": ("write", "clear", "forget"),
    "off": ("off", "difference", "differences"),
    "charge": ("charge", "debit", "collect"),
    "cancel": ("cancel", "stop"),
    "lift": ("lift", "remove", "end"),
    "post": ("post", "book"),
    "match": ("match", "reconcile"),
    "concede": ("concede", "give in"),
    "withdraw": ("withdraw", "take back"),
    "address": ("address",),
    "draft": ("draft", "remind", "reminder"),
    "consent": ("consent", "opt in", "opted in", "subscribe"),
}
"""What people say for the words in the names of tools."""
GENERIC = frozenset(
    {"set", "create", "update", "close", "use", "file", "post", "draft", "record", "change", "cancel"}
)
"""Words that mean a tool only where the sentence also names what it is used on."""
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+|\[/?\w+\]|<[^>]*>")
_IBAN = re.compile(r"\b[A-Z]{2}[0-9A-Z]{6,32}\b")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_DOTTED = re.compile(r"(?<![\w.@-])[a-z_]+\.[a-z_]+\b(?!\.\w)")


def sentences(text: str) -> list[str]:
    """The parts of a text that may each ask for something."""
    return [part.strip() for part in _SENTENCE.split(text) if len(part.split()) >= 2]


@dataclass(slots=True)
class Known:
    """What was spoken of so far: the records, and of each table the one that was named last."""

    tables: dict[str, dict[str, Mapping[str, Json]]]
    last: dict[str, str] = field(default_factory=dict)
    writer: str | None = None
    """Address of whoever wrote what is being read."""

    @classmethod
    def of(cls, scenario: Scenario) -> Known:
        """The records of a scenario, and those its events bring by name."""
        tables: dict[str, dict[str, Mapping[str, Json]]] = {
            table: dict(records) for table, records in scenario.initial.tables.items()
        }
        for event in scenario.events:
            payment = event.data.get("payment")
            if isinstance(payment, str):
                tables.setdefault("payments", {})[payment] = event.data
        return cls(tables)

    def note(self, text: str) -> None:
        """Remember which records a text names."""
        for table, records in self.tables.items():
            for id in records:
                if _named(id, text):
                    self.last[table] = id

    def one_of(self, table: str, sentence: str, *, beside: Collection[object] = ()) -> str | None:
        """The record of a table that a sentence names, else the one spoken of last, else the only one.

        Ids in `beside` are taken already.
        """
        records = [id for id in self.tables.get(table, {}) if id not in beside]
        named = [id for id in records if _named(id, sentence)]
        last = self.last.get(table)
        if named or last in records:
            return named[0] if named else last
        return records[0] if len(records) == 1 else None

    def record(self, id: str) -> Mapping[str, Json]:
        """A record by its id, whatever table it is in."""
        return next((records[id] for records in self.tables.values() if id in records), {})


def _named(id: str, text: str) -> bool:
    words = re.escape(id).replace("_", "[_ ]")
    return re.search(rf"(?<![\w-]){words}(?![\w-])", text, re.IGNORECASE) is not None


def asked_for(
    sentence: str, offers: Sequence[ToolOffer], known: Known
) -> Iterator[tuple[str, dict[str, Json]]]:
    """The calls a sentence asks for, as far as tools and what is known allow."""
    for offer in offers:
        if offer.writes and _means(sentence, offer, known):
            args = _arguments(sentence, offer, known)
            if args is not None:
                yield offer.name, args


def looked_for(sentence: str, offers: Sequence[ToolOffer]) -> Iterator[tuple[str, dict[str, Json]]]:
    """The reads a sentence asks for in the name of another tenant: "just use their tenant, northquay"."""
    tenant = re.search(r"\btenant[,:]? (\w+)", sentence, re.IGNORECASE)
    for offer in offers if tenant else ():
        parameters = offer.signature.parameters
        if tenant and not offer.writes and "tenant" in parameters and "id" in parameters:
            for id in re.findall(r"\b[A-Z]+-\d+\b", sentence) or ["1"]:
                yield offer.name, {"id": id, "tenant": tenant[1]}


def _means(sentence: str, offer: ToolOffer, known: Known) -> bool:
    department, _, operation = offer.name.partition(".")
    words = operation.split("_")
    lowered = sentence.lower()
    if not all(_said(word, lowered) for word in words):
        return False
    if len(words) > 1 or words[0] not in GENERIC:
        return True
    tables = [parameter.shape.references for parameter in offer.signature.parameters.values()]
    return department.rstrip("s") in lowered or any(
        _named(id, sentence) for table in tables if table for id in known.tables.get(table, {})
    )


def _said(word: str, lowered: str) -> bool:
    return any(re.search(rf"\b{re.escape(meant)}\b", lowered) for meant in MEANT_BY.get(word, (word,)))


def _arguments(sentence: str, offer: ToolOffer, known: Known) -> dict[str, Json] | None:
    args: dict[str, Json] = {}
    for name, parameter in offer.signature.parameters.items():
        if not parameter.required:
            continue
        value = _fitting(name, parameter.shape, sentence, known, args)
        if value is None:
            return None
        args[name] = value
    return args


def _fitting(name: str, shape: Shape, sentence: str, known: Known, args: Mapping[str, Json]) -> Json:
    if shape.references:
        return known.one_of(shape.references, sentence, beside=list(args.values()))
    if shape.currency:
        return currency_of(sentence, known, args)
    if shape.money or shape.kind in ("integer", "number"):
        if shape.money or name == "amount":
            return _amount(sentence, known, args)
        return _whole(_without_ids(sentence, known))
    if shape.choices:
        return _choice(shape.choices, sentence)
    if shape.pattern and "@" in shape.pattern:
        found = ADDRESS.search(sentence)
        return found[0] if found else known.writer
    if shape.pattern:
        account = _IBAN.search(sentence)
        return account[0] if account else None
    if shape.prose:
        return sentence
    if shape.kind == "list":
        return [*_DOTTED.findall(sentence), *ADDRESS.findall(sentence)] or None
    if shape.kind == "text":
        dotted = _DOTTED.search(sentence)
        if name in ("tool", "permission"):
            return dotted[0] if dotted else None
        return _whom(sentence, known) if name in ("person", "about") else None
    if shape.kind == "any":
        return _whole(sentence) if _NUMBER.search(sentence) else not re.search(r"\b(?:off|no)\b", sentence)
    return None


def currency_of(sentence: str, known: Known, args: Mapping[str, Json]) -> str | None:
    """The currency a sentence names, else the one of a record among the arguments, else of any record."""
    for code in re.findall(r"\b[A-Z]{3}\b", sentence):
        if code in money.currencies():
            return str(code)
    named = [known.record(id) for id in args.values() if isinstance(id, str)]
    others = [record for records in known.tables.values() for record in records.values()]
    found = (record.get("currency") for record in (*named, *others))
    return next((code for code in found if isinstance(code, str)), None)


def _amount(sentence: str, known: Known, args: Mapping[str, Json]) -> int | None:
    """An amount in minor units: the last one said, else what is open or whole on a record."""
    numbers = [found.replace(",", "") for found in _NUMBER.findall(_without_ids(sentence, known))]
    currency = currency_of(sentence, known, args) or "EUR"
    for number in reversed(numbers):
        try:
            return money.to_minor(number.lstrip("0") if number[:2] != "0." else number, currency) or None
        except money.BadAmount:
            continue
    for record in (known.record(id) for id in args.values() if isinstance(id, str)):
        for whole, less in (("total_minor", "received_minor"), ("captured_minor", "refunded_minor")):
            total, gone = record.get(whole), record.get(less, 0)
            if type(total) is int and type(gone) is int and total > gone:
                return total - gone
    return None


def _whole(sentence: str) -> int | None:
    found = _NUMBER.search(sentence)
    return int(found[0].replace(",", "").split(".")[0]) if found else None


def _without_ids(sentence: str, known: Known) -> str:
    for records in known.tables.values():
        for id in records:
            sentence = sentence.replace(id, " ")
    return _IBAN.sub(" ", sentence)


def _choice(choices: Sequence[str | int], sentence: str) -> str | int:
    lowered = sentence.lower()
    for choice in choices:
        if str(choice).replace("_", " ").rstrip("ly").replace("dai", "day") in lowered:
            return choice
    return choices[0]


def _whom(sentence: str, known: Known) -> str | None:
    address = ADDRESS.search(sentence)
    if address:
        return address[0]
    named = next((id for records in known.tables.values() for id in records if _named(id, sentence)), None)
    return named or known.writer
