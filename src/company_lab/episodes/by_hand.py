"""By hand: one episode for whatever MCP client somebody connects, with a tool for the reply.

For trying an agent before it is run in numbers. The client stays connected over all turns.
"""

from __future__ import annotations

import os
import queue
import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from company_lab.agents.mcp_bridge import bridge
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.mcp_host import Door, Host
from company_lab.agents.protocol import Agent, Session, Task
from company_lab.episodes.acting import in_place
from company_lab.episodes.play import Episode, LiveEpisode
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.errors import CompanyLabError
from company_lab.scenarios.model import Scenario
from company_lab.worlds.world import World

_LOOK_S = 0.1
_ANSWER_S = 2.0
OVER = "Thank you. The episode is over."


def play_by_hand(
    scenario: Scenario,
    world: World,
    *,
    wall_ms: int,
    port: int | None,
    open_to: Callable[[str, str], None],
    token: str | None = None,
) -> Episode:
    """Play one episode with whoever connects; it ends with the last reply, when the client leaves, or with Ctrl-C.

    `port` serves over HTTP there (0 picks one), None over standard input and output. `open_to` is told the address
    (empty over stdio) and the task. `wall_ms` goes before the scenario's own limit on wall time, which is not made for
    people.
    """
    limits = scenario.limits.model_copy(update={"wall_ms": wall_ms})
    patient = scenario.model_copy(update={"limits": limits})
    hand = _Hand(port, open_to, token)
    live = LiveEpisode(world.prepare(patient), hand.agent, trial=1, seed=0)
    try:
        live.run(in_place)
        return live.finish()
    finally:
        hand.close()


class _Hand:
    """The client's side: it sits at one desk while the turns change."""

    def __init__(self, port: int | None, open_to: Callable[[str, str], None], token: str | None) -> None:
        self.agent = Agent(name="by hand", kind="undeclared", act=self._act)
        self._port = port
        self._open_to = open_to
        self._token = token
        self._replies: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._next: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._desk: Desk | None = None
        self._host: Host | None = None
        self._door: Door | None = None
        self._folder: Path | None = None
        self._waiting = self._over = False
        self._answered = threading.Event()

    def _act(self, task: Task, session: Session) -> str | None:
        if self._desk is None:
            self._begin(task, session)
        else:
            self._desk.sit(task)
            self._waiting = False
            self._next.put(self._desk.text)
        assert isinstance(session, EpisodeSession)
        with suppress(KeyboardInterrupt):
            while session.stopped is None and session.seconds_left() > 0:
                with suppress(queue.Empty):
                    return self._replies.get(timeout=_LOOK_S)
        return None

    def _begin(self, task: Task, session: Session) -> None:
        self._desk = Desk(task, session)
        self._desk.replied = self._reply
        self._host = Host(self._port or 0)
        if self._port is None:
            self._folder = Path(tempfile.mkdtemp(prefix="company-lab-"))
            path = self._folder / "mcp.sock"
            self._door = self._host.open(self._desk, socket_path=path)
            self._open_to("", self._desk.text)
            threading.Thread(target=self._carry, args=(str(path),), daemon=True).start()
        else:
            self._door = self._host.open(self._desk, token=self._token)
            self._open_to(self._door.url, self._desk.text)

    def _reply(self, text: str) -> str:
        """Take a reply; what comes next is what the client hears."""
        if self._over:
            return OVER
        self._answered.clear()
        self._waiting = True
        self._replies.put(text)
        following = self._next.get()
        self._answered.set()
        return following

    def _carry(self, path: str) -> None:
        with suppress(CompanyLabError, OSError):
            bridge(path, writes=os.dup(1))
        self._replies.put(None)

    def close(self) -> None:
        """Tell a client that still waits that it is over, and let nobody in any more."""
        self._over = True
        if self._waiting:
            self._next.put(OVER)
            if self._answered.wait(_ANSWER_S):
                threading.Event().wait(_LOOK_S)  # the answer is on its way
        if self._door is not None and self._host is not None:
            self._door.close()
            self._host.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
