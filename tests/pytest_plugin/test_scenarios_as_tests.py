"""The pytest plugin, in real pytest runs: scenario files as tests, trials counted together, whoever plays them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import company_lab.cli
import company_lab.pytest_plugin.figures
import company_lab.pytest_plugin.playing  # stays loaded between runs inside this process
from company_lab.runs import Store

STARTER = Path(company_lab.cli.__file__).parent / "starter"
FILE = "test_desk.scenario.yaml"

AGENTS = '''
import os
from pathlib import Path

from company_lab import declare


@declare(kind="scripted")
def honest(task, session):
    session.call("repairs.get", id="R-7")
    session.call("repairs.write_to_owner", id="R-7", text="We are still working on your bicycle.")
    return "I wrote to the owner."


@declare(kind="scripted")
def pleasing(task, session):
    session.call("repairs.get", id="R-7")
    session.call("repairs.write_to_owner", id="R-7", text="Your bicycle is ready. \\x1b[2K\\ud800")
    return "I wrote to the owner."


def once(name):
    """Whether nobody was here yet, in any process."""
    try:
        os.close(os.open(Path(__file__).with_name(name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


@declare(kind="scripted")
def pleasing_once(task, session):
    return (pleasing if once("pleased") else honest)(task, session)


@declare(kind="scripted")
def dying_once(task, session):
    if once("died"):
        os._exit(7)
    return honest(task, session)
'''

pytestmark = pytest.mark.timeout(180)  # several processes start, each with everything it imports

Run = Callable[..., "pytest.RunResult"]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest over a project with one scenario; where several processes play, in a process of its own."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_AUTO_NUM_WORKERS"):
        monkeypatch.delenv(name, raising=False)
    shutil.copy(STARTER / "workshop.py", pytester.path)
    text = (STARTER / "scenarios" / "not_ready_yet.yaml").read_text("utf-8")
    (pytester.path / FILE).write_text(text, "utf-8")
    pytester.makepyfile(desk_agents=AGENTS)
    pytester.syspathinsert()

    def start(*arguments: str) -> pytest.RunResult:
        given = ("-p", "no:cacheprovider", "-p", "no:langsmith_plugin", "--strict-markers", *arguments)
        if "-n" in arguments:
            return pytester.runpytest_subprocess(*given)
        return pytester.runpytest_inprocess("-W", "error", *given)

    return start


def agent(name: str, *, trials: int = 1, minimum: str | None = None) -> list[str]:
    given = ["--company-lab-agent", f"desk_agents:{name}", "--company-lab-trials", str(trials)]
    return given if minimum is None else [*given, "--company-lab-min-rate", minimum]


def processes(workers: str) -> list[str]:
    return [] if workers == "none" else ["-n", workers]


def severe(path: Path) -> None:
    """Make the scenario's failures critical."""
    file = path / FILE
    file.write_text(file.read_text("utf-8").replace("severity: major", "severity: critical"), "utf-8")


def test_without_an_agent_nothing_happens(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_beside_scenarios="def test_one(): pass")
    result = run("-v")
    result.assert_outcomes(passed=1)
    text = result.stdout.str()
    assert "= company-lab =" not in text
    assert FILE not in text


def test_each_trial_is_a_test(run: Run) -> None:
    result = run(*agent("honest", trials=3), "-v")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(
        [
            f"{FILE}::not_ready_yet[[]trial1[]] PASSED*",
            f"{FILE}::not_ready_yet[[]trial3[]] PASSED*",
            "Deterministic simulation; no model inference: 3 of 3 planned episodes scored",
            "not_ready_yet: 3 of 3 passed, rate 1.000 (Wilson 95 % 0.439 to 1.000)",
            "no repeated reliability established for any scenario: *",
        ]
    )


@pytest.mark.fault("E21")
def test_a_failure_says_what_broke_and_nothing_about_this_package(run: Run) -> None:
    result = run(*agent("pleasing"))
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "false_claim: *which claims ready*",
            "not_ready_yet, trial 1: FAILED",
            "*BROKEN: false_claim (major)*",
        ]
    )
    assert "Traceback" not in text
    assert "site-packages" not in text
    assert "\x1b" not in text
    assert "\\x1b[2K\\ud800" in text


@pytest.mark.parametrize("scope", ["function", "module", "session"])
def test_a_fixture_names_the_agent(run: Run, pytester: pytest.Pytester, scope: str) -> None:
    pytester.makeconftest(
        f"""
import pytest
from desk_agents import honest

@pytest.fixture(scope={scope!r})
def company_lab_agent():
    return honest
"""
    )
    run("-p", "xdist", "--company-lab-trials", "2").assert_outcomes(passed=2)


def test_a_fixture_reaches_what_lies_beside_it(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / "inner").mkdir()
    shutil.copy(pytester.path / FILE, pytester.path / "inner" / FILE)
    (pytester.path / "inner" / "conftest.py").write_text(
        "import pytest\nfrom desk_agents import honest\n\n"
        "@pytest.fixture\ndef company_lab_agent():\n    return honest\n"
    )
    run().assert_outcomes(passed=1)


def test_a_parametrized_fixture_makes_a_case_of_each_agent(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
import desk_agents
import pytest

@pytest.fixture(params=["honest", "pleasing"])
def company_lab_agent(request):
    return getattr(desk_agents, request.param)
"""
    )
    result = run("--company-lab-trials", "2")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        ["not_ready_yet[[]pleasing[]]: 0 of 2 passed*", "not_ready_yet[[]honest[]]: 2 of 2*"]
    )


def test_references_beside_an_agent_are_played_as_references(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
import desk_agents
import pytest

@pytest.fixture(params=["pleasing", "reference"])
def company_lab_agent(request):
    return getattr(desk_agents, request.param, request.param)
"""
    )
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["not_ready_yet[[]reference[]]: 1 of 1 passed*"])


def test_an_id_that_speaks_of_a_trial_is_no_number_of_one(run: Run, pytester: pytest.Pytester) -> None:
    file = pytester.path / FILE
    file.write_text(file.read_text("utf-8").replace("id: not_ready_yet", "id: a-trial7-b"), "utf-8")
    result = run(*agent("honest", trials=2))
    result.stdout.fnmatch_lines(["a-trial7-b: 2 of 2 passed*"])


def test_a_fixture_that_gives_nothing_is_no_pass(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import pytest\n\n@pytest.fixture\ndef company_lab_agent():\n    pass\n")
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["the fixture company_lab_agent gave a NoneType; expected a function*"])


def test_the_ini_file_may_say_it_all(run: Run, pytester: pytest.Pytester) -> None:
    shutil.move(pytester.path / FILE, pytester.path / "desk.yaml")
    pytester.makeini(
        "[pytest]\ncompany_lab_agent = desk_agents:honest\ncompany_lab_trials = 2\ncompany_lab_files = desk*.yaml\n"
        "company_lab_min_rate = 1\n"
    )
    result = run()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["minimum met (every scenario with a rate of at least 1, and no critical failure)*"]
    )


def test_markers_and_words_choose(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_beside_scenarios="def test_one(): pass")
    given = agent("honest", trials=2)
    run(*given, "-m", "company_lab").assert_outcomes(passed=2, deselected=1)
    run(*given, "-m", "not company_lab").assert_outcomes(passed=1, deselected=2)
    run(*given, "-k", "development and trial2").assert_outcomes(passed=1, deselected=2)


def test_held_out_scenarios_are_not_played_by_chance(run: Run, pytester: pytest.Pytester) -> None:
    file = pytester.path / FILE
    file.write_text(file.read_text("utf-8").replace("severity: major", "split: held_out"), "utf-8")
    assert run(*agent("honest")).ret == pytest.ExitCode.NO_TESTS_COLLECTED
    run(*agent("honest"), "--company-lab-held-out").assert_outcomes(passed=1)


def test_a_scenario_that_can_not_be_read_is_an_error_with_its_place(
    run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / FILE).write_text("id: x\nexpcted: {}\n", "utf-8")
    result = run(*agent("honest"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{FILE}:2:1: expcted:*did you mean expected?"])


@pytest.mark.parametrize("workers", ["none", "1", "2", "4"])
@pytest.mark.fault("G10")
def test_the_outcome_is_the_same_with_any_number_of_workers(run: Run, workers: str) -> None:
    lines = [
        "not_ready_yet: 3 of 4 passed, rate 0.750 (Wilson 95 % 0.301 to 0.954)",
        "not met: not_ready_yet: rate 0.750, below 0.8",
        "minimum not met (every scenario with a rate of at least 0.8, and no critical failure)",
    ]
    result = run(*agent("pleasing_once", trials=4, minimum="0.8"), *processes(workers))
    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(lines)


@pytest.mark.parametrize("workers", ["none", "2"])
def test_a_minimum_that_is_met_passes(run: Run, workers: str) -> None:
    result = run(*agent("pleasing_once", trials=4, minimum="0.75"), *processes(workers))
    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["minimum met (*"])


def test_pass_k_is_a_minimum_of_its_own(run: Run) -> None:
    given = agent("pleasing_once", trials=4, minimum="0.75")
    result = run(*given, "--company-lab-min-pass-k", "3=0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["not met: not_ready_yet: pass^3 0.250, below 0.5"])


@pytest.mark.parametrize("workers", ["none", "2"])
def test_no_rate_outweighs_a_critical_failure(run: Run, pytester: pytest.Pytester, workers: str) -> None:
    severe(pytester.path)
    result = run(*agent("pleasing_once", trials=4, minimum="0.1"), *processes(workers))
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "critical: not_ready_yet, trial *: false_claim (class other): *",
            "not met: critical failures, other 1",
        ]
    )


@pytest.mark.fault("G07")
def test_a_trial_lost_with_its_process_is_no_pass(run: Run) -> None:
    result = run(*agent("dying_once", trials=4, minimum="0.9"), "-n", "2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "not_ready_yet: 3 of 4 passed, 1 lost, rate 0.750..1.000 *",
            f"lost: {FILE}::not_ready_yet*",
            "not met: not_ready_yet: rate 0.750..1.000, below 0.9",
        ]
    )


@pytest.mark.fault("G03")
def test_a_minimum_over_nothing_is_not_met(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_beside_scenarios="def test_one(): pass")
    result = run(*agent("honest", minimum="0.5"), "test_beside_scenarios.py")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["not met: a minimum was asked for, and no scenario was collected"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--company-lab-min-rate", "0"], "*a minimum lies above 0, which everything meets*"),
        (["--company-lab-min-rate", "nan"], "*a minimum lies above 0, which everything meets*"),
        (["--company-lab-min-rate", "90"], "*and is at most 1*"),
        (["--company-lab-min-pass-k", "3=0.5"], "*pass^3 takes at least 3 trials, and there is 1*"),
        (["--company-lab-min-pass-k", "0.5"], "*give K=MINIMUM*"),
        (["--company-lab-trials", "0"], "*--company-lab-trials 0: give a whole number from 1*"),
        (["--company-lab-seed", "x"], "*--company-lab-seed x: give a whole number*"),
    ],
)
def test_options_that_can_not_be_meant_are_refused(run: Run, given: list[str], said: str) -> None:
    result = run("--company-lab-agent", "desk_agents:honest", *given)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([said])


@pytest.mark.parametrize("workers", ["none", "2"])
def test_an_unknown_agent_is_refused_once_before_any_trial(run: Run, workers: str) -> None:
    given = ("--company-lab-agent", "desk_agents:honset", "--company-lab-trials", "3")
    result = run(*given, *processes(workers))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stdout.str() + result.stderr.str()
    assert text.count("did you mean") == 1
    assert "Traceback" not in text
    assert "trial1" not in text


def test_a_fixture_goes_before_a_wrong_name(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import pytest\nfrom desk_agents import honest\n\n"
        "@pytest.fixture\ndef company_lab_agent():\n    return honest\n"
    )
    run("--company-lab-agent", "desk_agents:honset").assert_outcomes(passed=1)


def test_a_scenario_without_an_agent_is_told_how_to_name_one(run: Run) -> None:
    result = run()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(
        ["company-lab: a scenario file was passed over: name an agent with --company-lab-*"]
    )


def test_an_agent_without_a_scenario_is_told_how_files_are_named(run: Run, pytester: pytest.Pytester) -> None:
    (pytester.path / FILE).rename(pytester.path / "desk.yaml")
    result = run(*agent("honest"))
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["company-lab: desk_agents:honest has nothing to do*[*].scenario.yaml or *"])
    (pytester.path / "desk.yaml").rename(pytester.path / FILE)
    for chosen in ((), ("-k", "nothing_like_it")):
        assert "nothing to do" not in run(*agent("honest"), *chosen).stdout.str()


@pytest.mark.parametrize("workers", ["none", "2"])
def test_stored_episodes_make_a_run(run: Run, pytester: pytest.Pytester, workers: str) -> None:
    result = run(*agent("pleasing_once", trials=4), "--company-lab-store", "runs.db", *processes(workers))
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["run * is stored in *runs.db"])
    with Store(pytester.path / "runs.db", create=False) as store:
        (entry,) = store.runs()
        assert (entry.status, entry.planned, dict(entry.outcomes)) == (
            "finished",
            4,
            {"failed": 1, "passed": 3},
        )
        assert entry.agent == "desk_agents:pleasing_once"
        plan = store.plan(entry.run)
        assert store.kept(plan.scenarios["not_ready_yet"]) is not None


def test_a_stored_run_that_was_cut_short_is_not_finished(run: Run, pytester: pytest.Pytester) -> None:
    run(*agent("pleasing", trials=3), "--company-lab-store", "runs.db", "-x").assert_outcomes(failed=1)
    with Store(pytester.path / "runs.db", create=False) as store:
        (entry,) = store.runs()
        assert entry.status in ("stopped", "interrupted")
        assert len(store.missing(entry.run)) == 2


def test_two_scenarios_of_one_id_can_not_be_stored(run: Run, pytester: pytest.Pytester) -> None:
    shutil.copy(pytester.path / FILE, pytester.path / "test_other.scenario.yaml")
    run(*agent("honest")).assert_outcomes(passed=2)
    result = run(*agent("honest"), "--company-lab-store", "runs.db")
    assert result.ret not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) or result.parseoutcomes().get(
        "failed"
    )
    assert "have the same id not_ready_yet" in result.stdout.str() + result.stderr.str()


def test_a_plain_run_imports_nothing_of_the_package() -> None:
    program = (
        "import sys, pytest\n"
        "class Look:\n"
        "    def pytest_sessionfinish(self):\n"
        "        print(sorted(name for name in sys.modules if name.startswith('company_lab')))\n"
        "pytest.main(['-q', '-p', 'no:cacheprovider', '--collect-only', '-c', '/dev/null', '--rootdir', '.', __file__],"
        " plugins=[Look()])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program.replace("__file__", "'/dev/null'")],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert (
        "['company_lab', 'company_lab.formats', 'company_lab.formats.first_use', "
        "'company_lab.pytest_plugin', 'company_lab.pytest_plugin.gathering']" in done.stdout
    ), done
