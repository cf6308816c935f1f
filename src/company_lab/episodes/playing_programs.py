"""Playing programs: the turns of one episode of a program, and everything that belongs to it meanwhile."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from company_lab.agents.mcp_answers import task_document
from company_lab.agents.mcp_bridge import SOCKET
from company_lab.agents.mcp_desk import Desk
from company_lab.agents.protocol import Crashed, Task
from company_lab.episodes.acting import Outcome
from company_lab.episodes.attended import WALL, Attended, last_line
from company_lab.episodes.command import Command
from company_lab.episodes.confined import Confinement
from company_lab.episodes.forkserver import ForkServer
from company_lab.episodes.isolated import Lives, Program, put_together
from company_lab.episodes.launching import Launch
from company_lab.episodes.session import EpisodeSession
from company_lab.formats.canonical import Json, NotJson, parse
from company_lab.formats.errors import CompanyLabError, WrongUse

if TYPE_CHECKING:
    from company_lab.agents.mcp_host import Door

_PATIENCE_S = 2.0
_LONGEST_ADDRESS = 100
"""Bytes of a local socket's path; Linux allows 107, macOS 103."""
_USAGE_BYTES = 1_000_000
_USAGE_KEYS = frozenset(["input_tokens", "output_tokens", "cost_usd", "model", "cached_tokens", "basis"])


class Kept:
    """What a program has for as long as its episode lasts: a folder of its own, and how it is started."""

    def __init__(self, command: Command, confinement: Confinement, server: ForkServer) -> None:
        self.command = command
        self.confinement = confinement
        self.server = server
        self.folder = Path(tempfile.mkdtemp(prefix="company-lab-"))
        self._near: Path | None = None
        self.work = self.folder / "work"
        self.work.mkdir()

    def place(self, name: str) -> Path:
        """Where a file of the lab is about to be made. Whatever the program has put there is gone then."""
        return self._cleared(self.folder, name)

    @staticmethod
    def _cleared(folder: Path, name: str) -> Path:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        return path

    def socket_place(self) -> Path:
        """Where a local socket is about to be made: its address must be short, wherever temporary files lie."""
        path = self.folder / "mcp.sock"
        if len(os.fsencode(path)) <= _LONGEST_ADDRESS:
            return self.place(path.name)
        if self._near is None:
            self._near = Path(tempfile.mkdtemp(prefix="company-lab-", dir="/tmp"))
        return self._cleared(self._near, path.name)

    def job(self, values: dict[str, str], more: dict[str, str]) -> str:
        """A job for the server: the command with these values filled in and more in its environment."""
        launch = Launch(
            argv=self.command.filled(values),
            env={**self.command.env, **more, "PWD": str(self.work), "TMPDIR": str(self.work)},
            folder=str(self.work),
            confinement=self.confinement,
        )
        return launch.write(self.place("launch.json"))

    def clear(self) -> None:
        """Let the program begin with an empty folder."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(exist_ok=True)

    def remove(self) -> None:
        """Let go of the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._near is not None:
            shutil.rmtree(self._near, ignore_errors=True)


def _begins_anew(task: Task, kept: Kept) -> None:
    """After a crash a program has its own files only where it comes back with what it had kept."""
    if task.restart is not None and task.restart.mode != "checkpoint":
        kept.clear()


class LinesProgram:
    """A program that speaks our lines: started once, and again after a crash."""

    def __init__(self, kept: Kept, session: EpisodeSession) -> None:
        self._kept = kept
        self._session = session
        self._busy = threading.Lock()
        self._lives = Lives(self._start)

    def _start(self) -> Program:
        return Program(
            self._kept.server,
            self._kept.job({}, {}),
            self._kept.confinement,
            output_bytes=self._session.output_limit,
            tell_tools=True,
        )

    def turn(self, task: Task, session: EpisodeSession) -> Outcome:
        """One turn, or the part of it until a crash."""
        self._session = session
        _begins_anew(task, self._kept)
        with self._busy:
            outcome = self._lives.turn(task, session)
            if outcome.reason == "agent_error" and session.stopped is None:
                self._lives.close()
                said = last_line(str(self._lives.timings().get("stderr", "")))
                outcome.detail += f": {said}" if said else ""
        return outcome

    def leave(self) -> None:
        """End it, and keep what it left behind."""
        # Past its wall limit a turn ends by itself within a moment; its descriptors are closed after that.
        mine = self._busy.acquire(timeout=_PATIENCE_S)
        try:
            stopped = self._session.stopped
            if stopped is not None and stopped.reason == "finished":
                self._lives.bid_farewell()
            self._lives.close()
            self._session.reported.update(self._lives.timings())
        finally:
            if mine:
                self._busy.release()


class McpProgram:
    """A program that is an MCP client: started for every turn, with the conversation so far."""

    def __init__(self, kept: Kept, *, over_stdio: bool) -> None:
        self._kept = kept
        self._over_stdio = over_stdio
        self._said: list[tuple[str | None, str, str]] = []
        self._session: EpisodeSession | None = None
        self._found: dict[str, Any] = {}
        self._running: Attended | None = None
        self._door: Door | None = None
        self._busy = threading.Lock()

    def turn(self, task: Task, session: EpisodeSession) -> Outcome:
        """One turn, or the part of it until a crash."""
        self._session = session
        _begins_anew(task, self._kept)
        with self._busy:
            desk = Desk(task, session, self._said)
            try:
                outcome = self._played(task, session, desk)
            finally:
                self._end_turn()
            if desk.broken is not None and not isinstance(desk.broken, Crashed):
                raise desk.broken
        if outcome.reason is None and session.stopped is None and session.crash is None:
            self._said.append((task.sender, task.message, str(outcome.reply)))
        return outcome

    def _played(self, task: Task, session: EpisodeSession, desk: Desk) -> Outcome:
        from company_lab.agents.mcp_host import shared

        kept = self._kept
        path = kept.socket_place()
        self._door = door = shared().open(desk, socket_path=path)
        connect = [sys.executable, "-P", "-m", "company_lab", "mcp-connect", str(path)]
        server: dict[str, Json] = (
            {"command": connect[0], "args": list(connect[1:])}
            if self._over_stdio
            else {"type": "http", "url": door.url}
        )
        config = _written(kept.place("mcp.json"), {"mcpServers": {"company": server}})
        document = _written(kept.place("task.json"), task_document(task, self._said))
        usage = kept.place("usage.jsonl")
        job = kept.job(
            {"task": desk.text, "task_file": document, "mcp_url": door.url, "mcp_config": config},
            {
                "COMPANY_LAB_TASK": document,
                "COMPANY_LAB_MCP_URL": door.url,
                SOCKET: str(path),
                "COMPANY_LAB_MCP_COMMAND": shlex.join(connect),
                "COMPANY_LAB_MCP_CONFIG": config,
                "COMPANY_LAB_USAGE": str(usage),
            },
        )
        text = b"" if kept.command.leaves_open("{task}") else desk.text.encode("utf-8", "replace")
        self._running = Attended(kept.server, job, text, kept.confinement)
        outcome = self._running.outcome(session, lambda: desk.broken is not None)
        if outcome.reason == WALL[0]:
            session.close(*WALL)
        try:
            _report(usage, session)
        except CompanyLabError as error:
            if outcome.reason in (None, "agent_error") and session.stopped is None and session.crash is None:
                return Outcome(reason="agent_error", detail=f"the usage it reported can not be read: {error}")
            session.paid()  # it may have been ended in the middle of a line
        return outcome

    def _end_turn(self) -> None:
        running, self._running = self._running, None
        door, self._door = self._door, None
        if running is not None:
            running.close()
            told = running.timings()
            if self._session is not None and self._session.crash is not None:
                told["killed"] = [running.pid]
            self._found = put_together((self._found, told))
        if door is not None:
            door.close()

    def leave(self) -> None:
        """End it, and keep what it left behind."""
        mine = self._busy.acquire(timeout=_PATIENCE_S)
        try:
            with suppress(OSError):
                self._end_turn()
            if self._session is not None:
                self._session.reported.update(self._found)
        finally:
            if mine:
                self._busy.release()


def _written(path: Path, document: dict[str, Json]) -> str:
    path.write_text(json.dumps(document, indent=2), encoding="ascii")
    return str(path)


def _report(path: Path, session: EpisodeSession) -> None:
    """Hand on what a program wrote about its use of models. Raises `WrongUse` where that can not be understood."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe would never come to an end
    except FileNotFoundError:
        return
    except OSError as error:
        raise WrongUse(error.strerror or str(error)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise WrongUse("COMPANY_LAB_USAGE is no ordinary file")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(_USAGE_BYTES + 1)
    if len(data) > _USAGE_BYTES:
        raise WrongUse(f"there are more than {_USAGE_BYTES} bytes of it")
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            report: Any = parse(line)
        except NotJson as error:
            raise WrongUse(f"line {number}: {error}") from None
        if not isinstance(report, dict) or not report.keys() <= _USAGE_KEYS:
            raise WrongUse(f"line {number}: give an object with some of {', '.join(sorted(_USAGE_KEYS))}")
        session.paid(**report)
