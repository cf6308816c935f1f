"""The real time an episode has, put off by what its agent waits for its turn at a model's host."""

from __future__ import annotations

import time


class WallTime:
    """Runs from the moment it is made with; all moments are of the monotonic clock, in seconds."""

    def __init__(self, *, begun: float, limit_s: float) -> None:
        self._ends = begun + limit_s
        self._waits_until = 0.0
        self._paced_s = 0.0

    def put_off(self, seconds: float) -> None:
        """Let so many seconds from now not count. Several requests may wait at the same time: that counts once."""
        now = time.monotonic()
        more = max(0.0, now + seconds - max(self._waits_until, now))
        self._waits_until = max(self._waits_until, now + seconds)
        self._ends += more
        self._paced_s += more

    @property
    def paced_s(self) -> float:
        """Seconds spent waiting until now for a model's host to be asked; they count for no limit."""
        return self._paced_s - max(0.0, self._waits_until - time.monotonic())

    def left(self) -> float:
        """Seconds until the end; negative after it."""
        return self._ends - time.monotonic()
