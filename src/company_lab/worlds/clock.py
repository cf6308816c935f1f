"""The simulated clock: starts where the scenario says and moves only when told to."""

from __future__ import annotations

from datetime import datetime, timedelta

_REMEMBERED = 4096


class Clock:
    """Simulated time in milliseconds since the scenario's start."""

    __slots__ = ("_start", "_written", "at", "elapsed_ms")

    def __init__(self, start: datetime, written: dict[int, str] | None = None) -> None:
        self._start = start
        self._written = {} if written is None else written
        self.elapsed_ms = 0
        self.at = self._written.get(0) or self._write()
        """The moment as ISO 8601 in the scenario's own zone."""

    def now(self) -> datetime:
        """The moment as an aware datetime."""
        return self._start + timedelta(milliseconds=self.elapsed_ms)

    def advance(self, milliseconds: int) -> None:
        """Move forward; simulated time never goes back."""
        if milliseconds > 0:
            self.elapsed_ms += milliseconds
            self.at = self._written.get(self.elapsed_ms) or self._write()

    def _write(self) -> str:
        """The moment in text. Episodes of a fixture pass through the same moments, so they share the texts."""
        if len(self._written) >= _REMEMBERED:
            self._written.clear()
        text = self._written[self.elapsed_ms] = self.now().isoformat()
        return text
