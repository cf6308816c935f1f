"""Runs whose traces are redacted before they are stored, and judged before that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.protocol import Agent, Session, Task
from company_lab.formats.errors import WrongUse
from company_lab.interop.tau_import import import_runs
from company_lab.runs import RunPlan, Store, begin, execute
from company_lab.runs.explaining import explained
from company_lab.runs.redacting import is_redacted
from company_lab.runs.rejudging import rejudge, scenarios_of
from company_lab.runs.resume import differences
from company_lab.traces.redaction import Redaction
from company_lab.traces.redaction_rules import load_redaction
from company_lab.worlds.world import World
from depot import world
from played_run import document, prepared

RECORDED = Path(__file__).parents[1] / "interop" / "data" / "harbour_air.json"
SECRET = "sk-" + "live4f9a8b7c6d5e4f3a2b1c"


def depot(_: str) -> World:
    return world


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def rules(folder: Path, text: str) -> Redaction:
    file = folder / "rules.yaml"
    file.write_text(text, "utf-8")
    return load_redaction(file)


def gossips(task: Task, session: Session) -> str:
    receiver = session.call("depot.get", id="P-1")["receiver"]
    session.call("depot.ship", id="P-1")
    return f"It is on its way to {receiver}."


def played(store: Store, redaction: Redaction, act: Any = gossips, **options: Any) -> RunPlan:
    plan, castings = prepared(act, ids=["send_p1"], trials=2, **options)
    plan = replace(plan, redaction=redaction.digest)
    begin(plan, castings, store, redaction=redaction)
    execute(plan, castings, store)
    return plan


def test_episodes_are_judged_whole_and_stored_redacted(store: Store, tmp_path: Path) -> None:
    expected = document()["expected"] | {"told": {"states": [{"literal": "ida@holm.example.test"}]}}
    plan = played(store, rules(tmp_path, "patterns: [email]"), expected=expected)
    assert store.entry(plan.run).outcomes == {"passed": 2}
    for stored in store.stored(plan.run):
        assert is_redacted(stored.trace)
        assert b"holm" not in stored.trace.bytes()
        assert [record["text"] for record in stored.trace.by_kind("reply")] == [
            "It is on its way to [email 1]."
        ]
    # What the verdict needed is gone, so it is not given anew from what is left.
    found = list(rejudge(store, plan.run, scenarios_of(store, plan.run, worlds=depot), worlds=depot))
    assert {one.left_out is None for one in found} == {False}
    assert "redacted" in str(found[0].left_out)
    assert explained(store, plan.run, "send_p1", 1, worlds=depot).remarks


def test_where_nothing_that_was_judged_is_gone_episodes_are_judged_again(
    store: Store, tmp_path: Path
) -> None:
    plan = played(store, rules(tmp_path, "records: [parcels.*.receiver]"))
    assert all(b"holm" not in stored.trace.bytes() for stored in store.stored(plan.run))
    found = list(rejudge(store, plan.run, scenarios_of(store, plan.run, worlds=depot), worlds=depot))
    assert [(one.left_out, one.differs) for one in found] == [(None, False)] * 2


def test_what_a_verdict_quotes_is_redacted_too(store: Store, tmp_path: Path) -> None:
    expected = document()["expected"] | {"told": {"never_discloses": [{"text": "ida@holm.example.test"}]}}
    plan = played(store, rules(tmp_path, "patterns: [email]"), expected=expected)
    (first, _) = store.stored(plan.run)
    assert first.verdict.codes == ("forbidden_disclosure",)
    assert "holm" not in str(first.verdict.to_json())


def test_a_run_goes_on_with_the_rules_it_began_with(store: Store, tmp_path: Path) -> None:
    redaction = rules(tmp_path, "patterns: [email]")
    plan, castings = prepared(gossips, ids=["send_p1"], trials=2)
    marked = replace(plan, redaction=redaction.digest)
    assert [one.name for one in differences(marked, plan)] == ["redaction"]
    begin(marked, castings, store)  # the store was never given the rules
    with pytest.raises(WrongUse, match="does not hold"):
        execute(marked, castings, store)
    assert store.entry(marked.run).stored == 0


def test_an_import_is_redacted_and_is_another_run_than_the_whole_one(store: Store, tmp_path: Path) -> None:
    whole = import_runs(RECORDED, store)
    secret = next(iter(store.stored(whole.run))).trace
    word = next(str(record["text"]).split()[0] for record in secret.by_kind("reply") if record["text"])
    redaction = rules(tmp_path, f"patterns: [{{name: word, regex: '{word}'}}]")
    redacted = import_runs(RECORDED, store, redaction=redaction)
    assert redacted.run != whole.run
    assert import_runs(RECORDED, store, redaction=redaction).added == 0
    assert store.entry(redacted.run).outcomes == store.entry(whole.run).outcomes
    assert word.encode() in b"".join(stored.trace.bytes() for stored in store.stored(whole.run))
    assert word.encode() not in b"".join(stored.trace.bytes() for stored in store.stored(redacted.run))
    for digest in store.plan(redacted.run).prompts.values():
        assert word not in str(store.kept(digest))


def test_keys_in_settings_are_stored_nowhere(store: Store) -> None:
    agent = Agent(
        name="tests:keyed",
        kind="scripted",
        act=gossips,
        settings={"model": "m-1", "api_key": SECRET, "headers": {"Authorization": f"Bearer {SECRET}"}},
        prompts={"system": "Be kind to Ida."},
    )
    plan, castings = prepared(agent, ids=["send_p1"], trials=1)
    begin(plan, castings, store)
    execute(plan, castings, store)
    stored = store.episode(plan.run, "send_p1", 1)
    assert stored.trace.header["agent"]["settings"]["model"] == "m-1"
    assert SECRET not in stored.trace.text()
    assert SECRET not in store.plan(plan.run).text()
    assert [store.kept(digest) for digest in plan.prompts.values()] == ["Be kind to Ida."]
    other = replace(agent, settings=dict(agent.settings) | {"api_key": "sk-another0123456789abcdef"})
    assert other.digest == agent.digest
    assert replace(agent, prompts={"system": "Be brief."}).digest != agent.digest


def test_prompts_and_rules_go_with_the_last_run_that_needs_them(store: Store, tmp_path: Path) -> None:
    redaction = rules(tmp_path, "patterns: [email]")
    agent = Agent(name="tests:a", kind="scripted", act=gossips, prompts={"system": "Be kind."})
    first, second = (played(store, redaction, agent) for _ in range(2))
    prompt = first.prompts["system"]
    store.forget([first.run])
    assert store.kept(prompt) == "Be kind."
    assert store.kept(redaction.digest)
    store.forget([second.run])
    assert (store.kept(prompt), store.kept(redaction.digest)) == (None, None)
