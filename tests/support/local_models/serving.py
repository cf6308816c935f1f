"""Starts llama.cpp's server with a prepared model, and ends it."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_models.pins import PREPARED, PYTHON, Model
from local_models.preparing import NotPrepared, need
from sparrow import free_port

CONTEXT = 16_384
"""Tokens of conversation that fit."""
_STARTS_S = 120.0
_PROGRAM = Path(__file__).with_name("llama_program.py")
# Threads of OpenMP that spin while they wait make the server ten times slower where something else needs a core.
_ENVIRONMENT = {"GOMP_SPINCOUNT": "1000"}


@contextmanager
def llama(model: Model, *, context: int = CONTEXT) -> Iterator[str]:
    """The address of a server with this model: `/v1/chat/completions` and `/v1/systemone`. Raises `NotPrepared`."""
    need(model)
    port = free_port()
    # -P: the modules beside the program are not the server's.
    command = [str(PYTHON), "-P", str(_PROGRAM), "--model", str(model.path), "--alias", model.name]
    command += ["--template", str(model.template), "--port", str(port), "--context", str(context)]
    command += ["--threads", str(os.cpu_count() or 1)]
    log = PREPARED / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **_ENVIRONMENT},
        )
    assert process.stdin is not None
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process, log)
        yield url
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _STARTS_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise NotPrepared(f"the server ended before it answered; {log} says why")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise NotPrepared(f"the server did not answer within {_STARTS_S:.0f} s; {log} says why")
