"""What holds for all tests: the same examples every time in CI, and signals as a terminal gives them."""

from __future__ import annotations

import gc
import os
import signal

from hypothesis import settings

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
