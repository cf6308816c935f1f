"""Letting an agent act within its wall time, whatever it does."""

from __future__ import annotations

import asyncio
import ctypes
import inspect
import os
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from decimal import localcontext
from pathlib import Path
from typing import Any

from company_lab.agents.protocol import Agent, Crashed, EpisodeStopped, Infrastructure, Task
from company_lab.agents.retry_after import seconds_to_wait
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.hostile import printable
from company_lab.worlds.broken import WorldBroken

_DETAIL = 2000
_PACKAGE = Path(__file__).parents[1]


class Outcome:
    """What a stretch of work came to: a reply, or the reason the episode ends."""

    __slots__ = ("detail", "reason", "reply", "retry_after")

    def __init__(
        self,
        reply: object = None,
        reason: str | None = None,
        detail: str = "",
        retry_after: float | None = None,
    ) -> None:
        self.reply = reply
        self.reason = reason
        self.detail = detail
        self.retry_after = retry_after
        """How long the host that is down asked to be left alone, in seconds."""


Act = Callable[[Agent, Task, EpisodeSession], Outcome]
"""Plays one turn of an agent."""


def in_place(agent: Agent, task: Task, session: EpisodeSession) -> Outcome:
    """One turn of the agent on this thread. Never raises what the agent raises."""
    return _guarded(lambda: _awaited(agent.act(task, session)))


def on_a_thread(agent: Agent, task: Task, session: EpisodeSession) -> Outcome:
    """One turn of the agent on a thread of its own, which is left behind when the wall limit passes.

    Its session is closed then, so nothing it does later is carried out.
    """
    worker = _idle_worker()
    job = worker.start(lambda: in_place(agent, task, session))
    while True:
        try:
            outcome = job.get(timeout=patience(session))
        except queue.Empty:
            if has_crashed(session, _PROCESS_GRACE_S if agent.apart else CRASH_GRACE_S):
                session.drop()
                leave_behind(worker.thread)
                return Outcome()
            if session.seconds_left() > 0:  # waiting for a host has put the limit off
                continue
            session.leave(*LEFT_BEHIND)
            leave_behind(worker.thread)
            return Outcome(reason=LEFT_BEHIND[0], detail=LEFT_BEHIND[1])
        _workers.append(worker)
        return outcome


LEFT_BEHIND = ("wall_limit", "the agent did not come back in time and was left behind")
GRACE_S = 0.05
"""How long after its wall limit an agent may still come back by itself."""


CRASH_GRACE_S = 0.1
"""How long an agent in this process may take to let go after its crash, before it is left behind."""

_PROCESS_GRACE_S = 10.0
"""How long it may take to kill one that has a process of its own."""


def patience(session: EpisodeSession) -> float:
    """Seconds to wait for an agent before looking after it again."""
    left = max(0.0, session.seconds_left()) + GRACE_S
    return left if session.crashes is None else min(left, CRASH_GRACE_S / 2)


def has_crashed(session: EpisodeSession, grace_s: float = CRASH_GRACE_S) -> bool:
    """Whether an agent has crashed and has had the time to let go."""
    return session.crash is not None and time.monotonic() - session.crashed_at > grace_s


def leave_behind(thread: threading.Thread) -> None:
    """Try to end a thread whose agent does not come back, so that it does not go on using the processor.

    Python code ends at its next step; code that waits inside the interpreter stays where it is.
    """
    if thread.ident is not None and thread.is_alive():  # another thread may have its number since it ended
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(LeftBehind))


class LeftBehind(BaseException):
    """Ends a thread that was left behind."""


def _awaited(reply: Any) -> Any:
    if type(reply) is str:  # as nearly always
        return reply
    if inspect.isawaitable(reply):
        return asyncio.run(_await(reply))
    return reply


async def _await(reply: Any) -> Any:
    return await reply


def end_copies(of: int) -> None:
    """End this process if it is not the one with that number: an agent forked it off, and it came back as well.

    It would play the rest of the run a second time.
    """
    if os.getpid() != of:
        os._exit(0)


def _guarded(work: Callable[[], object]) -> Outcome:
    begun = os.getpid()
    try:
        # The precision of decimals belongs to a thread, and an agent must not set it for whoever judges.
        with localcontext():
            return Outcome(reply=work())
    except LeftBehind:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
            raise
        return outcome_of(error)
    finally:
        end_copies(begun)


def outcome_of(error: BaseException) -> Outcome:
    """What it means for an episode that its agent raised this."""
    if isinstance(error, EpisodeStopped):
        # The session knows whether it was stopped; an agent that raises this by itself has only failed.
        return Outcome(reason="agent_error", detail="the agent raised EpisodeStopped")
    if isinstance(error, Crashed):
        # The session knows whether it crashed, and then this outcome counts for nothing.
        return Outcome(reason="agent_error", detail="the agent raised Crashed")
    if isinstance(error, Infrastructure):
        waits = seconds_to_wait(error.retry_after)
        return Outcome(reason="infrastructure_error", detail=_told(error), retry_after=waits)
    if isinstance(error, WorldBroken):
        # Where a department really broke the session has stopped by then, and that is what counts.
        return Outcome(reason="agent_error", detail="the agent raised WorldBroken")
    if isinstance(error, KeyboardInterrupt):
        return Outcome(reason="agent_error", detail="the agent raised KeyboardInterrupt")
    return Outcome(reason="agent_error", detail=f"{_told(error)}{_place(error)}")


def _place(error: BaseException) -> str:
    """Where in the agent's own code it was raised, without the folder, which differs from machine to machine."""
    place = ""
    step = error.__traceback__
    while step is not None:
        file = Path(step.tb_frame.f_code.co_filename)
        if not file.is_relative_to(_PACKAGE) and file.suffix == ".py":
            place = f" ({file.name}:{step.tb_lineno})"
        step = step.tb_next
    return printable(place)


def _told(error: BaseException) -> str:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - a hostile exception may refuse to be shown
        text = "(the error can not be shown)"
    return printable(f"{type(error).__name__}: {text}"[:_DETAIL])


class _Worker:
    """A thread that does one job after another and is left behind when one does not end."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Outcome], queue.SimpleQueue[Outcome]]] = (
            queue.SimpleQueue()
        )
        self.thread = threading.Thread(target=self._work, name="company-lab-agent", daemon=True)
        self.thread.start()

    def start(self, job: Callable[[], Outcome]) -> queue.SimpleQueue[Outcome]:
        done: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        # What the caller set for its context holds for the agent too, and what the agent sets ends with its turn.
        context = copy_context()
        self._jobs.put((lambda: context.run(job), done))
        return done

    def _work(self) -> None:
        with suppress(LeftBehind):
            while True:
                job, done = self._jobs.get()
                done.put(job())


_workers: list[_Worker] = []
os.register_at_fork(after_in_child=_workers.clear)  # threads do not survive a fork


def _idle_worker() -> _Worker:
    try:
        return _workers.pop()
    except IndexError:
        return _Worker()
