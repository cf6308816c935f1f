"""Daemon threads: where the event loops of this package run what may never come back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class DaemonThreads(ThreadPoolExecutor):
    """Runs each call on a daemon thread of its own.

    The usual pool is a handful of threads for all episodes together, so a few calls that hang stop every episode; and
    when the process ends it waits for each of them, however long a host takes to answer somebody who is no longer
    interested.
    """

    def submit(self, call: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """As the usual pool, and never waits for a free thread."""
        future: Future[Any] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*args, **named))
                except BaseException as error:  # noqa: BLE001 - whoever waits for the result gets it
                    future.set_exception(error)

        threading.Thread(target=run, name="company-lab-agent-call", daemon=True).start()
        return future
