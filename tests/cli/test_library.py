"""Running a suite from Python. Lies beside the tests of the command because it uses the same project."""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

import company_lab
from company_lab.formats.errors import Problems, WrongUse
from company_lab.runs import Store


@pytest.fixture(autouse=True)
def inside(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(str(project))
    for loaded in [name for name in sys.modules if name == "agents" or name.startswith("agents.")]:
        monkeypatch.delitem(sys.modules, loaded)  # a package of that name comes with an SDK


def honest(task: company_lab.Task, session: company_lab.Session) -> str:
    session.call("repairs.get", id="R-7")
    session.call("repairs.write_to_owner", id="R-7", text="We are still working on your bicycle.")
    return "I wrote to the owner."


def idle(task: Any, session: Any) -> None:
    return None


def test_a_function_is_run_and_judged(project: Path) -> None:
    with company_lab.run("scenarios/", agent=honest, trials=3, seed=7) as run:
        assert run.passed
        assert run.figures.scenarios[0].passed == 3
        assert [(cell.trial, verdict.outcome) for cell, verdict in run.verdicts()] == [
            (1, "passed"),
            (2, "passed"),
            (3, "passed"),
        ]
        out = io.StringIO()
        run.report(out)
        assert out.getvalue().startswith("Undeclared agent")
    assert not (project / ".company-lab").exists()


def test_a_failing_agent_does_not_pass() -> None:
    with company_lab.run("scenarios", agent=idle) as run:
        assert not run.passed
        assert run.figures.failed == 1


def test_one_word_selects_and_is_noted_as_it_is() -> None:
    with company_lab.run("scenarios", agent=idle, only="not_ready_yet") as run:
        assert run.plan.note == "only not_ready_yet"


def test_only_of_a_run_that_is_kept_a_command_is_named(tmp_path: Path) -> None:
    told = {}
    for store in (None, tmp_path / "mine.db"):
        out = io.StringIO()
        with company_lab.run("scenarios", agent=idle, store=store) as run:
            run.report(out)
        told[store] = out.getvalue()
    assert "company-lab show" in told[tmp_path / "mine.db"]
    assert "company-lab show" not in told[None]
    assert "store=FILE" in told[None]


async def waiting(task: company_lab.Task, session: company_lab.Session) -> str:
    return honest(task, session)


@pytest.mark.parametrize("agent", [waiting, "agents:honest", "reference", None])
def test_agents_may_be_async_or_named_or_missing(agent: Any) -> None:
    with company_lab.run("scenarios", agent=agent) as run:
        assert run.passed


def test_a_named_store_keeps_the_run(tmp_path: Path) -> None:
    with company_lab.run("scenarios", agent=honest, store=tmp_path / "mine.db") as run:
        name = run.id
    with Store(tmp_path / "mine.db", create=False) as store:
        assert store.entry(name).outcomes == {"passed": 1}


def test_what_rules_name_is_replaced_before_it_is_stored(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("patterns: [{name: bicycle, regex: '(?i)bicycle'}]", "utf-8")
    with company_lab.run("scenarios", agent=honest, redact=rules) as run:
        assert run.passed
        (stored,) = run.store.stored(run.id)
        assert "redacted" in stored.trace.header
        assert b"bicycle" in stored.trace.bytes()
        assert b"your bicycle" not in stored.trace.bytes()
    with pytest.raises(Problems, match="can not be read"):
        company_lab.run("scenarios", agent=honest, redact=tmp_path / "none.yaml")


def test_a_temporary_store_goes_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with company_lab.run("scenarios", agent=honest):
        assert any(file.name.startswith("company-lab-") for file in tmp_path.iterdir())
    assert not any(file.name.startswith("company-lab-") for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"trials": 0}, "0 trials"),
        ({"only": ["nothing"]}, "nothing"),
        ({"agent": 7}, "found a int"),
        ({"agent": "agents:nobody"}, "nobody"),
    ],
)
def test_wrong_use_is_told_before_anything_is_stored(
    arguments: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(WrongUse, match=message):
        company_lab.run("scenarios", **({"agent": honest} | arguments), store=tmp_path / "mine.db")
    assert not (tmp_path / "mine.db").exists()


def test_a_suite_that_is_not_there_is_told() -> None:
    with pytest.raises(Problems, match="nowhere"):
        company_lab.run("nowhere", agent=honest)


def test_an_interrupt_is_raised_after_what_was_finished_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = 0

    def interrupted(task: company_lab.Task, session: company_lab.Session) -> str:
        nonlocal played
        played += 1
        if played == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)
        return honest(task, session)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        company_lab.run("scenarios", agent=interrupted, trials=5, store=tmp_path / "mine.db")
    assert signal.getsignal(signal.SIGINT) is before
    with Store(tmp_path / "mine.db", create=False) as store:
        entry = store.entry(store.resolve())
        assert (entry.status, entry.outcomes) == ("interrupted", {"passed": 2})


def test_everything_named_by_the_package_exists() -> None:
    assert all(getattr(company_lab, name) for name in company_lab.__all__)
    with pytest.raises(AttributeError):
        _ = company_lab.nothing_of_this_name
