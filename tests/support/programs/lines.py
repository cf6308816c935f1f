"""A program that speaks our lines: replays a conduct. Usage: lines.py CONDUCT.json, as raw_mcp.py takes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    turns: Any = json.loads(Path(sys.argv[1]).read_text())
    requests = 0
    for line in sys.stdin:
        task = json.loads(line)
        turn: Any = turns[task["turn"] - 1] if task["turn"] <= len(turns) else {"do": [], "reply": ""}
        for step in turn["do"]:
            requests += 1
            call = {"kind": "call", "id": requests, "tool": step["tool"], "args": step["args"]}
            say(call)
            sys.stdin.readline()
        say({"kind": "reply", "text": turn["reply"]})


if __name__ == "__main__":
    main()
