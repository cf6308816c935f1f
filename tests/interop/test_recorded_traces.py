from __future__ import annotations

import json
from pathlib import Path

import pytest

from company_lab.agents.conducts import reference, wrong
from company_lab.episodes import play
from company_lab.formats.errors import Problems
from company_lab.interop.authored import score, score_file
from company_lab.interop.recorded_traces import final_changes
from company_lab.scenarios.suite import load_suite
from company_lab.traces.files import write_traces
from company_lab.traces.record import Trace
from company_lab.worlds.registry import resolve_world
from recorded_episode import wrong_posting

SCENARIO = """\
id: customer_moved
title: A customer moved
clock: 2026-03-05T08:00:00+01:00
role: {tenant: brightwater, permissions: [crm.read, crm.write]}
people: {office: {permissions: [crm.read, crm.write]}}
initial:
  contacts: {C-1: {name: Ida Holm, email: ida@holm.example.test}}
stimulus: {from: office, message: "Ida Holm's address is ida.holm@holm.example.test now."}
expected:
  state: {contacts: {C-1: {email: ida.holm@holm.example.test}}}
reference:
  - do: [{tool: crm.update, args: {id: C-1, email: ida.holm@holm.example.test}}]
    reply: "Changed to ida.holm@holm.example.test."
wrong:
  - id: another_address
    codes: [state_mismatch]
    do: [{tool: crm.update, args: {id: C-1, email: ida@holm2.example.test}}]
    reply: "Changed to ida.holm@holm.example.test."
"""
GOAL = {
    "customer_moved": {
        "goal": {"contacts": {"C-1": {"email": "ida.holm@holm.example.test"}}},
        "required": "ida.holm@holm.example.test",
    }
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite"
    path.mkdir()
    (path / "customer_moved.yaml").write_text(SCENARIO)
    return path


@pytest.fixture
def traces(suite: Path, tmp_path: Path) -> Path:
    """Trial 1 by the reference, trial 2 by the wrong conduct."""
    world = resolve_world("company")
    (scenario,) = load_suite(suite, lambda name: resolve_world(name).spec).scenarios
    fixture = world.prepare(scenario)
    agents = (reference(scenario), wrong(scenario, "another_address"))
    episodes = [play(fixture, agent, trial=trial).trace for trial, agent in enumerate(agents, start=1)]
    path = tmp_path / "episodes.jsonl"
    write_traces(path, episodes)
    return path


def goals(folder: Path) -> Path:
    path = folder / "goals.json"
    path.write_text(json.dumps(GOAL))
    return path


def test_traces_are_judged_by_goals(traces: Path, tmp_path: Path) -> None:
    (part,) = score(traces, goals(tmp_path)).parts
    assert [(episode.trial, episode.outcome) for episode in part.episodes] == [(1, "success"), (2, "failure")]
    assert "contacts.C-1.email" in part.episodes[1].reasons[0]
    assert part.episodes[0].calls == 1


def test_traces_are_judged_by_their_scenarios(traces: Path, suite: Path) -> None:
    for place in (suite, suite / "customer_moved.yaml"):
        (part,) = score(traces, place).parts
        assert [episode.outcome for episode in part.episodes] == ["success", "failure"]
        assert part.episodes[1].reasons[0].startswith("state_mismatch: ")


def test_what_a_trace_is_evidence_of_is_told_as_its_own_claim(traces: Path, suite: Path) -> None:
    first = score_file(traces, suite)[0].splitlines()[0]
    assert first.startswith("Recorded elsewhere (according to the files: deterministic simulation); ")


def test_a_trace_without_goals_is_refused(traces: Path) -> None:
    with pytest.raises(Problems, match="no goal for the task 'customer_moved'"):
        score(traces)


def test_a_scenario_that_the_suite_lacks_is_refused(traces: Path, suite: Path) -> None:
    (suite / "customer_moved.yaml").write_text(SCENARIO.replace("id: customer_moved", "id: customer_move"))
    with pytest.raises(Problems, match="no scenario customer_moved; did you mean customer_move"):
        score(traces, suite)


def test_the_short_form_needs_goals_and_no_scenarios(suite: Path) -> None:
    runs = suite.parent / "runs.json"
    episode = {
        "task": "customer_moved",
        "trial": 1,
        "events": [],
        "final": {},
        "reply": None,
        "stop": "finished",
    }
    runs.write_text(json.dumps([episode]))
    with pytest.raises(Problems, match="scenarios judge traces only"):
        score(runs, suite)


def test_a_trace_that_is_cut_off_is_refused_with_its_line(traces: Path, tmp_path: Path) -> None:
    lines = traces.read_text().splitlines(keepends=True)
    whole = len(lines)
    traces.write_text("".join(lines[:-1]))
    with pytest.raises(
        Problems, match=rf"episodes\.jsonl:{whole - 1}: customer_moved trial 2 has no settled record"
    ):
        score(traces, goals(tmp_path))
    traces.write_text("".join(lines[:-2]))
    with pytest.raises(Problems, match="trial 2 ends without a stopped record: cut off"):
        score(traces, goals(tmp_path))
    traces.write_text("".join(lines)[:-9])
    with pytest.raises(Problems, match=rf"episodes\.jsonl:{whole}: "):
        score(traces, goals(tmp_path))


def test_the_same_episode_twice_is_refused(traces: Path, tmp_path: Path) -> None:
    traces.write_text(traces.read_text() * 2)
    with pytest.raises(Problems, match="customer_moved trial 1 is there twice"):
        score(traces, goals(tmp_path))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"scenario": 5}, "names no scenario"),
        ({"trial": True}, "names no trial"),
        ({"evidence": "reel model"}, "did you mean real model"),
    ],
)
def test_a_header_that_says_nothing_is_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    trace = wrong_posting()
    trace.records[0].update(change)
    path = tmp_path / "episodes.jsonl"
    write_traces(path, [trace])
    with pytest.raises(Problems, match=said):
        score(path, goals(tmp_path))


def test_final_changes_tell_created_changed_and_deleted_records_apart() -> None:
    absent = {"is": "absent"}
    trace = Trace()
    trace.add(
        "settled",
        "",
        changes=[
            {"table": "a", "id": "1", "op": "create", "fields": {"x": [absent, None], "y": [absent, 1]}},
            {"table": "a", "id": "2", "op": "update", "fields": {"x": [1, 2], "gone": [1, absent]}},
            {"table": "a", "id": "3", "op": "delete", "fields": {"x": [1, absent]}},
            {"table": "a", "id": "1", "op": "update", "tenant": "other", "fields": {"x": [1, 2]}},
        ],
    )
    assert final_changes(trace) == {
        "a": {"1": {"x": None, "y": 1}, "2": {"x": 2, "gone": absent}, "3": None},
        "other/a": {"1": {"x": 2}},
    }
