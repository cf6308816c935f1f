"""The command in a process that has imported everything before: what a start costs is paid once, not by each test.

`server.py` imports the package and waits on a socket; for each command it forks, and the copy runs it in the folder,
with the environment and on the streams of whoever asked, and ends as the command ends. `client.py` is what takes the
place of `company-lab`: it asks, waits, and ends with the same exit code. Nothing of one command is left for the next.

A test about starting itself, signals, closed streams or the memory of a process starts the command cold.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def warm_command() -> list[str]:
    """The command, as words for `subprocess`; the first call starts the process behind it."""
    folder = Path(tempfile.mkdtemp(prefix="warm-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = folder / "socket"
    # It ends when its standard input does, which is when this process ends, however that happens.
    server = subprocess.Popen(
        [sys.executable, str(_HERE / "server.py"), str(address)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=dict(os.environ) | {"OPENBLAS_NUM_THREADS": "1"},
    )
    assert server.stdin is not None
    assert server.stdout is not None
    atexit.register(server.wait)
    atexit.register(server.stdin.close)
    assert server.stdout.readline() == b"ready\n"
    return [sys.executable, "-IS", str(_HERE / "client.py"), str(address)]


@cache
def warm_folder() -> str:
    """A folder with a `company-lab` that is warm, to be put first on the path."""
    command = warm_command()
    folder = Path(command[-1]).parent / "bin"
    folder.mkdir()
    program = folder / "company-lab"
    words = " ".join(f'"{word}"' for word in command)
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
    program.chmod(0o755)
    return str(folder)
