"""Interruption: Ctrl-C and SIGTERM while a run goes on, without half episodes and without a damaged store."""

from __future__ import annotations

import signal
import sys
import threading
from os import _exit as leave_at_once
from types import FrameType
from typing import Any, Self

EXIT_CODE = 130
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_IMPATIENT = 3


class Interruption:
    """Inside its block the first signal stops the episode being played, which is then thrown away.

    While something is stored a signal only sets `asked`. A second signal changes nothing, since the run is
    already closing; a third ends the process at once, which the store survives too. Outside the main thread,
    where Python delivers no signals, the block does nothing.
    """

    def __init__(self) -> None:
        self.asked = False
        self._playing = False
        self._signals = 0
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._previous = {number: signal.signal(number, self._receive) for number in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, previous in self._previous.items():
            signal.signal(number, previous)

    def playing(self) -> None:
        """From here on a signal raises KeyboardInterrupt. Raises it where one has already come."""
        self._playing = True
        if self.asked:
            raise KeyboardInterrupt

    def storing(self) -> None:
        """From here on a signal only sets `asked`."""
        self._playing = False

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        self._signals += 1
        if self._signals >= _IMPATIENT:
            if sys.stderr.isatty():
                sys.stderr.write("\x1b[?25h\n")  # a progress bar hides the cursor
            leave_at_once(EXIT_CODE)
        if self._playing:
            self._playing = False
            raise KeyboardInterrupt
