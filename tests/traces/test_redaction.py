from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.canonical import canonical
from company_lab.formats.errors import Problems
from company_lab.traces import Trace
from company_lab.traces.redaction import Redaction, Redactor
from company_lab.traces.redaction_rules import kept_redaction, load_redaction, spelled

AT = "2026-03-05T08:00:00+01:00"
RULES = """
format: 1
patterns: [email, iban, {name: case, regex: 'K-\\d+'}]
records: [contacts.*.name, contacts.C-1.city]
"""


@pytest.fixture
def rules(tmp_path: Path) -> Redaction:
    file = tmp_path / "rules.yaml"
    file.write_text(RULES, "utf-8")
    return load_redaction(file)


def trace(*texts: str) -> Trace:
    made = Trace()
    made.add("started", AT, scenario="s1", trial=1, agent={"name": "a", "kind": "scripted", "settings": {}})
    for text in texts:
        made.add("reply", AT, turn=1, to=None, text=text, facts={})
    return made


def replies(redacted: Trace) -> list[str]:
    return [record["text"] for record in redacted.by_kind("reply")]


def test_equal_values_stay_equal_and_different_ones_different(rules: Redaction) -> None:
    made = trace("ida@holm.example.test and bo@holm.example.test", "again ida@holm.example.test, case K-7")
    assert replies(Redactor(rules, made).trace(made)) == [
        "[email 1] and [email 2]",
        "again [email 1], case [case 1]",
    ]


def test_the_trace_says_that_it_was_redacted_and_its_digest_is_of_what_is_left(rules: Redaction) -> None:
    made = trace("ida@holm.example.test", "ida@holm.example.test", "K-7")
    redacted = Redactor(rules, made).trace(made)
    assert redacted.header["redacted"] == {"rules": rules.digest, "values": 2}
    assert redacted.digest != made.digest
    assert "redacted" not in made.header
    assert b"holm" not in redacted.bytes()


TABLES = {"contacts": {"C-1": {"name": "Ida Holm", "city": "Bergen"}, "C-2": {"name": "Bo", "city": "Oslo"}}}


def test_values_of_records_are_replaced_wherever_they_are_quoted(rules: Redaction) -> None:
    made = trace("Dear IDA HOLM of Bergen", "Bo lives in Oslo; both books are lent")
    assert replies(Redactor(rules, made, [TABLES]).trace(made)) == [
        "Dear [contacts.name 1] of [contacts.city 1]",
        "[contacts.name 2] lives in Oslo; both books are lent",
    ]


@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("Weiß", "Frau Weiß, WEISS, weiß", "Frau [contacts.name 1], [contacts.name 1], [contacts.name 1]"),
        ("WEISS", "Frau Weiss, not weißer", "Frau [contacts.name 1], not weißer"),
        ("Ali", "ALİ, alı and Ali", "[contacts.name 1], [contacts.name 1] and [contacts.name 1]"),
        ("İpek", "İpek", "[contacts.name 1]"),
        ("ﬁnn", "FINN, ﬁnn", "[contacts.name 1], [contacts.name 1]"),
        (" Noa ", "Dear Noa,", "Dear [contacts.name 1],"),
    ],
)
def test_a_value_is_found_in_whatever_case_its_letters_can_be_written(
    rules: Redaction, name: str, text: str, shown: str
) -> None:
    made = trace(text)
    tables = {"contacts": {"C-2": {"name": name}}}
    assert replies(Redactor(rules, made, [tables]).trace(made)) == [shown]


@given(name=st.text(min_size=1, max_size=4), how=st.sampled_from([str, str.upper, str.lower, str.casefold]))
def test_whatever_a_value_is_it_does_not_stay(name: str, how: Any) -> None:
    rules = kept_redaction('{"format":1,"patterns":[],"records":["contacts.*.name"]}')
    made = trace(f"- {name} -", f"- {how(name)} -")
    tables = {"contacts": {"C-1": {"name": name}}}
    exact, _ = replies(Redactor(rules, made, [tables]).trace(made))
    assert not name.strip() or "[contacts.name 1]" in exact


@pytest.mark.parametrize("text", ["a", "\\", "sk-", "eyJ-", "a.", "+1", "1 ", "://a:"])
@pytest.mark.timeout(20)
def test_a_long_hostile_text_takes_no_longer_than_it_has_to(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("patterns: [email, phone, iban, card, key]", "utf-8")
    made = trace(text * (60_000 // len(text)))
    assert len(Redactor(load_redaction(file), made).trace(made)) == 2


def test_a_schedule_is_redacted_whatever_is_known_of_the_agent(rules: Redaction) -> None:
    made = Trace()
    made.add("started", AT, scenario="s1", trial=1, schedule=[{"change": {"name": "ida@holm.example.test"}}])
    assert b"holm" not in Redactor(rules, made).trace(made).bytes()


def test_numbers_that_a_rule_names_are_replaced_small_ones_only_under_their_field(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("records: [patients.*.file, patients.*.age, patients.*.insured]", "utf-8")
    tables = {"patients": {"P-1": {"file": 48213, "age": 41, "insured": True, "visits": 41}}}
    made = trace("File 48213: 41 is the age", "148213 is another")
    made.add("action", AT, call="c41", args={"file": 48213, "age": 41, "page": 41, "ok": True}, turn=41)
    made.add("result", AT, call="c41", value={"insured": True, "related": [48213, 48214]}, changes=[])
    made.add("settled", AT, changes=[], simulated_ms=48213, calls=1, turns=1, faults=[], facts={})
    redacted = Redactor(load_redaction(file), made, [tables]).trace(made)
    assert replies(redacted) == ["File [patients.file 1]: 41 is the age", "148213 is another"]
    action, result = next(redacted.by_kind("action")), next(redacted.by_kind("result"))
    assert action["args"] == {"file": "[patients.file 1]", "age": "[patients.age 1]", "page": 41, "ok": True}
    assert action["turn"] == 41
    assert result["value"] == {"insured": "[patients.insured 1]", "related": ["[patients.file 1]", 48214]}
    assert next(redacted.by_kind("settled"))["simulated_ms"] == 48213


def test_values_that_an_episode_brings_are_found_in_its_changes(rules: Redaction) -> None:
    made = trace("Welcome, Noa!")
    change = {"table": "contacts", "id": "C-9", "op": "create", "fields": {"name": [{"is": "absent"}, "Noa"]}}
    made.add("result", AT, call="c1", outcome="executed", value={"name": "Noa"}, changes=[change])
    redacted = Redactor(rules, made).trace(made)
    assert replies(redacted) == ["Welcome, [contacts.name 1]!"]
    result = redacted.records[-1]
    assert result["value"] == {"name": "[contacts.name 1]"}
    assert result["changes"][0] == change | {"fields": {"name": [{"is": "absent"}, "[contacts.name 1]"]}}


def test_what_other_parts_rest_on_stays_whatever_the_rules_say(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("patterns: [{name: all, regex: '.+'}]", "utf-8")
    made = trace("hello")
    made.add("action", AT, call="c1", turn=1, tool="email.send", args={"to": "Ida"}, by="agent")
    made.add("stopped", AT, reason="finished", detail="so it was")
    redacted = Redactor(load_redaction(file), made).trace(made)
    assert [record["kind"] for record in redacted.records] == ["started", "reply", "action", "stopped"]
    assert redacted.records[2]["tool"] == "email.send"
    assert b"Ida" not in redacted.bytes()
    assert redacted.stop == "finished"
    assert all(record["at"] == AT for record in redacted.records)


def test_no_rule_looks_into_a_placeholder(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("patterns: [email, {name: number, regex: '[0-9]+'}]", "utf-8")
    made = trace("a@b.example 12")
    assert replies(Redactor(load_redaction(file), made).trace(made)) == ["[email 1] [number 1]"]


@given(st.lists(st.sampled_from(["ida@a.test", "bo@b.test", "K-1", "K-22", "plain"]), min_size=1, max_size=8))
def test_placeholders_are_as_distinct_as_what_they_stand_for(texts: list[str]) -> None:
    rules = kept_redaction(
        '{"format":1,"patterns":["email",{"name":"case","regex":"K-[0-9]+"}],"records":[]}'
    )
    made = trace(*texts)
    shown = replies(Redactor(rules, made).trace(made))
    for one, its in zip(texts, shown, strict=True):
        for other, others in zip(texts, shown, strict=True):
            assert (one == other) == (its == others)
    again = trace(*texts)
    assert Redactor(rules, again).trace(again).bytes() == Redactor(rules, made).trace(made).bytes()


def test_known_patterns_find_what_they_are_called(tmp_path: Path) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text("patterns: [email, phone, iban, card, key]", "utf-8")
    key = "sk-" + "live4f9a8b7c6d5e4f3a2b1c"
    made = trace(f"call +47 22 33 44 55, pay DE89 3704 0044 0532 0130 00 with 4111 1111 1111 1111, use {key}")
    shown = "call [phone 1], pay [iban 1] with [card 1], use [key 1]"
    assert replies(Redactor(load_redaction(file), made).trace(made)) == [shown]
    foreign = trace("an jürgen@köln.example.test")
    assert replies(Redactor(load_redaction(file), foreign).trace(foreign)) == ["an [email 1]"]
    harmless = trace("I-400 of 2026-03-05 is 9,000.00 EUR; meet at 12:30")
    assert replies(Redactor(load_redaction(file), harmless).trace(harmless)) == replies(harmless)


def test_rules_survive_saving_and_loading_in_either_form(rules: Redaction, tmp_path: Path) -> None:
    assert kept_redaction(spelled(rules)) == rules
    file = tmp_path / "rules.toml"
    file.write_text(
        "patterns = ['email', 'iban', {name = 'case', regex = 'K-\\d+'}]\n"
        "records = ['contacts.*.name', 'contacts.C-1.city']\n",
        "utf-8",
    )
    assert load_redaction(file).digest == rules.digest


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("patterns: [emial]", "did you mean email"),
        ("pattern: [email]", "did you mean patterns"),
        ("patterns: []", "no rule"),
        ("patterns: [{name: x, regex: '('}]", "no regular expression"),
        ("patterns: [{name: x, regex: 'a*'}]", "match everywhere"),
        ("patterns: [{name: x, regx: 'a'}]", "did you mean regex"),
        ("patterns: [email, email]", "twice"),
        ("records: [contacts.name]", "table.id.field"),
        ("format: 2\npatterns: [email]", "expected 1"),
        ("- email", "an object"),
    ],
)
def test_rules_that_make_no_sense_are_refused_with_their_place(
    tmp_path: Path, text: str, complaint: str
) -> None:
    file = tmp_path / "rules.yaml"
    file.write_text(text, "utf-8")
    with pytest.raises(Problems, match=complaint) as refused:
        load_redaction(file)
    assert f"{file}:1" in str(refused.value) or f"{file}:2" in str(refused.value)


def test_a_file_that_is_not_there_or_no_toml_is_told(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="can not be read"):
        load_redaction(tmp_path / "none.yaml")
    (tmp_path / "rules.toml").write_text("patterns = [", "utf-8")
    with pytest.raises(Problems, match="no TOML"):
        load_redaction(tmp_path / "rules.toml")


def test_a_trace_without_anything_to_redact_says_so_too(rules: Redaction) -> None:
    made = trace("hello")
    redacted: Any = Redactor(rules, made).trace(made)
    assert redacted.header["redacted"]["values"] == 0
    assert canonical(redacted.records[1]) == canonical(made.records[1])


@pytest.mark.parametrize(
    "raw",
    [
        r'{"to":"J\u00fcrgen \u00d6z \ud83d\ude00"}',
        r'{"to":"J\u00fcrgen \u00d6z \ud83d\ude00"',
        r"{\"to\":\"J\\u00fcrgen \\u00d6z \\ud83d\\ude00\"}",
    ],
    ids=["JSON", "broken JSON", "JSON in JSON"],
)
def test_a_value_is_found_where_json_spells_it_with_escapes(rules: Redaction, raw: str) -> None:
    tables = {"contacts": {"C-1": {"name": "Jürgen Öz \U0001f600"}}}
    made = trace()
    made.add("action", AT, call="c1", tool="x", args=None, supplied=raw, by="agent", hint=None)
    (action,) = Redactor(rules, made, [tables]).trace(made).by_kind("action")
    assert "[contacts.name 1]" in action["supplied"]
    assert "00fcrgen" not in action["supplied"]


def test_an_address_behind_an_escape_is_found_and_other_escapes_stay(rules: Redaction) -> None:
    made = trace(r'{"to":"ida\u0040holm.example.test"}', r'{"note":"a \"b\" \u00fc ida@holm.example.test"}')
    assert replies(Redactor(rules, made).trace(made)) == [
        '{"to":"[email 1]"}',
        r'{"note":"a \"b\" \u00fc [email 1]"}',
    ]
