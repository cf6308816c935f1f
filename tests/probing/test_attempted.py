"""Which call was which step, also where a crash made a conduct do some of its steps again."""

from __future__ import annotations

from pathlib import Path

import pytest

from company_lab.agents.conducts import reference
from company_lab.episodes import play
from company_lab.probing.attempted import attempted
from company_lab.probing.audit import audit_suite
from company_lab.probing.mutate import Original
from company_lab.probing.seeded_bugs import BANK, world
from company_lab.scenarios.loader import load_scenarios
from company_lab.scenarios.model import Fault
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

BUG = BANK["correct"]
CRASHED = """
id: a_crash_of_its_own
world: company_lab.probing.seeded_bugs:world
clock: 2026-03-02T09:00:00+01:00
role: {tenant: main}
initial:
  bills:
    B-1: {payee: Holm, amount_minor: 12000}
    B-2: {payee: Aker, amount_minor: 34000}
stimulus: {message: Pay the two bills.}
faults: [{on: bank.list_bills, kind: crash, at: after, restart: checkpoint}]
expected:
  effects:
    - {provider: bank, op: transfer, match: {bill: B-1}, times: 1}
    - {provider: bank, op: transfer, match: {bill: B-2}, times: {at_most: 1}}
  actions:
    - {tool: bank.pay, args: {bill: B-1, key: {any: true}}, times: 1}
  may_change: {transfers: any}
reference:
  - do:
      - {tool: bank.list_bills}
      - {tool: bank.pay, args: {bill: B-1, key: one}}
      - {tool: bank.pay, args: {bill: B-2, key: two}}
    reply: Both are paid.
"""


@pytest.mark.parametrize("mode", ["checkpoint", "transcript", "task"])
@pytest.mark.parametrize("point", ["before", "after", "answered", "saved"])
def test_a_step_that_is_done_again_after_a_crash_is_one_step(point: str, mode: str) -> None:
    scenario = BUG.scenario()
    crash = Fault.model_validate(
        {"on": "bank.pay", "kind": "crash", "occurrence": 2, "at": point, "restart": mode}
    )
    trace = play(world.prepare(scenario), reference(scenario), schedule=(crash,)).trace
    found = list(attempted(scenario.reference, trace))
    assert [one.step for one in found] == [*scenario.reference[0].do]
    assert [(one.turn, one.place) for one in found] == [(0, place) for place in range(5)]
    assert all(one.action["args"].get("bill") == one.step.args.get("bill") for one in found)
    assert all(one.result["outcome"] == "executed" for one in found)


def test_the_steps_of_several_turns_stand_in_their_turns() -> None:
    scenario = BANK["correct_events"].scenario()
    found = list(attempted(scenario.reference, play(world.prepare(scenario), reference(scenario)).trace))
    assert [(one.turn, one.place) for one in found] == [
        (turn, place) for turn, conduct in enumerate(scenario.reference) for place in range(len(conduct.do))
    ]


def test_a_mutation_starts_from_the_right_steps_after_a_crash() -> None:
    (scenario,) = load_scenarios(CRASHED.encode(), file="crashed.yaml", worlds=lambda _: world.spec)
    steps = Original(scenario, world).steps
    assert [(done.tool, done.args.get("bill")) for done in steps if done.effects] == [
        ("bank.pay", "B-1"),
        ("bank.pay", "B-2"),
    ]


def test_a_write_that_nobody_misses_is_named_at_its_own_place_after_a_crash(tmp_path: Path) -> None:
    (tmp_path / "crashed.yaml").write_text(CRASHED, "utf-8")
    suite = load_suite(tmp_path, worlds=lambda name: resolve_world(name).spec)
    report = audit_suite(suite, resolve_world, only=["A7"], processes=1)
    assert report.killed.total == 2
    assert [(one.path, one.evidence) for one in report.findings] == [
        ("reference[0].do[2]", "the reference passes without bank.pay")
    ]
