"""Waiting: when a cell that an outage ended is played again."""

from __future__ import annotations

import heapq
import random
import time
from dataclasses import dataclass
from typing import NamedTuple

from company_lab.agents.retry_after import MOST_S
from company_lab.runs.playing import Todo


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to wait before a further attempt, in seconds: twice as long each time, up to a bound.

    What the host asked for (`Retry-After`) takes the place of this, up to the same bound. Waiting times are drawn
    between half and the whole, so that cells which failed together do not come back together; nothing that is
    stored depends on them.
    """

    first_s: float = 1.0
    most_s: float = MOST_S

    def before(self, attempt: int, *, asked_s: float | None = None) -> float:
        """Seconds to wait before this attempt; the first further one is number 2."""
        if asked_s is not None:
            return min(asked_s, self.most_s)
        doubled = self.first_s * 2.0 ** min(attempt - 2, 60)
        return float(min(doubled, self.most_s) * random.uniform(0.5, 1.0))


class Later(NamedTuple):
    """There is nothing to play now; there will be in so many seconds."""

    seconds: float


class Deferred:
    """Cells that are to be played at a later moment."""

    def __init__(self) -> None:
        self._cells: list[tuple[float, int, Todo]] = []
        self._number = 0

    def add(self, job: Todo, seconds: float) -> None:
        """Play a cell in so many seconds."""
        self._number += 1
        heapq.heappush(self._cells, (time.monotonic() + seconds, self._number, job))

    def next(self) -> Todo | Later | None:
        """The cell whose time has come, or when the next one's comes, or None where there is none."""
        if not self._cells:
            return None
        left = self._cells[0][0] - time.monotonic()
        return Later(left) if left > 0 else heapq.heappop(self._cells)[2]

    def __bool__(self) -> bool:
        return bool(self._cells)
