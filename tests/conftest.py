"""What holds for all tests: the same examples every time in CI, signals as a terminal gives them, and patience."""

from __future__ import annotations

import gc
import os
import signal

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

MOST_TRIES = 3

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("dev", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_configure() -> None:
    """Take back what `nohup` and background jobs ignore, since programs that tests start inherit it."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)


def pytest_collection_finish() -> None:
    """Ten thousand tests are no garbage, and to look through them again and again takes time from what is measured."""
    gc.collect()
    gc.freeze()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a busy machine try again what hangs on the wall clock: other work only ever adds to it."""
    if item.get_closest_marker("wall_time") is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    tries, reports = 0, list[pytest.TestReport]()
    while not tries or (tries < MOST_TRIES and any(report.failed for report in reports)):
        tries, reports = tries + 1, runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        if tries > 1:
            report.user_properties.append(("tries", tries))
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was tried more than once."""
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    for report in reports:
        if isinstance(report, pytest.TestReport) and report.when == "call":
            tries = dict(report.user_properties).get("tries")
            if tries is not None:
                terminalreporter.write_line(f"played {tries} times: {report.nodeid}")
