"""Player: many episodes one after another, on one thread, watched from another.

Handing every turn to a thread of its own costs as much as the episode itself. Here a whole row of episodes
runs on one thread, with storing and all, while the caller watches the clock; an agent that does not come
back is left behind with its thread, and a new one goes on with the rest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from company_lab.agents.protocol import Agent
from company_lab.episodes.acting import GRACE_S, LEFT_BEHIND, LeftBehind, in_place, leave_behind, on_a_thread
from company_lab.episodes.play import Episode, LiveEpisode
from company_lab.scenarios.model import Fault
from company_lab.worlds.fixture import Fixture

WATCH_S = 0.1
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(Generic[T]):
    """An episode to be played; `tag` comes back with it."""

    tag: T
    fixture: Fixture
    agent: Agent | None
    trial: int
    seed: int
    schedule: tuple[Fault, ...] | None = None
    """Faults instead of the scenario's own."""


def play_each(
    jobs: Iterable[Job[T]],
    done: Callable[[Job[T], Episode], None],
    *,
    watch: Callable[[], None] = lambda: None,
) -> None:
    """Play every job in order and hand each episode to `done` before the next begins.

    `done` is called on the playing thread, one call at a time; `watch` about ten times a second on the
    caller's. What either raises ends the row and is raised here, `KeyboardInterrupt` included: the episode
    that was being played is given up then and never handed over.
    """
    row = _Row(iter(jobs), done)
    row.begin(None)
    try:
        while not row.over.wait(WATCH_S):
            watch()
            row.leave_overdue()
    except BaseException:
        row.give_up()
        raise
    if row.error is not None:
        raise row.error


class _Row(Generic[T]):
    """Jobs that are being played, and the one that is being played now."""

    def __init__(self, jobs: Iterator[Job[T]], done: Callable[[Job[T], Episode], None]) -> None:
        self._jobs = jobs
        self._done = done
        self._lock = threading.Lock()
        self._playing: tuple[Job[T], LiveEpisode] | None = None
        self._thread: threading.Thread | None = None
        self._given_up = False
        self.over = threading.Event()
        self.error: BaseException | None = None

    def begin(self, overdue: tuple[Job[T], LiveEpisode] | None) -> None:
        """Go on playing on a new thread, first finishing the episode whose agent was left behind."""
        self._thread = threading.Thread(
            target=self._work, args=(overdue,), name="company-lab-player", daemon=True
        )
        self._thread.start()

    def _work(self, overdue: tuple[Job[T], LiveEpisode] | None) -> None:
        try:
            if overdue is not None:
                job, live = overdue
                live.ended = LEFT_BEHIND
                self._done(job, live.finish())
            for job in self._jobs:
                if self._given_up:
                    return
                live = LiveEpisode(
                    job.fixture, job.agent, trial=job.trial, seed=job.seed, schedule=job.schedule
                )
                self._playing = (job, live)
                # Who does not let go after a crash is left behind with a thread of its own.
                live.run(in_place if live.session.crashes is None else on_a_thread)
                if not self._take_back(live):
                    return
                self._done(job, live.finish())
        except LeftBehind:
            return
        except BaseException as error:  # noqa: BLE001 - it is raised again on the caller's thread
            self.error = error
        self.over.set()

    def _take_back(self, live: LiveEpisode) -> bool:
        """Whether the episode still belongs to the thread that played it."""
        with self._lock:
            mine = self._playing is not None and self._playing[1] is live and not self._given_up
            if mine:
                self._playing = None
            return mine

    def leave_overdue(self) -> None:
        """Leave an agent behind whose wall limit has passed."""
        playing = self._playing
        if playing is None or playing[1].session.seconds_left() > -GRACE_S:
            return
        with self._lock:
            if self._playing is not playing:
                return
            self._playing = None
        playing[1].session.leave(*LEFT_BEHIND)
        if self._thread is not None:
            leave_behind(self._thread)
        self.begin(playing)

    def give_up(self) -> None:
        """Stop playing; what is being played now is not handed over. Waits for an episode that is being stored."""
        with self._lock:
            self._given_up = True
            playing, self._playing = self._playing, None
        if playing is not None:
            playing[1].session.close("cancelled", "the run was interrupted")
            if self._thread is not None:
                self._thread.join(GRACE_S)
                leave_behind(self._thread)
        elif self._thread is not None:
            deadline = time.monotonic() + 30
            while self._thread.is_alive() and time.monotonic() < deadline:
                self._thread.join(WATCH_S)
