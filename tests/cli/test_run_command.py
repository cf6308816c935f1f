from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command import Lab
from company_lab.runs import Store


def stored(project: Path) -> Store:
    return Store(project / ".company-lab" / "runs.db", create=False)


# Exit codes


def test_a_run_in_which_everything_passes_exits_with_0_and_says_where_it_lies(
    lab: Lab, project: Path
) -> None:
    done = lab("run", "scenarios", "--agent", "agent:agent", "--trials", "3", folder=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Deterministic simulation")
    assert f"is stored in {project / '.company-lab' / 'runs.db'}" in done.stdout
    with stored(project) as store:
        assert store.entry(store.resolve()).outcomes == {"passed": 3}
        assert store.entry(store.resolve()).status == "finished"


def test_without_an_agent_the_references_play(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", folder=project)
    assert done.returncode == 0, done.stderr
    with stored(project) as store:
        assert store.plan(store.resolve()).agent.name == "reference"


@pytest.mark.fault("E17")
def test_a_failure_exits_with_1(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--agent", "agents:pleasing", folder=project)
    assert done.returncode == 1
    assert "false_claim" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "scenarios", "--trials", "0"], "--trials"),
        (["run", "scenarios", "--trials", "-1"], "--trials"),
        (["run", "scenarios", "--trials", "many"], "--trials"),
        (["run", "scenarios", "--seed", "x"], "--seed"),
        (["run", "scenarios", "--only", "tag:typo"], "tag:typo"),
        (["run", "scenarios", "--only", "not_ready_yt"], "did you mean not_ready_yet"),
        (["run", "nowhere"], "nowhere"),
        (["run", "scenarios", "--agent", "agnet:agent"], "no module agnet"),
        (["run", "scenarios", "--agent", "agent:agnt"], "did you mean agent"),
        (["run", "scenarios", "--agent", "hostile:idel"], "did you mean hostile:idle"),
        (["run"], "SUITE"),
        (["run", "scenarios", "--resume", "--trials", "2"], "--trials"),
        (["runn"], "did you mean run"),
        (["show", "not_ready_yet"], "SCENARIO TRIAL"),
        (["show", "not_ready_yet", "-x"], "No such option"),
        (["runs"], "there is no store"),
    ],
)
@pytest.mark.fault("E17")
def test_wrong_use_exits_with_2_and_one_clean_message(
    lab: Lab, project: Path, arguments: list[str], message: str
) -> None:
    done = lab(*arguments, folder=project)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not (project / ".company-lab").exists()


def test_a_scenario_that_can_not_be_read_exits_with_2_before_anything_is_played(
    lab: Lab, project: Path
) -> None:
    text = (project / "scenarios" / "not_ready_yet.yaml").read_text("utf-8")
    broken = text.replace("id: not_ready_yet", "id: other").replace("status: waiting", "status: waitng")
    (project / "scenarios" / "other.yaml").write_text(broken.replace("times: 1", "times: -1"), "utf-8")
    done = lab("run", "scenarios", folder=project)
    assert done.returncode == 2
    assert len(re.findall(r"other\.yaml:\d+:\d+", done.stderr)) >= 2
    assert not (project / ".company-lab").exists()


def test_an_agent_module_that_fails_at_import_exits_with_2(lab: Lab, project: Path) -> None:
    (project / "broken.py").write_text("def agent(:\n", "utf-8")
    done = lab("run", "scenarios", "--agent", "broken:agent", folder=project)
    assert done.returncode == 2
    assert "importing broken failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in lab("run", "scenarios", "--agent", "broken:agent", "--debug", folder=project).stderr


@pytest.mark.fault("E17")
def test_unscored_episodes_exit_with_3(lab: Lab, project: Path) -> None:
    file = project / "scenarios" / "not_ready_yet.yaml"
    file.write_text(
        file.read_text("utf-8").replace("expected:", 'expected:\n  limits: {cost_usd: "0.05"}'), "utf-8"
    )
    done = lab("run", "scenarios", "--agent", "agents:undeclared", folder=project)
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stdout.startswith("Undeclared agent")


# What is printed


def test_the_same_seed_gives_the_same_bytes(lab: Lab, project: Path) -> None:
    for name in ("one.db", "two.db"):
        assert (
            lab(
                "run", "scenarios", "--trials", "2", "--seed", "7", "--store", name, folder=project
            ).returncode
            == 0
        )
    with Store(project / "one.db") as one, Store(project / "two.db") as two:
        digests = [
            [summary.trace_digest for summary in store.episodes(store.resolve())] for store in (one, two)
        ]
    assert digests[0] == digests[1]


def test_json_lines_are_json_and_nothing_else(lab: Lab, project: Path) -> None:
    done = lab(
        "run", "scenarios", "--agent", "agents:pleasing", "--trials", "2", "--json-lines", folder=project
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["kind"] for record in records] == ["run", "episode", "episode", "end"]
    assert records[1]["outcome"] == "failed"
    assert records[1]["codes"] == ["false_claim"]
    assert (records[-1]["exit"], done.returncode) == (1, 1)
    assert not done.stderr


def test_quiet_is_only_the_report(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--quiet", folder=project)
    assert done.stdout.startswith("Deterministic simulation")
    assert not done.stderr


def test_verbose_tells_of_every_episode(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--trials", "2", "-v", folder=project)
    assert "1/2 not_ready_yet trial 1: passed" in done.stderr
    assert "2/2 not_ready_yet trial 2: passed" in done.stderr


@pytest.mark.fault("E21")
def test_nothing_an_agent_says_steers_the_terminal(lab: Lab, project: Path) -> None:
    played = lab("run", "scenarios", "--agent", "agents:pleasing", "-v", folder=project)
    shown = lab("show", "not_ready_yet", "1", folder=project)
    assert shown.returncode == 0, shown.stderr
    assert "PASS" in shown.stdout
    for text in (played.stdout, played.stderr, shown.stdout, shown.stderr):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.fault("E09")
def test_a_console_without_unicode_is_no_obstacle(lab: Lab, project: Path, encoding: str) -> None:
    done = lab("run", "scenarios", folder=project, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert (
        lab("show", "last", "not_ready_yet", "1", folder=project, PYTHONIOENCODING=encoding).returncode == 0
    )


def test_only_what_was_asked_for_is_played(lab: Lab, project: Path) -> None:
    text = (project / "scenarios" / "not_ready_yet.yaml").read_text("utf-8")
    other = text.replace("id: not_ready_yet", "id: other\ntags: [second]")
    (project / "scenarios" / "other.yaml").write_text(other, "utf-8")
    assert lab("run", "scenarios", "--only", "second", folder=project).returncode == 0
    with stored(project) as store:
        plan = store.plan(store.resolve())
    assert plan.planned() == {"other": 1}
    assert plan.note == "only second"


# The store


def test_the_variable_names_the_store(lab: Lab, project: Path, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere" / "mine.db"
    done = lab("run", "scenarios", folder=project, COMPANY_LAB_STORE=str(place))
    assert str(place) in done.stdout
    assert place.exists()
    assert not (project / ".company-lab").exists()


def test_a_store_that_is_something_else_exits_with_2(lab: Lab, project: Path) -> None:
    (project / "notes.txt").write_text("not a database " * 100, "utf-8")
    done = lab("run", "scenarios", "--store", "notes.txt", folder=project)
    assert done.returncode == 2
    assert "no SQLite database" in done.stderr
    assert (project / "notes.txt").read_text("utf-8") == "not a database " * 100


# Earlier runs, budgets, several hands


def test_failed_cells_are_played_again_as_a_run_of_their_own(lab: Lab, project: Path) -> None:
    assert (
        lab("run", "scenarios", "--agent", "agents:pleasing", "--trials", "2", folder=project).returncode == 1
    )
    done = lab("run", "--failed", "--agent", "agents:honest", folder=project)
    assert done.returncode == 0, done.stderr
    assert "only the 2 cells that failed in run" in " ".join(done.stdout.split())
    with stored(project) as store:
        first, second = store.runs()
        assert (first.outcomes, second.outcomes) == ({"failed": 2}, {"passed": 2})
    again = lab("run", "--failed", folder=project)
    assert again.returncode == 2
    assert "nothing failed" in again.stderr


def test_a_run_that_uses_up_its_budget_is_incomplete(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--trials", "5", "--max-episodes", "2", folder=project)
    assert done.returncode == 3
    assert "Stopped: 2 episodes were played" in done.stdout
    assert lab("run", "--resume", folder=project).returncode == 0


@pytest.mark.parametrize("cost", ["much", "-1", "nan", "1e999999999"])
def test_a_cost_that_is_no_amount_is_wrong_use(lab: Lab, project: Path, cost: str) -> None:
    done = lab("run", "scenarios", "--max-cost", cost, folder=project)
    assert done.returncode in (0, 2) if cost == "1e999999999" else done.returncode == 2


@pytest.mark.parametrize("hands", [["--workers", "3"], ["--processes", "2"]])
def test_several_hands_give_the_same_figures(lab: Lab, project: Path, hands: list[str]) -> None:
    done = lab("run", "scenarios", "--agent", "agents:honest", "--trials", "8", *hands, folder=project)
    assert done.returncode == 0, done.stderr
    with stored(project) as store:
        assert store.entry(store.resolve()).outcomes == {"passed": 8}
