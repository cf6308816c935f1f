"""Keys and types: nothing misspelt is passed over, at any level, and every complaint says what to do."""

from __future__ import annotations

import pytest

from company_lab.scenarios.structure import known_keys
from scenario_texts import LONG, edited, load, only_problem, place_of, problems_in

FULL = edited(
    LONG,
    (
        "events:\n",
        "events:\n"
        "  - {at: 1h30m, id: evt_2, type: mail.received, data: {text: Hi}, wakes: true, from: ida@x.test}\n",
    ),
    (
        "stimulus: {from: finance_lead,",
        "stimulus: {then: [{when: {after: invoices.get}, from: finance_lead, message: Thanks}],"
        " from: finance_lead,",
    ),
    (
        "  stop: finished\n",
        "  stop: finished\n"
        "  effects: [{provider: mail, op: send, match: {}, times: {at_least: 1, at_most: 2}}]\n",
    ),
    (
        "  stop: finished\n",
        "  stop: finished\n  alternatives:\n    - id: asks_which\n"
        "      told: {asks: [{question: which_invoice, to: x}]}\n",
    ),
    (
        "    never_claims:",
        "    never_discloses: [contacts.C-1.email, {text: secret, severity: minor}]\n    never_claims:",
    ),
    (
        "reference:\n",
        "providers: {bank: {refund: [{answer: declined}]}}\n"
        "faults: [{on: invoices.get, kind: error, error: down}]\n"
        "tags: [money]\n"
        "reference:\n",
    ),
)


def test_the_sample_with_every_section_loads() -> None:
    scenario = load(FULL)
    assert scenario.events[0].at_ms == 5_400_000
    assert scenario.events[0].sender == "ida@x.test"
    assert scenario.stimulus.then[0].when.after == "invoices.get"
    times = scenario.expected.effects[0].times
    assert times is not None
    assert not isinstance(times, int)
    assert (times.at_least, times.at_most) == (1, 2)
    assert scenario.expected.alternatives[0].told.asks[0].question == "which_invoice"
    assert [entry.path for entry in scenario.expected.told.never_discloses] == ["contacts.C-1.email", None]
    assert scenario.expected.told.never_discloses[1].severity == "minor"
    assert scenario.providers == {"bank": {"refund": ({"answer": "declined"},)}}
    assert scenario.faults[0].error == "down"


@pytest.mark.parametrize(
    ("old", "wrong", "right"),
    [
        ("title:", "titel", "title"),
        ("role: {tenant:", "tennant", "tenant"),
        (", approves:", "aproves", "approves"),
        ("{at: +0s", "att", "at"),
        ("wakes:", "wake", "wakes"),
        ("stimulus: {then: [{when:", "wen", "when"),
        ("{when: {after:", "aftr", "after"),
        ("- {tool: email.send, args: {to: ida@holm.example.test}, times: 1}", "tols", "tool"),
        ("forbidden: [{tool:", "tol", "tool"),
        (", op:", "opp", "op"),
        ("match:", "matches", "match"),
        ("{at_least:", "at_lest", "at_least"),
        (", before:", "befor", "before"),
        ("    states:", "sates", "states"),
        ("{amount_minor: 400000", "amount_minr", "amount_minor"),
        ("asks: [{question:", "qestion", "question"),
        (", severity: minor", "sevrity", "severity"),
        ("cost_usd:", "cost_us", "cost_usd"),
        ("latency:", "latnecy", "latency"),
        ("tokens:", "token", "tokens"),
        ("on: invoices.get", "onn", "on"),
        ("  - do:", "dos", "do"),
        ('    reply: "Booked', "replay", "reply"),
        ("- {tool: invoices.mark_paid, args", "argss", "args"),
        ("    codes: [state", "code", "codes"),
        ("- id: asks_which", "idd", "id"),
    ],
)
@pytest.mark.fault("A11", "G04")
def test_a_misspelt_key_is_found_at_every_level(old: str, wrong: str, right: str) -> None:
    at = old.rindex(right)
    swapped = old[:at] + wrong + old[at + len(right) :]
    text = edited(FULL, (old, swapped))
    found = [problem for problem in problems_in(text) if problem.path.endswith(wrong)]
    assert len(found) == 1, problems_in(text)
    assert found[0].message == f"unknown key {wrong}"
    assert found[0].nearest == right
    assert (found[0].line, found[0].column) == place_of(text, f"{wrong}:")
    assert right in str(found[0].expected)


@pytest.mark.parametrize(
    ("old", "new", "path", "expected"),
    [
        ("format: 1", "format: 2", "format", "1"),
        ("format: 1", "format: 1.0", "format", "1"),
        ("format: 1", "format: true", "format", "1"),
        ("split: development", "split: test", "split", "one of development, held_out"),
        (
            "approves: [payments.refund]",
            "approves: payments.refund",
            "people.finance_lead.approves",
            "a list",
        ),
        ("tags: [money]", "tags: money", "tags", "a list"),
        ("tags: [money]", "tags: [7]", "tags[0]", "text"),
        ("tags: [money]", "tags: ['two\\nlines ']", "tags[0]", None),
        ("role: {", "role: []\nx: {", "role", "a mapping"),
        ("at: +0s", "at: 0", "events[1].at", "a duration such as 20s, 10m, 1h30m, 3d"),
        ("at: +0s", "at: soon", "events[1].at", "a duration such as 20s, 10m, 1h30m, 3d"),
        ("at: +0s", "at: 2026-03-05T08:00:00Z", "events[1].at", "a duration such as 20s, 10m, 1h30m, 3d"),
        ("at: +0s", "at: 99999999d", "events[1].at", "at most 100 years"),
        ("wakes: true", "wakes: yes", "events[0].wakes", "true or false"),
        ("wakes: true", "wakes: 1", "events[0].wakes", "true or false"),
        ("turns: 4", "turns: 0", "limits.turns", "at least 1"),
        ("turns: 4", "turns: 4.5", "limits.turns", "a whole number"),
        ("turns: 4", "turns: '4'", "limits.turns", "a whole number"),
        ('cost_usd: "0.05"', "cost_usd: 0.05", "expected.limits.cost_usd", 'US dollars such as "0.05"'),
        ('cost_usd: "0.05"', "cost_usd: NaN", "expected.limits.cost_usd", 'US dollars such as "0.05"'),
        ('cost_usd: "0.05"', 'cost_usd: "-1"', "expected.limits.cost_usd", 'US dollars such as "0.05"'),
        ("times: 1}\n  forb", "times: -1}\n  forb", "expected.actions[1].times", "at least 0"),
        (
            "times: {at_least: 1, at_most: 2}",
            "times: {}",
            "expected.effects[0].times",
            "at_least, at_most, or both",
        ),
        (
            "times: {at_least: 1, at_most: 2}",
            "times: {at_least: 2, at_most: 1}",
            "expected.effects[0].times",
            "at_least not above at_most",
        ),
        (
            "currency: EUR, to:",
            "currency: EURO, to:",
            "expected.told.states[0].currency",
            "an ISO 4217 currency code",
        ),
        (
            "{amount_minor: 400000, currency: EUR, to",
            "{amount_minor: 400000, to",
            "expected.told.states[0]",
            "amount_minor together with currency",
        ),
        ("{amount_minor: 400000, currency: EUR, to", "{to", "expected.told.states[0]", None),
        (
            "{amount_minor: 400000, currency: EUR, to",
            "{id: A, number: 5, to",
            "expected.told.states[0]",
            None,
        ),
        (
            "{amount_minor: 400000, currency: EUR, to",
            "{date: 2026-02-30, to",
            "expected.told.states[0].date",
            None,
        ),
        ("{text: secret, severity: minor}", "{severity: minor}", "expected.told.never_discloses[1]", None),
        ("{text: secret, severity: minor}", "5", "expected.told.never_discloses[1]", "a mapping"),
        ("{after: invoices.get}", "{}", "stimulus.then[0].when", "{asks: question} or {after: tool}"),
        ("codes: [state_mismatch, forbidden_action]", "codes: []", "wrong[1].codes", "at least one entry"),
        ("message: Thanks", "message: ''", "stimulus.then[0].message", "text"),
        ("locale: en", "locale: English please", "locale", None),
        ("stop: finished", "stop: cancelled", "expected.stop", None),
    ],
)
def test_a_wrong_type_or_value_says_what_is_expected(
    old: str, new: str, path: str, expected: str | None
) -> None:
    found = {problem.path: problem for problem in problems_in(edited(FULL, (old, new)))}
    assert path in found, found
    assert expected is None or found[path].expected == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{amount_minor: 400000, currency: EUR, to", "{literal: 2500 cents, to"),
        ("{amount_minor: 400000, currency: EUR, to", "{number: 34.5, to"),
        ("{amount_minor: 400000, currency: EUR, to", "{date: 2026-02-28, to"),
        ("{amount_minor: 400000, currency: EUR, to", "{id: I-400, turn: 2, to"),
        (
            "{amount_minor: 400000, currency: EUR, to",
            "{amount_minor: 4, currency: JPY, role: open_balance, to",
        ),
        ("times: {at_least: 1, at_most: 2}", "times: 2"),
        ("turns: 4", "cost_usd: '1.5', simulated: 2d, wall: 500ms, output: 10, repeats: 2, turns: 4"),
        ("locale: en", "locale: de-CH"),
        ("stop: finished", "stop: turn_limit"),
    ],
)
def test_other_right_values_load(old: str, new: str) -> None:
    assert problems_in(edited(FULL, (old, new))) == ()


def test_an_empty_value_never_means_a_default() -> None:
    problem = only_problem(
        edited(FULL, (", approves: [payments.refund]", ", approves: [payments.refund], tenant: "))
    )
    assert problem.path == "people.finance_lead.tenant"
    assert problem.found == "nothing (null)"
    permissions = "permissions: [crm.read, invoices.read, invoices.write, orders.write, email.send]}\npeople"
    assert only_problem(edited(FULL, (permissions, "permissions: }\npeople"))).path == "role.permissions"


def test_missing_keys_are_named_at_the_mapping_that_lacks_them() -> None:
    text = edited(FULL, ("id: evt_1, ", ""), ("- id: excellent", "- idd: excellent"))
    found = [(problem.path, problem.message) for problem in problems_in(text)]
    assert ("events[1]", "the key id is missing") in found
    assert ("wrong[1]", "the key id is missing") in found


def test_a_wrong_conduct_is_one_turn_or_several() -> None:
    several = edited(
        FULL,
        (
            "    do:\n      - {tool: invoices.mark_paid",
            "    turns: [{reply: Hm}]\n    do:\n      - {tool: invoices.mark_paid",
        ),
    )
    assert only_problem(several).expected == "do and reply, or turns"
    assert (
        load(
            edited(
                FULL,
                (
                    "  - id: excellent",
                    "  - {id: b, codes: [not_finished], turns: [{reply: A}, {reply: B}]}\n  - id: excellent",
                ),
            )
        )
        .wrong[1]
        .turns[1]
        .reply
        == "B"
    )


def test_the_keys_of_the_format_come_from_the_model() -> None:
    assert known_keys(("expected", "told", "asks", 0)) == ("severity", "advisory", "question", "to", "turn")
    assert known_keys(("wrong", 0, "turns", 0, "do", 0)) == ("tool", "args", "malformed")
    assert "initial" in known_keys(())
