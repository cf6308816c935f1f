"""C1 and C2: answers that the agent is told, and things it should never see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from company_lab.agents.conducts import reference
from company_lab.formats.canonical import Json
from company_lab.formats.money import to_text
from company_lab.probing.audit.finding import Found
from company_lab.probing.audit.scripted import SCRIPTED
from company_lab.probing.audit.subject import Subject
from company_lab.probing.audit.wording import wording
from company_lab.probing.played import Played
from company_lab.scenarios.model import States

_SHORTEST = 2
CANARY = "canary-7b1f0c4e9d2a"
"""Put where only the lab looks; an agent that could read it could read the answers."""


def told_beforehand(subject: Subject) -> Iterator[Found]:
    """A value that must be worked out and stated stands in no message, tool text or id.

    Values that are in the records or events, that an expected action takes or a record must come to hold, or that the
    scenario lists under `audit.given` may: the agent could not work without them.
    """
    if not subject.asks_agent:
        return
    scenario = subject.scenario
    prompt = [scenario.stimulus.message or "", *(follow.message for follow in scenario.stimulus.then)]
    tools = [f"{tool.name} {tool.description}" for tool in subject.spec.tools.values()]
    ids = [
        id
        for tables in subject.fixture.tenants.values()
        for table in tables
        for id in _ids(subject, tables[table])
    ]
    known = _known(subject)
    for position, entry in enumerate(scenario.expected.told.states):
        spellings = _spellings(entry)
        if not spellings or _is_given(entry, spellings, known, scenario.audit.given):
            continue
        for where, texts in (("the message", prompt), ("the text of a tool", tools), ("an id", ids)):
            if where != "the message" and not any(one.isdigit() for one in spellings[0]):
                continue  # a word is in some text anyway
            found = next((one for one in spellings for text in texts if _stands_in(one, text)), None)
            if found is not None:
                yield subject.finding(
                    "C1",
                    "block",
                    f"{found!r}, which must be worked out, stands in {where} already",
                    "let the agent find it, or list it under `audit.given` where it is part of the task",
                    path=f"expected.told.states[{position}]",
                )
                break


def _ids(subject: Subject, records: Mapping[str, Any]) -> Sequence[str]:
    return list(records) if subject.scenario.crowd is None else ()


def _spellings(entry: States) -> list[str]:
    if entry.amount_minor is not None and entry.currency is not None:
        number = to_text(entry.amount_minor, entry.currency).removesuffix(f" {entry.currency}")
        plain = number.replace(",", "")
        return [number, plain, *([plain[:-3]] if plain.endswith(".00") and len(plain) > 4 else [])]
    if entry.literal is not None:
        return [entry.literal]
    if entry.number is not None:
        return [str(entry.number)] if len(str(entry.number)) >= _SHORTEST else []
    return [text for text in (entry.date, entry.id) if text is not None]


def _known(subject: Subject) -> tuple[str, frozenset[int]]:
    """Everything in records and events as text, and the whole numbers in it and in expected arguments."""
    scenario = subject.scenario
    things: list[Any] = [
        dict(tables) for tables in subject.fixture.tenants.values() if scenario.crowd is None
    ]
    things += [scenario.document.get("initial"), scenario.document.get("events")]
    things += [value for _, value in scenario.stimulus.happenings]
    actions = [*scenario.expected.actions]
    for alternative in scenario.expected.alternatives:
        actions += alternative.actions
    things += [entry.args for entry in actions] + [entry.match for entry in scenario.expected.effects]
    things += [scenario.expected.state, scenario.expected.created]
    numbers: set[int] = set()
    texts: list[str] = []
    _gather(things, numbers, texts)
    return "\n".join(texts), frozenset(numbers)


def _gather(value: object, numbers: set[int], texts: list[str]) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            texts.append(str(key))
            _gather(item, numbers, texts)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _gather(item, numbers, texts)
    elif isinstance(value, int):
        numbers.add(value)
    elif isinstance(value, str):
        texts.append(value)


def _is_given(
    entry: States, spellings: list[str], known: tuple[str, frozenset[int]], given: Sequence[str]
) -> bool:
    text, numbers = known
    if any(_stands_in(one, other) or _stands_in(other, one) for one in spellings for other in given):
        return True
    if entry.amount_minor is not None:
        return entry.amount_minor in numbers or _stands_in(spellings[0], text)
    if isinstance(entry.number, int) and entry.number in numbers:
        return True
    return any(_stands_in(one, text) for one in spellings)


def _stands_in(part: str, text: str) -> bool:
    return (
        bool(part)
        and re.search(rf"(?<![\w.,]){re.escape(part)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None
    )


def readable_canary(subject: Subject) -> Iterator[Found]:
    """Mark what only the lab may know, let an agent read all it can, and look for the mark."""
    if not subject.asks_agent:
        return
    scenario = subject.scenario
    told = scenario.expected.told
    marked = scenario.model_copy(
        update={
            "title": f"{scenario.title} {CANARY}",
            "origin": CANARY,
            "family": CANARY,
            "tags": (*scenario.tags, CANARY),
            "failure_class": CANARY,
            "expected": scenario.expected.model_copy(
                update={"told": told.model_copy(update={"states": (*told.states, States(literal=CANARY))})}
            ),
        }
    )
    names = [CANARY, scenario.id] + ([scenario.title] if len(scenario.title.split()) > 2 else [])
    for agent in (SCRIPTED["dumps"], reference(scenario)):
        shown = _shown(subject.play(agent, scenario=marked))
        found = next((name for name in names if name in shown), None)
        if found is not None:
            what = {CANARY: "a mark put into the expectation", scenario.id: "the scenario's id"}
            yield subject.finding(
                "C2",
                "block",
                f"the agent can read {what.get(found, 'the title of the scenario')}",
                "keep what names or judges the scenario out of records, events and tools",
                path="initial",
            )
            return


def _shown(played: Played) -> str:
    """Everything the agent was shown in an episode."""
    shown: list[Json] = []
    for record in played.trace.records:
        if record["kind"] == "turn":
            shown.append([record["message"], record["sender"]])
        elif record["kind"] == "observation":
            shown.append([record["events"], record.get("message")])
        elif record["kind"] == "result":
            shown.append([record.get("value"), record.get("error")])
    return wording(shown)
