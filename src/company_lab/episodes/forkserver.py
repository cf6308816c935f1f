"""Fork server: a process that stays as it was when a run began, and forks the others.

What is imported and prepared by then is paid for once. Forking from here is safe at any time, since this process
has one thread and holds no locks, however many threads run beside it in the process that asks. It also
watches: whatever a process leaves behind is ended with it, and everything ends when the asking process does.
"""

from __future__ import annotations

import fcntl
import gc
import os
import selectors
import signal
import socket
import stat
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from company_lab.episodes.descendants import Strays, adopt_orphans, die_with_parent
from company_lab.formats.canonical import canonical, parse_own
from company_lab.formats.errors import CompanyLabError, WrongUse

Body: TypeAlias = Callable[[str, list[int]], None]
"""What a forked process does with its job and the file descriptors it was given; it ends when this returns."""

_LONGEST_JOB = 4096
_MOST_DESCRIPTORS = 8
_PATIENCE_S = 30.0
_END_S = 5.0
_KILL = b"k"
_HOME = Path(__file__).parents[2]
_LINE = 3
"""The descriptor on which a server in an interpreter of its own is asked."""


class ForkServerLost(CompanyLabError):
    """The process that starts the others is gone, or could not start one."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its exit code, or minus the signal that ended it; and the processor time it used."""

    code: int
    cpu_s: float

    def used_up(self, cpu_s: int) -> bool:
        """Whether it was ended for using so much processor time."""
        return self.code == -signal.SIGXCPU or (self.code < 0 and self.cpu_s >= cpu_s)

    def __str__(self) -> str:
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        try:
            return f"was ended by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was ended by signal {-self.code}"


class Forked:
    """A process that was started; `fileno` can be waited on and is readable once it has ended."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid = pid
        self._line = line
        self._heard = b""
        self._ended: Ended | None = None
        self._closed = False

    def fileno(self) -> int:
        """The descriptor on which its end is told."""
        return self._line.fileno()

    def ended(self) -> Ended | None:
        """How it ended, or None while it runs. Never waits."""
        if self._ended is None and not self._closed:
            self._line.settimeout(0)
            self._hear()
        return self._ended

    def wait(self, seconds: float) -> Ended | None:
        """How it ended, or None where it still runs after so many seconds, or nobody can tell any more."""
        if self._ended is None and not self._closed:
            self._line.settimeout(max(0.001, seconds))
            self._hear()
        return self._ended

    def _hear(self) -> None:
        with suppress(BlockingIOError, TimeoutError):
            while not self._heard.endswith(b"\n"):
                try:
                    heard = self._line.recv(1024)
                except ConnectionError:
                    heard = b""
                if not heard:  # the server is gone, and nobody else can tell
                    self._kill_group()
                    self._ended = Ended(-signal.SIGKILL, 0.0)
                    return
                self._heard += heard
            told = parse_own(self._heard.decode("ascii"))
            assert isinstance(told, dict)
            self._ended = Ended(int(told["code"]), float(told["cpu_s"]))  # type: ignore[arg-type]

    def kill(self) -> None:
        """End it, with every process it started."""
        with suppress(OSError):
            self._line.settimeout(_END_S)
            self._line.sendall(_KILL)

    def close(self) -> None:
        """Let go of it; if it still runs it is ended."""
        self._closed = True
        self._line.close()

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


class ForkServer:
    """Starts processes that run `body`, each in a session of its own."""

    def __init__(self, body: Body) -> None:
        if not hasattr(os, "fork"):
            raise WrongUse("this needs a system that can fork, such as Linux or macOS; use --workers")
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()  # else each process would write what is waiting there once more
        self._pid = _fork()
        if self._pid == 0:
            try:
                self._socket.close()
                _let_go_of_files()
                _Server(theirs, body).serve()
            except BaseException:  # noqa: BLE001 - a forked process never returns to where it was forked
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()

    @classmethod
    def apart(cls, module: str) -> ForkServer:
        """One that is no copy of this process but a new interpreter, safe to begin beside any threads.

        It runs `module`, which calls `serve`. Such a server starts processes that need nothing of this one.
        """
        server = cls.__new__(cls)
        server._lock = threading.Lock()
        server._socket, theirs = socket.socketpair()
        with theirs:
            server._pid = os.posix_spawn(
                sys.executable,
                # Nothing in the current folder may pass for a module, and this package must be found.
                [sys.executable, "-P", "-m", module],
                os.environ | {"PYTHONPATH": os.pathsep.join([str(_HOME), *_search_path()])},
                file_actions=[(os.POSIX_SPAWN_DUP2, theirs.fileno(), _LINE)],
            )
        return server

    def start(self, job: str, descriptors: Sequence[int]) -> Forked:
        """Start a process with this job. It gets duplicates of the descriptors, in this order.

        Raises `ForkServerLost` where none can be started. May be called from any thread.
        """
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                ours.settimeout(_PATIENCE_S)
                socket.send_fds(self._socket, [job.encode() + b"\n"], [theirs.fileno(), *descriptors])
                theirs.close()
                told = b""
                while not told.endswith(b"\n"):
                    heard = ours.recv(1)
                    if not heard:
                        raise ForkServerLost("the process that starts the others is gone")
                    told += heard
        except OSError as error:
            ours.close()
            raise ForkServerLost(f"the process that starts the others does not answer: {error}") from error
        except BaseException:
            ours.close()
            raise
        if told.startswith(b"!"):
            ours.close()
            raise ForkServerLost(f"no process could be started: {told[1:-1].decode()}")
        return Forked(int(told), ours)

    def disown(self) -> None:
        """Forget it, in a process that was forked from the one that began it."""
        self._socket.close()
        self._pid = 0

    def close(self) -> None:
        """End every process that was started, and the server."""
        if self._pid == 0:
            return
        self._socket.close()
        pid, self._pid = self._pid, 0
        deadline = time.monotonic() + _END_S
        with suppress(ChildProcessError):
            while os.waitpid(pid, os.WNOHANG)[0] != pid:
                if time.monotonic() > deadline:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    return
                time.sleep(0.002)


def _search_path() -> list[str]:
    return list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))


def serve(body: Body) -> None:
    """Be the process that `ForkServer.apart` has begun."""
    _Server(socket.socket(fileno=_LINE), body).serve()


def _fork() -> int:
    """Fork; quietly where the only other threads are this package's own, which hold nothing while they wait."""
    own = all(
        thread is threading.current_thread() or thread.name.startswith("company-lab-")
        for thread in threading.enumerate()
    )
    with warnings.catch_warnings():
        if own:
            warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _let_go_of_files() -> None:
    """Point every file that is open for reading and writing nowhere: the store is none of an agent's business.

    Numbers stay taken, since objects that were copied with the process may still close them.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        number = int(name)
        with suppress(OSError):
            both = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR
            if number > 2 and both and stat.S_ISREG(os.fstat(number).st_mode):
                os.dup2(nowhere, number)
    os.close(nowhere)


class _Server:
    """The loop of the server's process."""

    def __init__(self, asked: socket.socket, body: Body) -> None:
        self._asked = asked
        self._body = body
        self._running: dict[int, socket.socket] = {}
        self._strays = Strays()
        self._selector = selectors.PollSelector()
        self._woken, self._wakes = socket.socketpair()

    def serve(self) -> None:
        gc.freeze()  # what is shared with the forked processes stays shared
        adopt_orphans()
        # Who asks decides what becomes of an interrupted run; when it is gone, the socket says so.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._asked, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._asked:
                    if not self._start():
                        self._end()
                elif key.fileobj is self._woken:
                    with suppress(BlockingIOError):
                        while self._woken.recv(512):
                            pass
                elif key.data in self._running:
                    self._hear(key.data)
            self._reap()

    def _start(self) -> bool:
        try:
            job, descriptors, _, _ = socket.recv_fds(self._asked, _LONGEST_JOB, _MOST_DESCRIPTORS)
        except ConnectionError:
            return False
        if not job:
            return False
        line = socket.socket(fileno=descriptors[0])
        try:
            pid = os.fork()
        except OSError as error:
            with suppress(OSError), line:
                line.sendall(f"!{error.strerror}\n".encode())
            for descriptor in descriptors[1:]:
                os.close(descriptor)
            return True
        if pid == 0:
            self._become(job.decode().rstrip("\n"), line, descriptors[1:])
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        self._running[pid] = line
        self._selector.register(line, selectors.EVENT_READ, pid)
        with suppress(OSError):
            line.sendall(f"{pid}\n".encode())
        return True

    def _become(self, job: str, line: socket.socket, descriptors: list[int]) -> None:
        """The forked process: forget the server, do the job, end."""
        code = 1
        try:
            os.setsid()
            die_with_parent()
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            for used in (self._asked, self._woken, self._wakes, line, *self._running.values()):
                used.close()
            self._body(job, descriptors)
            code = 0
        except BaseException:  # noqa: BLE001 - a forked process never returns to where it was forked
            traceback.print_exc()
        finally:
            with suppress(BaseException):
                sys.stdout.flush()
            with suppress(BaseException):
                sys.stderr.flush()
            os._exit(code)

    def _hear(self, pid: int) -> None:
        line = self._running[pid]
        with suppress(ConnectionError):
            if line.recv(64) == b"":
                self._selector.unregister(line)  # nobody is interested any more
        _kill(pid)

    def _reap(self) -> None:
        for pid in list(self._running):
            if hasattr(os, "waitid"):
                if not _has_ended(pid):
                    continue
                _kill_group(pid)
                _, status, used = os.wait4(pid, 0)
            else:  # macOS before Python 3.13
                found, status, used = os.wait4(pid, os.WNOHANG)
                if found != pid:
                    continue
                _kill_group(pid)
            self._tell(pid, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime)
            self._strays.ended(pid)
        self._strays.look(self._running)

    def _tell(self, pid: int, code: int, cpu_s: float) -> None:
        line = self._running.pop(pid)
        with suppress(KeyError):
            self._selector.unregister(line)
        with suppress(OSError), line:
            line.sendall(canonical({"code": code, "cpu_s": cpu_s}).encode() + b"\n")

    def _end(self) -> None:
        for pid in self._running:
            _kill(pid)
        for pid in self._running:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self._strays.end_all()
        os._exit(0)


def _has_ended(pid: int) -> bool:
    """Whether a child has ended; its number stays taken until it is waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _kill(pid: int) -> None:
    """End a child that was not waited for, with its group, which it may not have had the time to found."""
    _kill_group(pid)
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
