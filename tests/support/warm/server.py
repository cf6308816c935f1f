"""The warm process. Started as `python server.py SOCKET`; says "ready" when it is, and ends with its input."""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import struct
import sys
import threading
from typing import Any

import scipy.special
import sqlalchemy.dialects.sqlite

import company_lab.cli
import company_lab.company
import company_lab.library
import company_lab.reports.html.page

_LOADED = (scipy.special, sqlalchemy.dialects.sqlite, company_lab.library, company_lab.company)


def load() -> None:
    """Import whatever commands import at their first use."""
    for module in pkgutil.iter_modules(company_lab.cli.__path__, "company_lab.cli."):
        if not module.ispkg:
            importlib.import_module(module.name)


def asked(line: socket.socket) -> tuple[Any, list[int]]:
    head, rights, _, _ = line.recvmsg(4, socket.CMSG_SPACE(3 * 4), socket.MSG_WAITALL)
    streams = array.array("i")
    for _, _, data in rights:
        streams.frombytes(data)
    (size,) = struct.unpack("!I", head)
    return json.loads(line.recv(size, socket.MSG_WAITALL)), list(streams)


def become(words: list[str], folder: str, variables: dict[str, str], streams: list[int]) -> None:
    """Make this process the one that was asked for."""
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    coding, _, errors = variables.get("PYTHONIOENCODING", "utf-8").partition(":")
    text: dict[str, Any] = {"encoding": coding, "errors": errors or None, "closefd": False}
    sys.stdin = sys.__stdin__ = open(0, **text)  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = open(1, "w", **text)  # type: ignore[misc]  # noqa: SIM115
    text["errors"] = "backslashreplace"
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, **text)  # type: ignore[misc]  # noqa: SIM115
    sys.argv = ["company-lab", *words]
    sys.path[0] = ""


def attend(line: socket.socket) -> bool:
    """Have one command done and tell its exit code; True in the process that is to do it."""
    (words, folder, variables), streams = asked(line)
    pid = os.fork()
    if not pid:
        line.close()
        become(words, folder, variables, streams)
        return True
    for stream in (0, 1, 2, *streams):
        os.close(stream)
    threading.Thread(target=end_with, args=(line, pid), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    line.sendall(struct.pack("!i", code))
    return False


def end_with(line: socket.socket, pid: int) -> None:
    """Kill the command where whoever asked for it is gone."""
    if not line.recv(1):
        os.kill(pid, signal.SIGKILL)


def serve(address: str) -> bool:
    """Wait for commands; True in a process that is to be one, False when there will be none."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(address)
        door.listen(64)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes that wait for commands
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            ready, _, _ = select.select([door.fileno(), 0], [], [])
            if 0 in ready:
                return False
            line, _ = door.accept()
            if os.fork():
                line.close()
                continue
            door.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            if attend(line):
                return True
            os._exit(0)


if __name__ == "__main__":
    load()
    gc.collect()
    gc.freeze()
    if serve(sys.argv[1]):
        runpy.run_module("company_lab", run_name="__main__", alter_sys=True)
