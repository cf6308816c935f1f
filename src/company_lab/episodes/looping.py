"""Looping: many async agents on one event loop, so that they wait for their models at the same time.

Clients, connection pools and locks that an agent keeps outside its function belong to one loop for the whole run. An
agent that blocks the loop holds up the others. When its wall limit has passed it is ended; where nothing ends it, the
loop is left behind with it. Whoever ran out of time or lost the loop through another is displaced, and not blamed.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from company_lab.agents.daemon_threads import DaemonThreads
from company_lab.agents.protocol import Agent, Task
from company_lab.episodes.acting import (
    LEFT_BEHIND,
    LeftBehind,
    Outcome,
    end_copies,
    has_crashed,
    leave_behind,
    outcome_of,
    patience,
)
from company_lab.episodes.session import EpisodeSession

_ANSWERS_S = 0.25
"""How long a loop may take to answer before it counts as blocked."""
_BEAT_S = 0.05
_BLOCKS_KEPT = 1000
_SWEEP_S = 0.2
"""How long tasks that an agent left running may take to end."""


def is_async(act: Callable[..., Any]) -> bool:
    """Whether a callable is an async function, an async method, or an object that is called as one."""
    while isinstance(act, partial):
        act = act.func
    return inspect.iscoroutinefunction(act) or inspect.iscoroutinefunction(type(act).__call__)


class Displaced(Exception):
    """An episode lost its event loop, or its time, through another one. Its session is closed.

    What it did stands; that it got no further says nothing about its agent.
    """


class _Turn:
    """A turn under way on the loop, and the tasks its agent has started."""

    def __init__(self, session: EpisodeSession) -> None:
        self.session = session
        self.begun = time.monotonic()
        self.tasks: set[asyncio.Task[Any]] = set()


_turn: ContextVar[_Turn | None] = ContextVar("company_lab_turn", default=None)
_turn_of: WeakKeyDictionary[asyncio.Task[Any], _Turn] = WeakKeyDictionary()


def _make_task(loop: asyncio.AbstractEventLoop, work: Any, /, **options: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(work, loop=loop, **options)
    turn = _turn.get()
    if turn is not None:
        turn.tasks.add(task)
        task.add_done_callback(turn.tasks.discard)
        _turn_of[task] = turn
    return task


class OwnLoop:
    """An event loop for the turns of one episode, on the thread that calls."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def act(self, agent: Agent, task: Task, session: EpisodeSession) -> Outcome:
        """One turn of an async agent."""
        turn = _Turn(session)
        self._runner.get_loop().set_task_factory(_make_task)
        return self._runner.run(_played(turn, lambda: agent.act(task, session)))


class EventLoop:
    """One event loop on a thread of its own. `act` plays a turn on it and may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = _Running()

    def act(self, agent: Agent, task: Task, session: EpisodeSession) -> Outcome:
        """One turn of an async agent. Raises `Displaced` where another episode has spoilt it."""
        running = self._running
        turn = _Turn(session)
        future = running.start(turn, lambda: agent.act(task, session))
        while True:
            try:
                outcome = future.result(timeout=patience(session))
            except TimeoutError:
                if has_crashed(session):
                    future.cancel()
                    self._let_go(running, turn)
                    return Outcome()
                if session.seconds_left() > 0:  # waiting for a host has put the limit off
                    continue
                return self._overdue(running, turn, future)
            except CancelledError:
                session.close(*LEFT_BEHIND)
                raise Displaced from None
            stopped = session.stopped
            if stopped is not None and stopped.reason == LEFT_BEHIND[0] and running.was_blocked(turn.begun):
                raise Displaced
            return outcome

    def _overdue(self, running: _Running, turn: _Turn, future: Future[Outcome]) -> Outcome:
        turn.session.close(*LEFT_BEHIND)
        over = Outcome(reason=LEFT_BEHIND[0], detail=LEFT_BEHIND[1])
        future.cancel()
        if running.answers():
            if running.was_blocked(turn.begun):
                raise Displaced
            return over
        if running.busy_with() not in (turn, None):
            raise Displaced
        self._let_go(running, turn)
        return over

    def _let_go(self, running: _Running, turn: _Turn) -> None:
        """End the code of a turn that keeps the loop from going on; where nothing ends it, give the loop up."""
        if running.answers() or running.busy_with() not in (turn, None):
            return
        leave_behind(running.thread)
        if not running.answers():
            turn.session.drop()
            with self._lock:
                if self._running is running:
                    self._running = _Running()
            running.abandon()

    def close(self) -> None:
        """Cancel whatever is under way and end the loop."""
        self._running.end()


class _Running:
    """The loop itself, its thread, and what is under way on it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_task_factory(_make_task)
        self._loop.set_default_executor(DaemonThreads())
        self._lock = threading.Lock()
        self._futures: set[Future[Outcome]] = set()
        self._ending = False
        self._alive_at = time.monotonic()
        self._blocked_until: deque[float] = deque(maxlen=_BLOCKS_KEPT)
        self._loop.call_soon(self._beat)
        self.thread = threading.Thread(target=self._run, name="company-lab-loop", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self._ending:
            # A task that raises one of these throws it through the loop as well; the loop itself is fine.
            with suppress(KeyboardInterrupt, SystemExit, LeftBehind):
                self._loop.run_forever()
        with suppress(RuntimeError):
            self._loop.close()

    def start(self, turn: _Turn, act: Callable[[], Coroutine[Any, Any, object]]) -> Future[Outcome]:
        """Begin a turn on the loop."""
        with self._lock:
            if self._ending:
                raise Displaced
            future = asyncio.run_coroutine_threadsafe(_played(turn, act), self._loop)
            self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def answers(self) -> bool:
        """Whether the loop takes new work within a moment."""
        answered = threading.Event()
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(answered.set)
        return answered.wait(_ANSWERS_S)

    def _beat(self) -> None:
        now = time.monotonic()
        if now - self._alive_at > _BEAT_S + _ANSWERS_S:
            self._blocked_until.append(now)
        self._alive_at = now
        self._loop.call_later(_BEAT_S, self._beat)

    def was_blocked(self, since: float) -> bool:
        """Whether something has kept the loop from going on since that moment (monotonic)."""
        now_blocked = time.monotonic() - self._alive_at > _BEAT_S + _ANSWERS_S
        return now_blocked or any(until > since for until in list(self._blocked_until))

    def busy_with(self) -> _Turn | None:
        """The turn whose code runs at this moment, as far as that can be told."""
        task = asyncio.current_task(self._loop)
        return None if task is None else _turn_of.get(task)

    def abandon(self) -> None:
        """Give the loop up: nothing on it goes on, should it ever come back."""
        self.end()
        with self._lock:
            waiting = list(self._futures)
        for future in waiting:
            future.cancel()

    def end(self) -> None:
        """Stop the loop as soon as the code that runs on it lets go of it."""
        with self._lock:
            self._ending = True
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        self._loop.set_exception_handler(lambda loop, context: None)  # what is cut off now is not news
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        # The next round of the loop lets them end; nobody waits for those that do not want to.
        self._loop.call_soon(self._loop.call_soon, self._loop.stop)


async def _played(turn: _Turn, act: Callable[[], Coroutine[Any, Any, object]]) -> Outcome:
    _turn.set(turn)
    begun = os.getpid()
    try:
        return Outcome(reply=await _started(act))
    except LeftBehind:
        return Outcome(reason=LEFT_BEHIND[0], detail=LEFT_BEHIND[1])
    except BaseException as error:  # noqa: BLE001 - an agent may raise anything; it is its failure and not ours
        return outcome_of(error)
    finally:
        end_copies(begun)
        await _sweep(turn)


async def _started(act: Callable[[], Coroutine[Any, Any, object]]) -> object:
    # A task of its own, so that it is known whose code is running while it is.
    return await asyncio.ensure_future(act())


async def _sweep(turn: _Turn) -> None:
    """End the tasks an agent left running, as the end of an event loop of its own would."""
    left = [task for task in turn.tasks if not task.done()]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_SWEEP_S)
