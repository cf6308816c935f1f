from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from company_lab.formats.errors import Problems, WrongUse
from company_lab.interop.authored import score, score_file

EXAMPLES = Path(__file__).parents[2] / "examples" / "authored_traces"
PRINTED = """\
Authored fixtures only; no model inference
successful episodes: 3/6
pass^1: 0.5000
pass^2: 0.1667
error episodes recovered: 1/2
turn-limit episodes: 1/6"""
GOALS = {"refund": {"goal": {"refunds": [2500]}, "required": "2500 cents"}}


def episode(number: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "task": "refund",
        "trial": number,
        "events": [["orders.get A-104", "delivered"]],
        "final": {"refunds": [2500]},
        "reply": "We returned 2500 cents.",
        "stop": "finished",
        **changes,
    }


def written(folder: Path, *episodes: dict[str, Any], name: str = "runs.json", **top: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps({"goals": GOALS, **top, "episodes": list(episodes)}, indent=1))
    return path


def refused(path: Path, goals: Path | None = None) -> str:
    with pytest.raises(Problems) as caught:
        score(path, goals)
    return str(caught.value)


def test_the_shipped_examples_print_exactly_this() -> None:
    assert score_file(EXAMPLES) == (PRINTED, 1)  # three of the six failed


def test_the_examples_say_in_json_what_they_say_in_text() -> None:
    text, code = score_file(EXAMPLES, as_json=True)
    (part,) = json.loads(text)["parts"]
    assert code == 1
    assert (part["successful"], part["planned"], part["turn_limit_episodes"]) == (3, 6, 1)
    assert part["pass_k"] == {"1": 0.5, "2": pytest.approx(1 / 6), "3": 0.0}
    assert (part["error_episodes"], part["error_episodes_recovered"]) == (2, 1)
    assert [task["successes"] for task in part["tasks"]] == [1, 2]


def test_details_give_the_reason_for_every_failure() -> None:
    text, _ = score_file(EXAMPLES, details=True)
    assert text.startswith(PRINTED)
    assert 'order.status is "delivered", not "refunded"' in text
    assert 'customer.street is "Lindenweg 21", not "Lindenweg 12"' in text
    assert "stopped: turn_limit" in text


def test_without_a_word_about_evidence_episodes_count_as_recorded_elsewhere(tmp_path: Path) -> None:
    first = score_file(written(tmp_path, episode(0), episode(1)))[0].splitlines()[0]
    assert first == "Recorded elsewhere; nothing was run or observed here"
    claimed = score_file(written(tmp_path, episode(0), evidence="real model"))[0].splitlines()[0]
    assert (
        claimed == "Recorded elsewhere (according to the files: real model); nothing was run or observed here"
    )


def test_authored_and_recorded_episodes_are_never_pooled(tmp_path: Path) -> None:
    written(tmp_path, episode(0), name="a.json", evidence="authored")
    path = written(tmp_path, episode(1, final={}), name="b.json", goals={})
    assert path.parent == tmp_path
    text, _ = score_file(tmp_path)
    assert [block.splitlines()[1] for block in text.split("\n\n")] == [
        "successful episodes: 1/1",
        "successful episodes: 0/1",
    ]


def test_what_files_claim_differently_is_never_pooled_either(tmp_path: Path) -> None:
    written(tmp_path, episode(0), name="a.json", evidence="real model")
    written(tmp_path, episode(1, final={}), name="b.json", goals={}, evidence="test model")
    first, second = score(tmp_path).parts
    assert [(part.claimed, part.successes, part.planned) for part in (first, second)] == [
        ("real model", 1, 1),
        ("test model", 0, 1),
    ]


@pytest.mark.parametrize(
    ("changes", "succeeds"),
    [
        ({}, True),
        ({"events": [{"action": {"tool": "x"}, "result": {"error": "timed_out"}}] * 5}, True),
        ({"final": {"refunds": [2500.0]}}, True),
        ({"stop": "turn_limit"}, False),
        ({"stop": "agent_error"}, False),
        ({"final": {"refunds": [2500], "note": "extra"}}, False),
        ({"final": {"refunds": [2500, 2500]}}, False),
        ({"final": {"refunds": ["2500"]}}, False),
        ({"final": {}}, False),
        ({"final": None}, False),
        ({"reply": None}, False),
        ({"reply": "  \n"}, False),
        ({"reply": "We returned 12500 cents."}, False),
        ({"reply": "We returned 2500 centsible things."}, False),
        ({"reply": "WE RETURNED 2500\u00a0CENTS!"}, True),
    ],
)
def test_success_is_finished_with_the_whole_goal_and_the_whole_text(
    tmp_path: Path, changes: dict[str, Any], succeeds: bool
) -> None:
    (part,) = score(written(tmp_path, episode(0, **changes))).parts
    assert part.episodes[0].outcome == ("success" if succeeds else "failure")


def test_identical_trials_establish_no_repeated_reliability(tmp_path: Path) -> None:
    alike = [episode(0), episode(1)]
    line = "the trials of each task are identical: no repeated reliability established"
    assert score_file(written(tmp_path, *alike))[0].splitlines()[-1] == line
    differing = [episode(0), episode(1, reply="We returned 2500 cents today.")]
    assert "no repeated reliability" not in score_file(written(tmp_path, *differing))[0]
    both = [*alike, *(one | {"task": "other"} for one in differing)]
    path = written(tmp_path, *both, goals={"refund": GOALS["refund"], "other": GOALS["refund"]})
    text = score_file(path)[0]
    assert text.endswith("identical trials of 1 of 2 tasks: no repeated reliability established there")
    (part,) = json.loads(score_file(path, as_json=True)[0])["parts"]
    assert {task["task"]: task["repeated"] for task in part["tasks"]} == {"refund": False, "other": True}


def test_true_is_not_one(tmp_path: Path) -> None:
    goals = {"refund": {"goal": {"done": True}, "required": "2500 cents"}}
    (part,) = score(written(tmp_path, episode(0, final={"done": 1}), goals=goals)).parts
    assert part.successes == 0


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        ("ok", False),
        ("error", True),
        ("Error: no such order", True),
        ("errorless", False),
        ("timed_out", True),
        ({"error": None}, False),
        ({"error": {"code": "x"}}, True),
        ({"ok": False}, True),
        ({"status": "failed"}, True),
        ({"status": "delivered"}, False),
        (["error"], False),
        (None, False),
    ],
)
def test_which_results_are_errors(tmp_path: Path, result: Any, is_error: bool) -> None:
    (part,) = score(written(tmp_path, episode(0, events=[["look up", result]]))).parts
    assert part.episodes[0].error is is_error
    assert part.episodes[0].recovered is is_error


def test_pass_k_is_given_for_every_k_until_it_is_zero(tmp_path: Path) -> None:
    path = written(tmp_path, *(episode(trial, **({"final": {}} if trial == 4 else {})) for trial in range(5)))
    lines = score_file(path)[0].splitlines()[2:-2]
    assert lines == ["pass^1: 0.8000", "pass^2: 0.6000", "pass^3: 0.4000", "pass^4: 0.2000"]


def test_one_trial_establishes_nothing_about_repetition(tmp_path: Path) -> None:
    text, _ = score_file(written(tmp_path, episode(0)))
    assert "pass^2" not in text
    assert text.splitlines()[-1] == "one trial of a task: no repeated reliability established"


def test_a_missing_trial_leaves_no_figure_across_tasks(tmp_path: Path) -> None:
    goals = {**GOALS, "address": {"goal": {}, "required": "moved"}}
    moved = {"task": "address", "final": {}, "reply": "moved"}
    path = written(tmp_path, episode(0), episode(1), episode(0, **moved), goals=goals)
    text, code = score_file(path)
    assert code == 3
    assert "pass^" not in text
    assert "successful episodes" not in text
    assert "incomplete: 3 of 4 planned episodes" in text
    assert "missing: trial 1" in text
    assert "refund: 2 of 2 successful" in text
    part = json.loads(score_file(path, as_json=True)[0])["parts"][0]
    assert (part["pass_k"], part["successful"], part["complete"]) == (None, None, False)


def test_a_gap_between_trials_and_a_task_without_episodes_are_missing_too(tmp_path: Path) -> None:
    assert score_file(written(tmp_path, episode(0), episode(2)))[1] == 3
    text, code = score_file(written(tmp_path, episode(0), goals={**GOALS, "address": GOALS["refund"]}))
    assert code == 3
    assert "address has a goal and no episode" in text


def test_an_outage_is_not_the_agents_and_leaves_no_figure(tmp_path: Path) -> None:
    path = written(tmp_path, episode(0), episode(1, stop="infrastructure_error", reply=None, final={}))
    text, code = score_file(path)
    assert code == 3
    assert "not counted: trial 1" in text
    assert "pass^" not in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stop": "finish"}, "runs.json:28: episodes[0].stop: an unknown stop reason; found 'finish'"),
        ({"stop": "finish"}, "did you mean finished?"),
        ({"tral": 1}, "unknown key 'tral'; did you mean trial?"),
        ({"trial": "1"}, "wrong trial; found '1'; expected a whole number"),
        ({"trial": True}, "wrong trial; found true"),
        ({"trial": 10**9}, "wrong trial"),
        ({"task": ""}, "wrong task"),
        ({"reply": 5}, "wrong reply; found 5; expected text or null"),
        ({"events": "none"}, "events must be a list of pairs"),
        ({"events": [["a"]]}, "an event is a pair [action, result]; found a list of 1"),
        ({"events": [{"action": "a", "outcome": "b"}]}, "an event is a pair"),
        ({"events": [[None, "b"]]}, "an action is text or an object"),
        ({"task": "refnd"}, "no goal for the task 'refnd'; did you mean refund?"),
    ],
)
def test_a_wrong_episode_is_refused_with_its_place(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    assert said in refused(written(tmp_path, episode(0, **change)))


@pytest.mark.parametrize(
    ("top", "said"),
    [
        ({"evidence": "authord"}, "an unknown kind of evidence; found 'authord'"),
        ({"evidence": "authord"}, "did you mean authored?"),
        ({"format": 2}, "this version reads format 1"),
        ({"gaols": {}}, "unknown key 'gaols'; did you mean goals?"),
        ({"goals": []}, "goals must be an object by task"),
        (
            {"goals": {"refund": {"goal": {}, "require": "x"}}},
            "unknown key 'require'; did you mean required?",
        ),
        ({"goals": {"refund": {"goal": {}}}}, "the key required is missing"),
        ({"goals": {"refund": {"goal": {}, "required": " "}}}, "so it can not fail"),
        ({"goals": {"refund": {"goal": [], "required": "x"}}}, "the goal must be an object"),
        ({"goals": {}}, "no goal for the task 'refund'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, top: dict[str, Any], said: str) -> None:
    assert said in refused(written(tmp_path, episode(0), **top))


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    written(tmp_path, episode(0, stop="x"), episode(1, reply=1), name="a.json")
    (tmp_path / "b.jsonl").write_text('{"task": NaN}\n')
    said = refused(tmp_path)
    assert [part in said for part in ("a.json:28", "a.json:44", "b.jsonl:1")] == [True, True, True]


def test_an_episode_given_twice_names_both_places(tmp_path: Path) -> None:
    said = refused(written(tmp_path, episode(0), episode(0)))
    assert "refund trial 0 is there twice, first at" in said
    assert said.count("runs.json:") == 2


def test_the_same_file_under_two_names_is_no_second_set_of_trials(tmp_path: Path) -> None:
    written(tmp_path, episode(0), name="a.json")
    written(tmp_path, episode(0), name="b.json", goals={})
    assert "refund trial 0 is there twice" in refused(tmp_path)


def test_goals_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    runs = tmp_path / "runs.jsonl"
    runs.write_text("\n".join(json.dumps(episode(trial)) for trial in (0, 1)) + "\n")
    for number, document in enumerate((GOALS, {"goals": GOALS})):
        goals = tmp_path / f"goals_{number}.yaml"
        goals.write_text(json.dumps(document))
        assert "successful episodes: 2/2" in score_file(runs, goals)[0]


def test_a_list_of_episodes_is_a_file_too(tmp_path: Path) -> None:
    runs, goals = tmp_path / "runs.json", tmp_path / "goals.json"
    runs.write_text(json.dumps([episode(0), episode(1)]))
    goals.write_text(json.dumps(GOALS))
    assert score(runs, goals).parts[0].successes == 2


def test_a_cut_off_last_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(
        json.dumps({"goals": GOALS}) + "\n" + json.dumps(episode(0)) + "\n" + json.dumps(episode(1))[:60]
    )
    assert "runs.jsonl:3: " in refused(path)


def test_nothing_to_score_is_never_a_success(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("")
    assert "the file is empty" in refused(tmp_path / "empty.json")
    with pytest.raises(WrongUse, match="holds no episode"):
        score(written(tmp_path))
    with pytest.raises(WrongUse, match=r"did you mean .*runs\.json"):
        score(tmp_path / "rns.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(WrongUse, match="holds no file that ends in"):
        score(tmp_path / "folder")


def test_hostile_names_reach_no_terminal(tmp_path: Path) -> None:
    goals = {"re\x1b[2Kfund": GOALS["refund"]}
    path = written(tmp_path, episode(0, task="re\x1b[2Kfund", final={"x": "\x1b]0;won\x07"}), goals=goals)
    text, _ = score_file(path, details=True)
    assert "\x1b" not in text
    assert "\\x1b[2K" in text
