"""Where a text must state two amounts, it is not enough that both stand in it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pytest

from company_lab.agents.conducts import reference
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.formats.money import to_text
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario, Told
from company_lab.scenarios.suite import load_suite

SCENARIOS = load_suite(SUITE, lambda name: company.spec).scenarios
Pair = tuple[tuple[int, str], tuple[int, str]]


def pairs_to_state(told: Told) -> list[Pair]:
    """Amounts that one receiver must be told together and that could be taken for each other."""
    together: Mapping[tuple[str | None, int | None], list[tuple[int, str]]] = defaultdict(list)
    for entry in told.states:
        if entry.amount_minor is not None and entry.currency is not None:
            together[entry.to, entry.turn or told.turn].append((entry.amount_minor, entry.currency))
    found = []
    for amounts in together.values():
        for place, first in enumerate(amounts):
            found += [
                (first, second)
                for second in amounts[place + 1 :]
                if first[1] == second[1] or first[0] == second[0]
            ]
    return found


PAIRS = [
    (scenario, pair)
    for scenario in SCENARIOS
    if not scenario.is_contract and scenario.expected.told is not None
    for pair in pairs_to_state(scenario.expected.told)
]


def swapped(texts: Any, pair: Pair) -> Any:
    """The same document with the two amounts in each other's place."""
    first, second = (to_text(*amount) for amount in pair)
    written = json.dumps(texts).replace(first, "\0").replace(second, first).replace("\0", second)
    return json.loads(written)


def plain(scenario: Scenario, conducts: Any) -> Scenario:
    return load_document({**scenario.document, "reference": conducts}, worlds=lambda name: company.spec)


def outcome(scenario: Scenario) -> str:
    episode = play(company.prepare(scenario), reference(scenario))
    return judge(scenario, company.spec, episode.trace, episode.timings).outcome


def test_there_are_such_scenarios() -> None:
    assert len(PAIRS) >= 9


@pytest.mark.parametrize(
    ("scenario", "pair"), PAIRS, ids=[f"{one.id}-{pair[0][0]}-{pair[1][0]}" for one, pair in PAIRS]
)
def test_two_amounts_in_each_others_place_do_not_pass(scenario: Scenario, pair: Pair) -> None:
    conducts = scenario.document["reference"]
    assert outcome(plain(scenario, conducts)) == "passed"
    changed = swapped(conducts, pair)
    assert changed != conducts
    assert outcome(plain(scenario, changed)) != "passed"


def deposit(states: list[dict[str, Any]], text: str) -> str:
    """What comes of the first scenario of the suite when its letter says this."""
    (scenario,) = (one for one in SCENARIOS if one.id == "partial_payment_is_not_settlement")
    document = json.loads(json.dumps(scenario.document))
    document["expected"]["told"]["states"] = states
    mail = next(step for step in document["reference"][0]["do"] if step["tool"] == "email.send")
    mail["args"]["text"] = text
    return outcome(load_document(document, worlds=lambda name: company.spec))


WITHOUT_ROLE = [{"amount_minor": 400000, "currency": "EUR", "to": "ida@holm.example.test"}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We received 5,000.00 EUR; 4,000.00 EUR remain open.", "passed"),
        ("Of 9,000.00 EUR, 5,000.00 EUR have arrived and 4,000.00 EUR are open.", "passed"),
        ("4,000.00 EUR.", "passed"),
        ("We received 4,000.00 EUR; 5,000.00 EUR remain open.", "failed"),
        ("4,000.00 EUR have come in, and 5,000.00 EUR are still outstanding.", "failed"),
        ("Received: 4,000.00 EUR. Open: 5,000.00 EUR.", "failed"),
    ],
)
def test_without_a_role_amounts_in_each_others_place_are_noticed_by_the_books(
    text: str, expected: str
) -> None:
    assert deposit(WITHOUT_ROLE, text) == expected
