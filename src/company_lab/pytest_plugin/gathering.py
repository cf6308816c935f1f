"""Where results come together: figures and the gate, in the process that reports, however many play.

It imports nothing but pytest until there is a trial to count: it is there in every pytest run.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

import pytest

from company_lab.pytest_plugin import AGENT

if TYPE_CHECKING:
    from company_lab.pytest_plugin.figures import Told

_TRIAL = re.compile(r"(?:^|(?<=[\[-]))trial(\d+)(?=[\]-])")


class Gathering:
    """Counts every planned trial once. A trial that a lost process took with it is lost, and no pass."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._worker = hasattr(config, "workerinput")
        self._planned: dict[str, None] = {}
        self._results: dict[str, str] = {}
        self._told: Told | None = None
        self._stored: list[str] = []

    # Where tests are played

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach what came of a trial. Under a minimum one trial alone fails no run, unless critically."""
        report = yield
        if call.when == "call" and item.get_closest_marker("company_lab") is not None:
            from company_lab.pytest_plugin.playing import CRITICAL, RESULT
            from company_lab.pytest_plugin.settings import demand_of

            result = item.stash.get(RESULT, None)
            if result is not None:
                vars(report)["company_lab"] = result
                if report.failed and demand_of(self._config) is not None and not item.stash[CRITICAL]:
                    report.outcome = "skipped"
                    vars(report)["wasxfail"] = "counted against the minimum of its scenario"
        return report

    def pytest_sessionstart(self) -> None:
        """Refuse options that can not be meant before anything is collected."""
        if self._asked():
            from company_lab.pytest_plugin.settings import demand_of, seed_of, trials_of

            demand_of(self._config), seed_of(self._config), trials_of(self._config)
        if self._spread_out() and self._given("agent"):
            from company_lab.pytest_plugin.settings import refuse_unknown_agent

            refuse_unknown_agent(self._config)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what is going to be played, and refuse an agent that is not there before any of it is."""
        trials = [item for item in session.items if item.get_closest_marker("company_lab")]
        self._plan([item.nodeid for item in trials])
        if not self._worker and any(_by_name(item) for item in trials):
            from company_lab.pytest_plugin.settings import refuse_unknown_agent

            refuse_unknown_agent(self._config)

    # Where results arrive

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: object) -> None:
        """Let every process store under the same id (pytest-xdist)."""
        if self._config.getoption("--company-lab-store") or self._config.getini("company_lab_store"):
            from company_lab.pytest_plugin.storing import RUN, own_id

            node.workerinput[RUN] = own_id(self._config)  # type: ignore[attr-defined]

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Note what processes are going to play (pytest-xdist); all of them collect the same."""
        self._plan([id for id in ids if self._is_trial(id)])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a trial. The first result stands: what was finished is not played into a success."""
        result = getattr(report, "company_lab", None)
        if result is not None:
            self._results.setdefault(report.nodeid, result)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Add up, and fail the session where the minimum is not met."""
        wrong_use = exitstatus == pytest.ExitCode.USAGE_ERROR
        if self._worker or wrong_use or session.config.option.collectonly:
            return
        from_line = any(self._given(name) for name in ("min-rate", "min-pass-k"))
        if not self._planned and not from_line:
            return
        from company_lab.pytest_plugin.figures import told
        from company_lab.pytest_plugin.settings import demand_of, store_of

        self._told = told(self._planned, self._results, demand_of(self._config), _split)
        if self._told.met is False and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        path = store_of(self._config)
        if path is not None and self._results:
            from company_lab.pytest_plugin.storing import end_runs, own_id

            interrupted = exitstatus == pytest.ExitCode.INTERRUPTED
            runs = end_runs(path, own_id(self._config), interrupted=interrupted)
            self._stored = [f"run {run} is stored in {path}" for run in runs]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        """Say what the trials come to."""
        self._tell_of_nothing(terminalreporter, exitstatus)
        if self._told is None:
            return
        terminalreporter.section("company-lab")
        for line in (*self._told.lines, *self._stored):
            terminalreporter.write_line(line)
        if self._told.gate:
            good = bool(self._told.met)
            terminalreporter.write_line(self._told.gate, green=good, red=not good, bold=True)

    def _tell_of_nothing(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        # An agent of the ini file is there for every run, also for those of other tests alone.
        meant = self._given("agent") or (
            bool(self._config.getini(AGENT)) and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        )
        chosen_otherwise = terminalreporter.stats.keys() & {"deselected", "error"}
        refused = exitstatus in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR)
        if meant and not (self._planned or chosen_otherwise or refused):
            from company_lab.pytest_plugin.settings import nothing_collected

            terminalreporter.write_line(f"company-lab: {nothing_collected(self._config)}", yellow=True)
        elif exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            from company_lab.pytest_plugin.collecting import PASSED_OVER
            from company_lab.pytest_plugin.settings import nobody_named

            if number := self._config.stash.get(PASSED_OVER, 0):
                terminalreporter.write_line(f"company-lab: {nobody_named(number)}", yellow=True)

    def _spread_out(self) -> bool:
        """Whether this process hands tests to others (pytest-xdist), and collects none itself."""
        return not self._worker and self._config.getoption("dist", "no") != "no"

    def _plan(self, ids: Sequence[str]) -> None:
        self._planned.update(dict.fromkeys(ids))

    def _is_trial(self, nodeid: str) -> bool:
        from pathlib import PurePath

        patterns: list[str] = self._config.getini("company_lab_files")
        file, _, test = nodeid.partition("::")
        return _TRIAL.search(test) is not None and any(PurePath(file).match(one) for one in patterns)

    def _given(self, name: str) -> bool:
        return bool(self._config.getoption(f"--company-lab-{name}"))

    def _asked(self) -> bool:
        names = ("agent", "trials", "seed", "min-rate", "min-pass-k")
        return any(
            self._given(name) or self._config.getini(f"company_lab_{name.replace('-', '_')}")
            for name in names
        )


def _by_name(item: pytest.Item) -> bool:
    """Whether the plugin's own fixture gives the agent, by the name in the options."""
    known = item._fixtureinfo.name2fixturedefs.get(AGENT, ()) if isinstance(item, pytest.Function) else ()
    return len(known) == 1


def _split(nodeid: str) -> tuple[str, int]:
    """A test's scenario, with whatever else it is a case of, and its trial."""
    name = nodeid.partition("::")[2]
    # What pytest added stands in brackets; the id of a scenario may itself speak of a trial3.
    found = _TRIAL.search(name, max(0, name.find("[")))
    if found is None:
        return name, 1
    rest = (
        (name[: found.start()] + name[found.end() :]).replace("[-", "[").replace("-]", "]").replace("--", "-")
    )
    return rest.removesuffix("[]"), int(found[1])
