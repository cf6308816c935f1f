"""A row: schedules played one after another on one thread, watched from another.

Handing every turn to a thread of its own costs as much as the episode. An agent that does not come back in time, or
does not let go when it crashes, is left behind with the thread, and its schedule is played again the careful way.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Iterator
from itertools import islice

from company_lab.episodes.acting import GRACE_S, LeftBehind, has_crashed, in_place, leave_behind
from company_lab.episodes.play import LiveEpisode
from company_lab.probing.explore.explored import Explored, Schedule
from company_lab.probing.explore.playing import Subject, play_schedule

_BATCH = 32
_WATCH_S = 0.1


def play_in_a_row(
    subject: Subject, schedules: Iterator[Schedule], states: Container[str]
) -> Iterator[Explored]:
    """What came of each schedule, in order. States that become known during a batch count from the next one on."""
    if subject.agent.apart:
        # Its processes have to be waited for, and are ended, by whoever plays the turn.
        yield from (play_schedule(subject, schedule, known=states) for schedule in schedules)
        return
    while batch := list(islice(schedules, _BATCH)):
        done: list[Explored] = []
        while len(done) < len(batch):
            row = _Row(subject, batch[len(done) :], states)
            done.extend(row.play())
            if row.error is not None:
                raise row.error
            if len(done) < len(batch):
                done.append(play_schedule(subject, batch[len(done)], known=states))
        yield from done


class _Row:
    """Schedules on one thread. `error` is what the lab itself raised there."""

    def __init__(self, subject: Subject, schedules: list[Schedule], states: Container[str]) -> None:
        self._subject = subject
        self._schedules = schedules
        self._states = states
        self._lock = threading.Lock()
        self._playing: LiveEpisode | None = None
        self._left = False
        self._over = threading.Event()
        self._done: list[Explored] = []
        self.error: BaseException | None = None

    def play(self) -> list[Explored]:
        """Those that were played until the end, or until an agent had to be left behind."""
        thread = threading.Thread(target=self._work, name="company-lab-row", daemon=True)
        thread.start()
        while not self._over.wait(_WATCH_S):
            live = self._playing
            if live is None or not _overdue(live):
                continue
            with self._lock:
                if self._playing is not live:
                    continue
                self._left = True
            live.session.leave("wall_limit", "the agent was left behind")
            leave_behind(thread)
            break
        return self._done

    def _work(self) -> None:
        try:
            for schedule in self._schedules:
                explored = play_schedule(
                    self._subject, schedule, known=self._states, act=in_place, watch=self._watch
                )
                with self._lock:
                    if self._left:
                        return
                    self._playing = None
                    self._done.append(explored)
        except LeftBehind:
            return
        except BaseException as error:  # noqa: BLE001 - it is raised again on the caller's thread
            self.error = error
        self._over.set()

    def _watch(self, live: LiveEpisode) -> None:
        self._playing = live


def _overdue(live: LiveEpisode) -> bool:
    return live.session.seconds_left() < -GRACE_S or has_crashed(live.session)
