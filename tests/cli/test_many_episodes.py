"""Many episodes through the real command: isolated, at once, paced, estimated, and nothing left behind."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command import COMMAND, Lab, environment
from company_lab.cli.confining import confinement_of, rates_given
from company_lab.episodes.confined import Confinement
from company_lab.formats.errors import WrongUse
from company_lab.runs import Store
from processes import eventually, is_alive

AGENTS = """
from __future__ import annotations

import asyncio
import os
import time

from agent import agent as honest
from company_lab import declare


@declare(kind="scripted")
def noisy(task, session):
    print("thinking \\x1b[2K about", task)
    return honest(task, session)


@declare(kind="scripted")
def dies(task, session):
    honest(task, session)
    os._exit(3)


@declare(kind="scripted")
def hangs(task, session):
    with open("pids", "a") as file:
        file.write(f"{os.getpid()}\\n")
    time.sleep(60)


@declare(kind="scripted", hosts={"api.example.test": None})
async def paced(task, session):
    async with session.pace("api.example.test"):
        return honest(task, session)


@declare(kind="real_model")
def priced(task, session):
    session.usage(input_tokens=10, output_tokens=2, cost_usd="0.0125", model="m-1")
    return honest(task, session)
"""


@pytest.fixture
def workshop(project: Path) -> Path:
    """The project, with agents that want watching."""
    (project / "wild.py").write_text(AGENTS, "utf-8")
    return project


def stored(project: Path) -> Store:
    return Store(project / ".company-lab" / "runs.db", create=False)


def test_isolated_episodes_are_the_same_and_what_their_agent_printed_is_shown(
    lab: Lab, workshop: Path
) -> None:
    run = ["run", "scenarios", "--agent", "wild:noisy", "--trials", "4"]
    apart = lab(*run, "--isolate", "--workers", "2", "--quiet", folder=workshop)
    assert apart.returncode == 0, apart.stderr
    shown = lab("show", "not_ready_yet", "1", folder=workshop)
    assert "standard output of the agent's process:\nthinking \\x1b[2K about" in shown.stderr
    together = lab(*run, "--quiet", folder=workshop)
    with stored(workshop) as store:
        here, there = (store.stored(entry.run) for entry in store.runs())
        first = list(here)
        assert [one.trace.bytes() for one in first] == [one.trace.bytes() for one in there]
        assert first[0].timings["stdout"].startswith("thinking \x1b[2K about")  # type: ignore[union-attr]
    assert "thinking" in together.stdout
    assert "thinking" not in apart.stdout


def test_an_agent_that_ends_its_process_fails_when_isolated_and_is_lost_otherwise(
    lab: Lab, workshop: Path
) -> None:
    run = ["run", "scenarios", "--agent", "wild:dies", "--trials", "2", "--quiet"]
    apart = lab(*run, "--isolate", folder=workshop)
    assert apart.returncode == 1, apart.stderr
    assert "not_finished" in apart.stdout
    lost = lab(*run, "--processes", "2", folder=workshop)
    assert lost.returncode == 3, lost.stderr
    assert "Lost: 2 episodes whose process ended; --isolate judges" in lost.stdout
    assert "not_ready_yet trial 1: the process that played it ended with exit code 3" in lost.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--isolate", "--processes", "2"], "--workers"),
        (["--isolate-cpu", "3s"], "give --isolate too"),
        (["--rate", "api.exampel.test=5/s"], "did you mean api.example.test?"),
    ],
)
def test_options_that_make_no_sense_are_wrong_use(
    lab: Lab, workshop: Path, arguments: list[str], message: str
) -> None:
    done = lab("run", "scenarios", "--agent", "wild:paced", *arguments, folder=workshop)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_isolation_needs_no_standard_input(workshop: Path) -> None:
    command = shlex.join([*COMMAND, "run", "scenarios", "--agent", "wild:noisy", "--isolate", "--quiet"])
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} <&-"],
        cwd=workshop,
        env=environment(),
        capture_output=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr


NO_LIMITS = {"isolate_cpu": None, "isolate_memory": None, "isolate_output": None}


def test_limits_are_read_in_the_units_people_use() -> None:
    given = {"isolate": True, "isolate_cpu": "1m", "isolate_memory": "500M", "isolate_output": "20kB"}
    assert confinement_of(given) == Confinement(cpu_s=60, memory_bytes=500 << 20, output_bytes=20 << 10)
    assert confinement_of({**NO_LIMITS, "isolate": True}) == Confinement()
    assert confinement_of({**NO_LIMITS, "isolate": False}) is None


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("isolate_cpu", "soon", "--isolate-cpu"),
        ("isolate_cpu", "500ms", "whole seconds"),
        ("isolate_cpu", "0s", "whole seconds"),
        ("isolate_memory", "lots", "such as 500M or 2G"),
        ("isolate_memory", "-1M", "such as 500M or 2G"),
        ("isolate_output", "0", "such as 500M or 2G"),
    ],
)
def test_a_limit_that_can_not_be_read_is_refused(option: str, text: str, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        confinement_of({**NO_LIMITS, "isolate": True, option: text})


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("api.example.test",), "api.example.com=5/s"),
        (("=5/s",), "api.example.com=5/s"),
        (("api.example.test=often",), "no rate such as 5/s"),
        (("a=5/s", "a=6/s"), "two rates"),
    ],
)
def test_a_rate_that_can_not_be_read_is_refused(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        rates_given(texts)


def test_limits_of_isolated_processes_are_taken_from_the_command_line(lab: Lab, workshop: Path) -> None:
    run = ["run", "scenarios", "--agent", "wild:noisy", "--isolate", "--isolate-cpu", "5s"]
    done = lab(*run, "--isolate-memory", "1G", "--isolate-output", "10", "--quiet", folder=workshop)
    assert done.returncode == 1
    with stored(workshop) as store:
        (episode,) = store.stored(store.resolve())
        assert episode.trace.stop == "output_limit"


def test_a_rate_slows_a_run_down_and_one_that_limited_nothing_is_told(lab: Lab, workshop: Path) -> None:
    started = time.monotonic()
    run = ["run", "scenarios", "--trials", "5", "--workers", "5", "--rate", "api.example.test=4/s", "--quiet"]
    paced = lab(*run, "--agent", "wild:paced", folder=workshop)
    assert paced.returncode == 0, paced.stderr
    assert time.monotonic() - started > 1.0
    assert "limited nothing" not in paced.stdout
    unpaced = lab(*run, "--agent", "wild:noisy", folder=workshop)
    assert "The rate of api.example.test limited nothing" in unpaced.stdout


def test_what_a_run_will_take_is_told_before_it_begins(lab: Lab, workshop: Path) -> None:
    run = ["run", "scenarios", "--agent", "wild:priced", "--trials"]
    first = lab(*run, "2", folder=workshop)
    assert "time and cost unknown" in first.stderr
    again = lab(*run, "10", "--json-lines", "--max-episodes", "4", folder=workshop)
    begun = json.loads(again.stdout.splitlines()[0])
    assert begun["kind"] == "run"
    assert begun["estimate"].pop("wall_s") < 5
    assert begun["estimate"] == {"cost_usd": "0.05", "episodes": 4, "known": 4, "rests_on": 2}
    assert "expected" not in again.stderr


@pytest.mark.parametrize(
    ("number", "hands"),
    [
        (signal.SIGINT, ["--isolate", "--workers", "2"]),
        (signal.SIGKILL, ["--isolate", "--workers", "2"]),
        (signal.SIGKILL, ["--processes", "2"]),
    ],
)
def test_a_run_that_is_stopped_leaves_no_process_behind(
    workshop: Path, start: Callable[..., subprocess.Popen[str]], number: signal.Signals, hands: list[str]
) -> None:
    running = start("run", "scenarios", "--agent", "wild:hangs", "--trials", "4", "--quiet", *hands)
    pids = workshop / "pids"
    assert eventually(lambda: pids.exists() and len(pids.read_text().split()) == 2, seconds=20)
    agents = [int(pid) for pid in pids.read_text().split()]
    assert all(map(is_alive, agents))
    os.kill(running.pid, number)
    _, errors = running.communicate(timeout=100)
    assert running.returncode == (-9 if number == signal.SIGKILL else 130), errors
    assert eventually(lambda: not any(map(is_alive, agents)))
    with sqlite3.connect(workshop / ".company-lab" / "runs.db") as raw:
        assert raw.execute("select count(*) from episodes").fetchone() == (0,)
    raw.close()
