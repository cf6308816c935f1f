"""A value given as a secret is in no record of the episode, whatever the agent does with it."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import Agent, ToolError
from company_lab.company import company
from company_lab.episodes import play
from company_lab.episodes.programs import program_agent
from company_lab.evaluation import judge
from company_lab.scenarios.loader import load_scenarios
from company_lab.traces import Trace

KEY = "hush-hush-123"
TEXT = """
id: writes_down_a_key
initial: {contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test, phone: "0"}}}
stimulus: {message: Note the number.}
expected: {state: {contacts: {C-1: {phone: "1"}}}, told: {states: [{literal: done}]}}
reference: [{do: [{tool: crm.update, args: {id: C-1, phone: "1"}}], reply: done}]
wrong: [{id: silent, codes: [missing_reply], do: [], reply: nothing}]
"""
(SCENARIO,) = load_scenarios(TEXT, worlds=lambda name: company.spec)


def played(agent: Agent) -> Trace:
    return play(company.prepare(SCENARIO), agent).trace


def leaks_everywhere(task: Any, session: Any) -> str:
    session.usage(input_tokens=1, output_tokens=1, model=f"model {KEY}")
    session.asked(role="agent", model=KEY, answer={"text": KEY, KEY: [KEY]})
    session.asked(role="agent", model="m", error={"message": f"bad key {KEY}"})
    session.choice({"state": KEY}, {"answers": [KEY]})
    session.memory = {"key": KEY}
    for tool, args in (
        ("crm.update", {"id": "C-1", "phone": KEY}),
        (KEY, f'{{"a": "{KEY}'),
        ("crm.get", {"id": KEY}),
    ):
        with suppress(ToolError):
            session.attempt(tool, args, hint=KEY)
    raise RuntimeError(KEY)


def test_a_secret_stands_in_no_record_and_the_verdict_is_the_same_about_what_is_kept() -> None:
    agent = replace(function_agent(leaks_everywhere), secrets=(KEY,))
    assert KEY not in repr(agent)
    trace = played(agent)
    assert "hush" not in trace.text()
    kinds = {record["kind"] for record in trace.records if "(secret)" in str(record)}
    assert kinds >= {"usage", "model", "choice", "memory", "action", "result", "stopped", "settled"}
    verdict = judge(SCENARIO, company.spec, trace)
    plain = judge(SCENARIO, company.spec, played(function_agent(leaks_everywhere)))
    assert [failure.code for failure in verdict.failures] == [failure.code for failure in plain.failures]
    assert "hush" not in str(verdict.to_json())
    assert "hush" in str(plain.to_json())


def test_what_was_not_given_as_a_secret_stays_as_it_is() -> None:
    assert KEY in played(replace(function_agent(leaks_everywhere), secrets=("another-secret",))).text()


@pytest.mark.parametrize("env", ["MODEL_KEY", f"MODEL_KEY={KEY}"])
def test_a_key_handed_to_a_program_is_not_kept_when_it_puts_it_into_a_call(
    env: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    program = tmp_path / "agent.py"
    program.write_text(
        "import json, os, sys\n"
        "json.loads(input())\n"
        "key = os.environ['MODEL_KEY']\n"
        "print(json.dumps({'kind': 'call', 'id': 1, 'tool': 'crm.update', 'args': {'id': 'C-1', 'phone': key}}))\n"
        "sys.stdout.flush()\n"
        "json.loads(input())\n"
        "print(json.dumps({'kind': 'reply', 'text': 'done'}))\n",
        encoding="utf-8",
    )
    trace = played(program_agent([sys.executable, str(program)], speaks="lines", env=[env]))
    (action,) = trace.by_kind("action")
    assert action["args"] == {"id": "C-1", "phone": "(secret)"}
    assert "hush" not in trace.text()
    assert trace.stop == "finished"
