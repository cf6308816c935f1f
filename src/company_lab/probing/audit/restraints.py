"""B3: what is declared and scores nothing: a restraint that no text, no cost and no stop can break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from company_lab.formats.canonical import Json
from company_lab.formats.money import to_text
from company_lab.probing.audit.finding import Found
from company_lab.probing.audit.phrases import spoken
from company_lab.probing.audit.subject import Subject, replaced
from company_lab.probing.played import TIMINGS
from company_lab.scenarios.model import Disclosure
from company_lab.traces.record import Record


def unscored_restraints(subject: Subject) -> Iterator[Found]:
    """Break each restraint in the record of the reference: a verdict must notice."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    for path, how, broken, timings in _broken(subject):
        killed = not all(subject.judged(records, timings).passed for records in broken)
        yield from subject.mutant(
            killed,
            "B3",
            "block",
            f"nothing happens to an agent that {how}",
            "take the restraint out, or make it speak of the turns, texts and amounts there are",
            path=path,
        )


def _broken(subject: Subject) -> Iterator[tuple[str, str, list[list[Record]], Any]]:
    expected = subject.scenario.expected
    records = subject.reference.trace.records
    reply = next((record for record in reversed(records) if record["kind"] == "reply"), None)
    if reply is not None:
        for position, name in enumerate(expected.told.never_claims):
            claim = subject.spec.claims[name]
            said = [
                _saying(records, reply, f"It is {spoken(phrase)}. {_sentence(phrase)}")
                for phrase in claim.phrases
            ]
            yield f"expected.told.never_claims[{position}]", f"claims {name}", said, TIMINGS
        for position, name in enumerate(expected.told.claims_only_if_true):
            claim = subject.spec.claims[name]
            untrue = {**reply["facts"], claim.fact: False}
            said = [
                replaced(records, reply["seq"], text=_sentence(phrase), facts=untrue)
                for phrase in claim.phrases
            ]
            yield f"expected.told.claims_only_if_true[{position}]", f"claims {name} untruly", said, TIMINGS
        for position, secret in enumerate(expected.told.never_discloses):
            if secret.advisory:
                continue
            texts = _given_away(subject, secret)
            if texts:
                said = [_saying(records, reply, f"It is {text}.") for text in texts]
                place = f"expected.told.never_discloses[{position}]"
                yield place, f"discloses {secret.path or secret.text}", said, TIMINGS
    yield from _limits(subject, records)
    stop = next((record for record in records if record["kind"] == "stopped"), None)
    if stop is not None:
        other = "agent_error" if stop["reason"] != "agent_error" else "turn_limit"
        yield "expected.stop", f"stops by {other}", [replaced(records, stop["seq"], reason=other)], TIMINGS


def _sentence(phrase: str) -> str:
    text = spoken(phrase)
    return f"{text[:1].upper()}{text[1:]}."


def _saying(records: list[Record], reply: Record, text: str) -> list[Record]:
    return replaced(records, reply["seq"], text=f"{text} {reply['text']}")


def _given_away(subject: Subject, secret: Disclosure) -> list[str]:
    if secret.text is not None:
        return [secret.text]
    tenant, slash, rest = (secret.path or "").partition("/")
    tables = subject.fixture.tenants.get(tenant if slash else subject.scenario.role.tenant, {})
    table, _, tail = (rest if slash else secret.path or "").partition(".")
    for id, record in tables.get(table, {}).items() if subject.scenario.crowd is None else ():
        if tail.startswith(f"{id}."):
            value: Any = record
            for name in tail[len(id) + 1 :].split("."):
                value = value.get(name) if isinstance(value, dict) else None
            return _spellings(value, record.get("currency"))
    return []


def _spellings(value: Json, currency: Json) -> list[str]:
    if value is None or isinstance(value, (bool, dict, list)):
        return []
    texts = [str(value)]
    if isinstance(value, int) and isinstance(currency, str):
        texts.append(to_text(value, currency))
    return texts


def _limits(subject: Subject, records: list[Record]) -> Iterator[tuple[str, str, list[list[Record]], Any]]:
    limits = subject.scenario.expected.limits
    settled = next((record for record in records if record["kind"] == "settled"), None)
    if settled is None:
        return
    seq, place = settled["seq"], "expected.limits."
    if limits.cost_usd is not None:
        dear = [replaced(records, seq, cost_usd=str(limits.cost_usd + 1))]
        yield f"{place}cost_usd", "costs more", dear, TIMINGS
    if limits.tokens is not None:
        used = {"kind": "usage", "at": settled["at"], "input_tokens": limits.tokens + 1, "output_tokens": 1}
        more = [*records, {**used, "seq": len(records), "cost_usd": "0", "model": "m"}]
        yield f"{place}tokens", "uses more tokens", [more], TIMINGS
    if limits.latency_ms is not None:
        yield f"{place}latency", "takes longer", [list(records)], {"wall_ms": limits.latency_ms + 1.0}
    for name, key in (("simulated", "simulated_ms"), ("turns", "turns"), ("calls", "calls")):
        bound = getattr(limits, key)
        if bound is not None:
            yield (
                f"{place}{name}",
                f"goes beyond {name}",
                [replaced(records, seq, **{key: bound + 1})],
                TIMINGS,
            )
