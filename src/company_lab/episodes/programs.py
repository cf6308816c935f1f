"""Programs: whatever can be started from a command line, as an agent.

A program that speaks MCP is started for every turn: its task comes on standard input (or where the command says
`{task}`), it finds the world as an MCP server, and what it prints is the reply. A program that speaks our lines
(`agents.wire`) is started once for an episode. Either way it gets a folder of its own, an environment without
anything it was not given, limits, and an end: nothing of it outlives its episode.
"""

from __future__ import annotations

import atexit
import errno
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any, get_args
from weakref import WeakKeyDictionary

from company_lab.agents.protocol import Agent, AgentKind, DeclaredKind, Infrastructure, Session, Task
from company_lab.episodes.acting import Outcome
from company_lab.episodes.command import PLACES, Command, Speaks, read_command, read_speaks
from company_lab.episodes.confined import Confinement
from company_lab.episodes.forkserver import ForkServer, ForkServerLost
from company_lab.episodes.playing_programs import Kept, LinesProgram, McpProgram
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.canonical import Json, digest
from company_lab.formats.errors import WrongUse, nearest
from company_lab.formats.secrets import SECRET

_LAUNCHER = "company_lab.episodes.launching"
_COMMAND = "command"
_RUN_OUT = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO])
"""What the lab has too little of: that says nothing about the program."""


def program_agent(
    command: str | Sequence[str],
    *,
    speaks: str = "mcp-http",
    kind: str = "undeclared",
    env: Sequence[str] = (),
    confinement: Confinement | None = None,
) -> Agent:
    """A program as an agent.

    `speaks` is `mcp-http` (a client of an MCP server at an address), `mcp-stdio` (a client that starts its servers by
    a command), or `lines`. `kind` says what an episode of it is evidence of: scripted, test_model, real_model or
    undeclared. `env` names the variables that are handed on, or sets them (`NAME=VALUE`); their values are stored
    nowhere. Raises `WrongUse` where the program can not be found or the options contradict each other.
    """
    read = read_command(command, env=env)
    spoken = read_speaks(speaks)
    if spoken == "lines":
        for place in PLACES:
            if read.leaves_open(place):
                raise WrongUse(
                    f"a program that speaks lines is told everything on its line; there is no {place} for it"
                )
    else:
        from company_lab.agents.mcp_server import require_mcp

        require_mcp()
    limits = confinement or Confinement()
    acting = _Acting(read, spoken, limits)
    files = read.files
    settings: dict[str, Json] = {
        _COMMAND: list(read.words),
        "speaks": spoken,
        **({"env": list(read.passed)} if read.passed else {}),
        # A run is not resumed with another program of the same name.
        **({"files": dict(files)} if files else {}),
        **({"limits": asdict(limits)} if limits != Confinement() else {}),
    }
    code = digest(files) if files else ""
    return Agent(
        name=read.name,
        kind=_kind(kind),
        act=acting,
        settings=settings,
        secrets=read.secrets,
        code=code,
        apart=True,
    )


def program_again(kind: str, settings: Mapping[str, Json]) -> Agent | None:
    """The program of a stored run, from its settings; None where it was none.

    Raises `WrongUse` where the command held a secret or a value, which nobody keeps.
    """
    command: Any = settings.get(_COMMAND)
    if not isinstance(command, list) or "speaks" not in settings:
        return None
    if any(SECRET in word for word in command):
        raise WrongUse("the command held a secret, which is not stored: give --agent-command again")
    env: Any = settings.get("env", [])
    limits: Any = settings.get("limits", {})
    confinement = Confinement(**limits)
    return program_agent(command, speaks=str(settings["speaks"]), kind=kind, env=env, confinement=confinement)


def _kind(kind: str) -> AgentKind:
    kinds: tuple[AgentKind, ...] = (*get_args(DeclaredKind), "undeclared")
    for known in kinds:
        if kind == known:
            return known
    close = nearest(kind, kinds)
    hint = f"; did you mean {close}?" if close else ""
    raise WrongUse(f"there is no kind of agent {kind!r}{hint} (known: {', '.join(kinds)})")


class _Acting:
    """Plays the turns of a program. What belongs to one episode is kept as long as the episode lasts."""

    def __init__(self, command: Command, speaks: Speaks, confinement: Confinement) -> None:
        self._command = command
        self._speaks = speaks
        self._confinement = confinement
        self._episodes: WeakKeyDictionary[ExitStack, LinesProgram | McpProgram] = WeakKeyDictionary()

    def __call__(self, task: Task, session: Session) -> str | None:
        if not isinstance(session, EpisodeSession):
            raise WrongUse("a program is started by the lab itself: it can not be isolated once more")
        try:
            outcome = self._playing(session).turn(task, session)
        except ForkServerLost as lost:
            raise Infrastructure(f"the program could not be started: {lost}") from lost
        except OSError as error:
            if error.errno not in _RUN_OUT and not isinstance(error, TimeoutError):
                raise
            raise Infrastructure(
                f"this machine has too little left to play with the program: {error}"
            ) from error
        return _concluded(outcome, session)

    def _playing(self, session: EpisodeSession) -> LinesProgram | McpProgram:
        playing = self._episodes.get(session.leaving)
        if playing is None:
            kept = Kept(self._command, self._confinement, launcher())
            session.leaving.callback(kept.remove)
            playing = (
                LinesProgram(kept, session)
                if self._speaks == "lines"
                else McpProgram(kept, over_stdio=self._speaks == "mcp-stdio")
            )
            session.leaving.callback(playing.leave)
            self._episodes[session.leaving] = playing
        return playing


def _concluded(outcome: Outcome, session: EpisodeSession) -> str | None:
    if outcome.reason is None:
        return outcome.reply  # type: ignore[return-value]
    session.outage_s = outcome.retry_after
    session.close(outcome.reason, outcome.detail)
    return None


_launchers: dict[int, ForkServer] = {}
_starting = threading.Lock()


def launcher() -> ForkServer:
    """The process that starts programs for this one; begun when it is first needed."""
    with _starting:
        pid = os.getpid()
        if pid not in _launchers:
            _launchers[pid] = ForkServer.apart(_LAUNCHER)
        return _launchers[pid]


def end_launcher() -> None:
    """End the process that starts programs, and every program that still runs."""
    with _starting:
        found = _launchers.pop(os.getpid(), None)
    if found is not None:
        found.close()


def _forked() -> None:
    global _starting
    _starting = threading.Lock()
    for inherited in _launchers.values():
        inherited.disown()
    _launchers.clear()


atexit.register(end_launcher)
os.register_at_fork(after_in_child=_forked)
