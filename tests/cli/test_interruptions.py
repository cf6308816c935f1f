"""Runs that are stopped by people, by the system, or by force: what was finished stays."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command import Lab
from company_lab.runs import Store
from waiting import wait_for_episodes


def stored(project: Path) -> Store:
    return Store(project / ".company-lab" / "runs.db", create=False)


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.fault("E15")
def test_an_interrupted_run_exits_with_130_keeps_what_was_finished_and_can_be_resumed(
    lab: Lab, project: Path, start: Callable[..., subprocess.Popen[str]], name: signal.Signals
) -> None:
    running = start("run", "scenarios", "--agent", "agents:slow", "--trials", "60")
    wait_for_episodes(project, 3)
    running.send_signal(name)
    output, errors = running.communicate(timeout=100)
    assert running.returncode == 130, errors
    assert "Interrupted" in output
    assert "Traceback" not in errors
    with stored(project) as store:
        run = store.resolve()
        entry = store.entry(run)
        assert entry.status == "interrupted"
        assert 3 <= entry.stored < 60
        assert f"{entry.stored} of 60 planned" in output
        for cell in set(store.plan(run).cells) - set(store.missing(run)):
            assert store.episode(run, *cell).trace.stop == "finished"
    resumed = lab("run", "--resume", folder=project)
    assert resumed.returncode == 0, resumed.stderr
    with stored(project) as store:
        assert store.entry(run).outcomes == {"passed": 60}
        assert [other.run for other in store.runs()] == [run]


@pytest.mark.fault("E15")
def test_a_second_interrupt_changes_nothing(
    project: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    running = start("run", "scenarios", "--agent", "agents:slow", "--trials", "60")
    wait_for_episodes(project, 3)
    running.send_signal(signal.SIGINT)
    time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=100)
    assert running.returncode == 130
    with stored(project) as store:
        run = store.resolve()
        assert store.entry(run).stored + len(store.missing(run)) == 60
        assert all(episode.trace.stop == "finished" for episode in store.stored(run))


def test_what_an_agent_does_after_an_interrupt_it_swallowed_is_no_evidence(
    project: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    running = start("run", "scenarios", "--agent", "agents:stubborn", "--trials", "3")
    wait_for_episodes(project, 1)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=100)
    assert running.returncode == 130
    with stored(project) as store:
        assert 1 <= store.entry(store.resolve()).stored < 3


def test_killed_runs_keep_what_they_had(
    lab: Lab, project: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    running = start("run", "scenarios", "--agent", "agents:slow", "--trials", "20")
    wait_for_episodes(project, 2)
    running.kill()
    running.communicate(timeout=100)
    assert "not ended" in lab("runs", folder=project).stdout
    assert lab("run", "--resume", folder=project).returncode == 0
    undisturbed = lab(
        "run", "scenarios", "--agent", "agents:slow", "--trials", "20", "--store", "other.db", folder=project
    )
    assert undisturbed.returncode == 0
    with stored(project) as one, Store(project / "other.db") as other:
        assert [episode.trace.bytes() for episode in one.stored(one.resolve())] == [
            episode.trace.bytes() for episode in other.stored(other.resolve())
        ]


@pytest.mark.fault("A23")
def test_a_run_is_not_resumed_with_another_agent_or_scenario(
    lab: Lab, project: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    running = start("run", "scenarios", "--agent", "agents:slow", "--trials", "60")
    wait_for_episodes(project, 1)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=100)
    file = project / "scenarios" / "not_ready_yet.yaml"
    file.write_text(file.read_text("utf-8").replace("times: 1", "times: {at_least: 1}"), "utf-8")
    before = (project / ".company-lab" / "runs.db").read_bytes()
    done = lab("run", "--resume", "--agent", "agents:honest", folder=project)
    assert done.returncode == 2
    assert "scenarios.not_ready_yet" in done.stderr
    assert "agent.name: agents:slow when the run began, agents:honest now" in done.stderr
    assert (project / ".company-lab" / "runs.db").read_bytes() == before
