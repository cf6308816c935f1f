"""An MCP client without any SDK: replays a conduct, over HTTP or by starting the server the configuration names.

Usage: raw_mcp.py CONDUCT.json, a list of turns, each with `do` (tool, args) and `reply`.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

VERSION = "2025-06-18"


class OverHttp:
    def __init__(self, url: str) -> None:
        split = urlsplit(url)
        self._path = split.path
        self._line = http.client.HTTPConnection(split.hostname or "", split.port)

    def say(self, message: dict[str, Any]) -> Any:
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": VERSION,
        }
        self._line.request("POST", self._path, json.dumps(message), headers)
        answer = self._line.getresponse()
        body = answer.read()
        return json.loads(body) if "id" in message else None


class OverStdio:
    def __init__(self, server: dict[str, Any]) -> None:
        # As most clients do, with next to nothing of the environment.
        env = {"PATH": os.environ["PATH"]}
        self._server = subprocess.Popen(
            [server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
        )

    def say(self, message: dict[str, Any]) -> Any:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(message).encode() + b"\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline()) if "id" in message else None


class Client:
    def __init__(self) -> None:
        config = json.loads(Path(os.environ["COMPANY_LAB_MCP_CONFIG"]).read_text())
        (server,) = config["mcpServers"].values()
        self._line = OverHttp(server["url"]) if "url" in server else OverStdio(server)
        self._requests = 0
        hello = {
            "protocolVersion": VERSION,
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        }
        self.ask("initialize", hello)
        self._line.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self._requests += 1
        answer = self._line.say({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params})
        return answer.get("result", answer.get("error"))

    def call(self, tool: str, args: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": args})


def main() -> None:
    turns: Any = json.loads(Path(sys.argv[1]).read_text())
    task = json.loads(Path(os.environ["COMPANY_LAB_TASK"]).read_text())
    turn: Any = turns[task["turn"] - 1] if task["turn"] <= len(turns) else {"do": [], "reply": ""}
    if turn["do"]:
        client = Client()
        for step in turn["do"]:
            client.call(step["tool"], step["args"])
    sys.stdout.write(turn["reply"] or "")


if __name__ == "__main__":
    main()
