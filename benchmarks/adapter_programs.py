"""The programs that `benchmarks/adapters.py` plays: each makes so many calls and prints the seconds they took.

Usage: adapter_programs.py lines|http|stdio CALLS ARGS
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from urllib.parse import urlsplit

VERSION = "2025-06-18"


def over_lines(line: str) -> Callable[[], object]:
    """A call on our own line; a line that came back is its answer."""
    out, into = sys.stdout, sys.stdin

    def call() -> object:
        out.write(line)
        out.flush()
        return into.readline()

    return call


def over_http(body: str) -> Callable[[], object]:
    """A call on one connection to the world's address."""
    url = urlsplit(os.environ["COMPANY_LAB_MCP_URL"])
    connection = http.client.HTTPConnection(url.hostname or "", url.port)
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
    }

    def call() -> object:
        connection.request("POST", url.path, body, headers)
        return connection.getresponse().read()

    return call


def over_stdio(body: str) -> Callable[[], object]:
    """A call through the server the lab names as a command."""
    command = shlex.split(os.environ["COMPANY_LAB_MCP_COMMAND"])
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    says, hears = server.stdin, server.stdout
    client = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}

    def say(text: str) -> bytes:
        says.write(text.encode() + b"\n")
        says.flush()
        return hears.readline()

    say(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}))
    return lambda: say(body)


def main() -> None:
    """Warm up, then measure."""
    how, calls, args = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    asked = {"name": "crm_get", "arguments": args}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})
    if how == "lines":
        sys.stdin.readline()
        call = over_lines(json.dumps({"kind": "call", "id": 1, "tool": "crm.get", "args": args}) + "\n")
    else:
        call = over_http(body) if how == "http" else over_stdio(body)
    call()
    started = time.perf_counter()
    for _ in range(calls):
        call()
    took = f"{time.perf_counter() - started:.6f}"
    print(json.dumps({"kind": "reply", "text": took}) if how == "lines" else took, flush=True)


if __name__ == "__main__":
    main()
