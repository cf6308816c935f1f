from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from company_lab.formats.errors import Problems, WrongUse
from company_lab.interop.tau_import import import_file, import_runs
from company_lab.runs.store import Store

SAMPLE = Path(__file__).parent / "data" / "harbour_air.json"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        yield opened


def changed(folder: Path, how: Callable[[list[Any]], object], name: str = "changed.json") -> Path:
    runs = json.loads(SAMPLE.read_text())
    how(runs)
    path = folder / name
    path.write_text(json.dumps(runs))
    return path


def test_the_report_gives_every_figure(store: Store) -> None:
    text, code = import_file(SAMPLE, store, width=200)
    lines = text.splitlines()
    assert code == 0
    assert lines[0] == "Recorded elsewhere; nothing was run or observed here"
    assert "episodes: 4 of 4 planned (2 tasks x 2 trials)" in lines
    assert lines[3:6] == ["successful episodes: 2/4", "pass^1: 0.5000", "pass^2: 0.0000"]
    assert "tool errors: 2 results in 2 episodes" in lines
    assert "error episodes recovered: 1/2" in lines
    assert "repeated look-ups: 2 in 2 episodes (same tool, same arguments, again): get_fees 2" in lines
    assert "step-limit runs: 1/4" in lines
    assert "stop reasons: finished 3, turn_limit 1" in lines
    assert "tools used, 9 calls: get_fees 4, get_booking 2, change_seat 2, transfer_to_person 1" in lines
    assert any(line.startswith("task_0") and "2/2" in line and "0.500" in line for line in lines)
    assert "findings about the recording: duplicate_call_id 1" in lines


def test_json_says_the_same(store: Store) -> None:
    text, code = import_file(SAMPLE, store, as_json=True)
    report = json.loads(text)
    assert code == 0
    assert report["evidence"] == "recorded elsewhere"
    assert report["pass_k"] == {"1": 0.5, "2": 0.0}
    assert (report["successful"], report["planned"], report["complete"]) == (2, 4, True)
    assert (report["error_episodes"], report["error_episodes_recovered"]) == (2, 1)
    assert report["repeated_lookups"] == {"get_fees": 2}
    assert report["tools"] == {"get_fees": 4, "get_booking": 2, "change_seat": 2, "transfer_to_person": 1}
    assert [finding["kind"] for finding in report["findings"]] == ["duplicate_call_id"]


def test_the_run_is_stored_with_its_traces_and_verdicts(store: Store) -> None:
    imported = import_runs(SAMPLE, store)
    assert store.resolve("last") == imported.run
    assert store.plan(imported.run).evidence == ("recorded elsewhere",)
    assert store.entry(imported.run).outcomes == {"passed": 2, "failed": 2}
    stored = store.episode(imported.run, "task_0", 0)
    assert stored.verdict.passed
    prompt = stored.trace.header["agent"]["settings"]["prompt"]
    assert store.kept(prompt) == "You work for Harbour Air. Change a seat only after the traveller agreed."


@pytest.mark.fault("E23")
def test_the_same_content_is_the_same_run_whatever_the_file_is_called(store: Store, tmp_path: Path) -> None:
    first = import_runs(SAMPLE, store)
    renamed = tmp_path / "renamed.json"
    renamed.write_text(json.dumps(json.loads(SAMPLE.read_text()), sort_keys=True))
    again = import_runs(renamed, store)
    assert (again.run, again.added) == (first.run, 0)
    assert len(store.runs()) == 1
    assert "imported before with the same content, nothing added" in import_file(renamed, store, width=200)[0]


@pytest.mark.fault("E23")
def test_other_content_under_the_same_name_is_a_new_run_and_said_so(store: Store, tmp_path: Path) -> None:
    first = import_runs(SAMPLE, store)
    path = changed(
        tmp_path, lambda runs: runs[0]["traj"].append({"role": "user", "content": "?"}), SAMPLE.name
    )
    text, _ = import_file(path, store, width=200)
    assert f"imported before with other content, as run {first.run}; both are kept" in text
    assert len(store.runs()) == 2


def test_a_missing_trial_gives_an_incomplete_report_without_a_figure(store: Store, tmp_path: Path) -> None:
    path = changed(tmp_path, lambda runs: runs.pop())
    text, code = import_file(path, store, width=200)
    assert code == 3
    assert "pass^" not in text
    assert "successful episodes" not in text
    assert "missing: task_3 trial 1" in text
    report = json.loads(import_file(path, store, as_json=True)[0])
    assert (report["pass_k"], report["successful"], report["complete"]) == (None, None, False)
    assert store.missing(report["run"]) == (("task_3", 1),)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda runs: runs.append(runs[0]),
        lambda runs: runs[3].update(reward=0.5),
        lambda runs: runs[3].pop("info"),
    ],
)
def test_a_file_that_can_not_be_used_stores_nothing(
    store: Store, tmp_path: Path, spoil: Callable[[list[Any]], object]
) -> None:
    with pytest.raises(Problems):
        import_file(changed(tmp_path, spoil), store)
    assert store.runs() == []


def test_a_cut_off_file_stores_nothing(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(SAMPLE.read_text()[:-20])
    with pytest.raises(Problems, match="cut off"):
        import_file(path, store)
    assert store.runs() == []


def test_an_import_that_was_killed_goes_on_where_it_was(store: Store) -> None:
    class Killed(Exception):
        pass

    add = store.add
    added: list[Any] = []

    def dying(run: str, stored: Any) -> Any:
        if len(added) == 2:
            raise Killed
        added.append(stored)
        return add(run, stored)

    store.add = dying  # type: ignore[method-assign,assignment]
    with pytest.raises(Killed):
        import_runs(SAMPLE, store)
    store.add = add  # type: ignore[method-assign]
    imported = import_runs(SAMPLE, store)
    assert imported.added == 2
    assert store.entry(imported.run).stored == 4
    assert store.entry(imported.run).status == "finished"


@pytest.mark.fault("D01")
def test_malformed_arguments_are_findings_and_the_import_is_fine(store: Store, tmp_path: Path) -> None:
    def break_arguments(runs: list[Any]) -> None:
        runs[0]["traj"][2]["tool_calls"][0]["function"]["arguments"] = '{"booking": "HB-2'

    report = json.loads(import_file(changed(tmp_path, break_arguments), store, as_json=True)[0])
    assert {finding["kind"] for finding in report["findings"]} == {"malformed_arguments", "duplicate_call_id"}


def test_a_file_that_is_not_there_is_wrong_use(store: Store, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="there is no file"):
        import_file(tmp_path / "none.json", store)


@pytest.mark.fault("E12")
def test_memory_holds_one_episode_and_not_the_file(store: Store, tmp_path: Path) -> None:
    import tracemalloc

    runs = json.loads(SAMPLE.read_text())[:1]
    runs[0]["traj"][1]["content"] = "x" * 400_000
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.write("[")
        for trial in range(60):
            file.write((", " if trial else "") + json.dumps({**runs[0], "trial": trial}))
        file.write("]")
    assert path.stat().st_size > 24_000_000
    tracemalloc.start()
    imported = import_runs(path, store)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert imported.added == 60
    assert peak < 16_000_000
