from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from company_lab.formats.errors import Problems
from company_lab.interop.tau_bench import read

SAMPLE = Path(__file__).parent / "data" / "harbour_air.json"
Run = dict[str, Any]


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Callable[[list[Any]], object]], Path]:
    def change(how: Callable[[list[Any]], object]) -> Path:
        runs = json.loads(SAMPLE.read_text())
        how(runs)
        path = tmp_path / "changed.json"
        path.write_text(json.dumps(runs, indent=1))
        return path

    return change


def test_every_run_becomes_a_trace_with_the_reward_as_verdict() -> None:
    episodes = list(read(SAMPLE))
    assert [
        (episode.task, episode.trial, episode.verdict.outcome, episode.trace.stop) for episode in episodes
    ] == [
        ("task_0", 0, "passed", "finished"),
        ("task_3", 0, "passed", "finished"),
        ("task_0", 1, "failed", "finished"),
        ("task_3", 1, "failed", "turn_limit"),
    ]
    assert {episode.trace.header["evidence"] for episode in episodes} == {"recorded elsewhere"}
    assert {episode.trace.header["layer"] for episode in episodes} == {None}


@pytest.mark.fault("E26")
def test_the_words_of_the_recording_stay_as_they_are() -> None:
    first = next(iter(read(SAMPLE)))
    values = [result["value"] for result in first.trace.by_kind("result")]
    assert values[0] == '{"id": "HB-21", "seat": "12C", "note": "meals A, B, ] and {C, } stay as written"}'
    assert [action["hint"] for action in first.trace.by_kind("action")] == ["call_1", "call_2"]


def test_a_failure_says_as_much_as_the_suite_recorded() -> None:
    codes = [episode.verdict.codes for episode in read(SAMPLE)]
    assert codes == [(), (), ("state_mismatch",), ("not_finished",)]


def test_missing_outputs_are_a_missing_reply(changed: Callable[..., Path]) -> None:
    def forget(runs: list[Run]) -> None:
        info = {"r_outputs": 0.0, "outputs": {"35": False}}
        runs[1].update(reward=0.0)
        runs[1]["info"]["reward_info"] = {"reward": 0.0, "info": info, "actions": []}

    episode = list(read(changed(forget)))[1]
    assert episode.verdict.codes == ("missing_reply",)
    assert "35" in episode.verdict.failures[0].message
    assert episode.trace.records[episode.verdict.failures[0].evidence[0]]["kind"] == "reply"


def test_call_ids_that_stand_twice_are_findings_and_change_nothing_else() -> None:
    findings = {
        (episode.task, episode.trial): [finding.kind for finding in episode.findings]
        for episode in read(SAMPLE)
    }
    assert findings == {
        ("task_0", 0): [],
        ("task_3", 0): [],
        ("task_0", 1): ["duplicate_call_id"],
        ("task_3", 1): [],
    }


def _set(*path: str | int, value: object) -> Callable[[list[Any]], object]:
    def change(runs: list[Any]) -> None:
        target: Any = runs
        for part in path[:-1]:
            target = target[part]
        target[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_set(1, "reward", value=0.5), "[1].reward: a partial reward"),
        (_set(1, "reward", value="1"), "reward must be a number"),
        (_set(1, "reward", value=True), "reward must be a number"),
        (_set(1, "trial", value=1.0), "trial must be a whole number"),
        (_set(1, "trial", value=True), "trial must be a whole number"),
        (_set(1, "task_id", value=-1), "task_id must be a whole number"),
        (_set(1, "traj", value=[]), "traj must be a list of messages"),
        (_set(1, "traj", 2, "role", value="oracle"), "traj[2]: unknown role 'oracle'"),
        (_set(1, "info", value=None), "info must be an object with the task"),
        (_set(1, "info", "reward_info", value=None), "the step limit ended can not have a reward"),
        (_set(1, "info", "reward_info", "reward", value=0.0), "this differs"),
        (lambda runs: runs[1].pop("traj"), "the key traj is missing"),
        (lambda runs: runs[1]["info"].pop("reward_info"), "the key reward_info is missing"),
        (lambda runs: runs.append(runs[1]), "task_3 trial 0 is there twice, first in line"),
        (_set(2, "info", "task", "instruction", value="another"), "task_0 is another task in another trial"),
        (lambda runs: runs.clear(), "the list is empty"),
        (lambda runs: runs.append(5), "a recorded run must be an object"),
    ],
)
def test_a_wrong_run_is_refused_with_file_line_and_place(
    changed: Callable[..., Path], change: Callable[[list[Any]], object], said: str
) -> None:
    path = changed(change)
    with pytest.raises(Problems) as caught:
        list(read(path))
    message = str(caught.value)
    assert said.removeprefix("[1].").removeprefix("[2].") in message
    assert message.startswith(str(path))


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = SAMPLE.read_text()
    path = tmp_path / "cut.json"
    for keep in (len(whole) // 3, len(whole) - 3):
        path.write_text(whole[:keep])
        with pytest.raises(Problems, match="cut off"):
            list(read(path))
