"""Programs from the command line, and one scenario served by hand."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from mcp import Client, StdioServerParameters

from command import COMMAND, Lab, environment

CONDUCT = [
    {
        "do": [
            {"tool": "repairs.get", "args": {"id": "R-7"}},
            {
                "tool": "repairs.write_to_owner",
                "args": {"id": "R-7", "text": "We are still working on your bicycle."},
            },
        ],
        "reply": "I wrote to the owner.",
    }
]
PROGRAMS = Path(__file__).parents[1] / "support" / "programs"


def command(project: Path, program: str) -> str:
    (project / "conduct.json").write_text(json.dumps(CONDUCT), encoding="utf-8")
    (project / program).write_bytes((PROGRAMS / program).read_bytes())
    return f"{sys.executable} {program} conduct.json"


@pytest.mark.parametrize(
    ("program", "speaks"), [("raw_mcp.py", "mcp-http"), ("raw_mcp.py", "mcp-stdio"), ("lines.py", "lines")]
)
def test_a_program_without_any_sdk_is_evaluated(lab: Lab, project: Path, program: str, speaks: str) -> None:
    done = lab(
        "run", "scenarios", "--agent-command", command(project, program), "--agent-protocol", speaks,
        "--agent-kind", "scripted", "--trials", "3", "--workers", "3",
        folder=project,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Deterministic simulation; no model inference: 3 of 3 planned episodes scored" in done.stdout
    assert f"agent {Path(sys.executable).name} {program} conduct.json (scripted)" in done.stdout


def test_without_a_kind_it_is_undeclared_and_a_failure_is_told(lab: Lab, project: Path) -> None:
    done = lab("run", "scenarios", "--agent-command", "sh -c 'echo no key >&2; exit 2'", folder=project)
    assert done.returncode == 1
    assert "Undeclared agent" in done.stdout
    shown = lab("show", "not_ready_yet", "1", folder=project)
    assert "the program ended with exit code 2: no key" in shown.stdout
    assert "standard error of the agent's process:\nno key" in shown.stderr


def test_a_run_of_a_program_is_resumed_by_what_is_stored(lab: Lab, project: Path) -> None:
    run = ["run", "scenarios", "--agent-command", command(project, "raw_mcp.py"), "--trials", "2"]
    assert lab(*run, "--max-episodes", "1", "--agent-env", "A=b", folder=project).returncode == 3
    refused = lab("run", "--resume", folder=project)
    assert refused.returncode == 2
    assert "the variable A is to be handed on, but it is not set here" in refused.stderr
    changed = project / "raw_mcp.py"
    before = changed.read_text()
    changed.write_text(before + "\n# changed\n")
    assert "settings" in lab("run", "--resume", folder=project, A="b").stderr
    changed.write_text(before)
    assert lab("run", "--resume", folder=project, A="b").returncode == 0


def test_its_limits_need_no_isolation_of_their_own(lab: Lab, project: Path) -> None:
    flood = ["run", "scenarios", "--agent-command", "yes", "--isolate-output", "10k", "--isolate"]
    assert lab(*flood, folder=project).returncode == 1
    shown = lab("show", "not_ready_yet", "1", folder=project)
    assert "more than 10240 bytes were written" in shown.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--agent-command", "cat", "--agent", "reference"], "give either --agent or --agent-command"),
        (["--agent-protocol", "lines"], "--agent-protocol is about a program: give --agent-command too"),
        (["--agent-kind", "scripted", "--agent", "reference"], "--agent-kind is about a program"),
        (["--agent-command", "no-such-program-here"], "there is no program no-such-program-here on the PATH"),
        (["--agent-command", "cat", "--agent-protocol", "smoke"], "'smoke' is not one of"),
    ],
)
def test_contradictions_are_wrong_use(lab: Lab, project: Path, options: list[str], message: str) -> None:
    done = lab("run", "scenarios", *options, folder=project)
    assert done.returncode == 2
    assert message in done.stderr


# By hand


def test_a_client_that_starts_the_command_plays_an_episode(project: Path) -> None:
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "mcp", "scenarios"], env=environment(), cwd=project
    )

    async def play() -> list[str]:
        async with Client(server) as client:
            prompt = await client.get_prompt("task")
            for step in CONDUCT[0]["do"]:
                await client.call_tool(step["tool"], step["args"])  # type: ignore[index]
            wrong = await client.call_tool("reply", {"words": "x"})
            last = await client.call_tool("reply", {"text": CONDUCT[0]["reply"]})
            return [one.content.text for one in prompt.messages] + [  # type: ignore[union-attr]
                one.content[0].text  # type: ignore[union-attr]
                for one in (wrong, last)
            ]

    assert asyncio.run(play()) == [
        "Please tell the owner of R-7 how far the repair is.",
        "reply takes one argument, text",
        "Thank you. The episode is over.",
    ]


def serving(start: Callable[..., subprocess.Popen[str]], *options: str) -> tuple[subprocess.Popen[str], str]:
    process = start("mcp", "scenarios", "--http", *options)
    assert process.stdout is not None
    first = process.stdout.readline()
    return process, first.split(" at ")[1].split(". Its task:")[0]


def say(url: str, tool: str, args: object) -> object:
    split = urlsplit(url)
    line = http.client.HTTPConnection(split.hostname or "", split.port)
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": args}}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with closing(line):
        line.request("POST", split.path, json.dumps(body), headers)
        return json.loads(line.getresponse().read())["result"]


@pytest.mark.loopback
def test_over_http_the_verdict_is_shown_after_the_reply(start: Callable[..., subprocess.Popen[str]]) -> None:
    process, url = serving(start)
    for step in CONDUCT[0]["do"]:
        say(url, step["tool"], step["args"])  # type: ignore[index]
    say(url, "reply", {"text": CONDUCT[0]["reply"]})
    shown, _ = process.communicate(timeout=100)
    assert process.returncode == 0
    assert "not_ready_yet, trial 1: PASSED" in shown


@pytest.mark.loopback
def test_ctrl_c_ends_it_with_the_verdict(start: Callable[..., subprocess.Popen[str]]) -> None:
    process, url = serving(start)
    say(url, "repairs_get", {"id": "R-7"})
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "not_ready_yet, trial 1: FAILED" in shown


def test_a_client_that_leaves_has_not_replied(lab: Lab, project: Path) -> None:
    done = lab("mcp", "scenarios", folder=project)  # whose standard input is empty
    assert done.returncode == 1
    assert done.stdout == ""
    assert "missing_reply" in done.stderr or "missing_action" in done.stderr


def test_what_can_not_be_served_is_wrong_use(lab: Lab, project: Path) -> None:
    assert "there is no suite at" in lab("mcp", "nothing", folder=project).stderr
    assert "has no scenario not_ready" in lab("mcp", "scenarios#not_ready", folder=project).stderr
    assert "--wall" in lab("mcp", "scenarios", "--wall", "soon", folder=project).stderr
    assert "which episode?" in lab("mcp-connect", folder=project).stderr
