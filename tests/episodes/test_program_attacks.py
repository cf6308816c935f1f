"""Programs that tear down what carries their calls, ignore what they are told, and multiply."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from company_lab.episodes.confined import Confinement
from processes import eventually, is_alive
from program_runs import played, replies, told, written

BRIDGE = """
    import json, os, shlex, subprocess, sys, time

    def start():
        command = shlex.split(os.environ["COMPANY_LAB_MCP_COMMAND"])
        bridge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        say(bridge, id=0, method="initialize", params=params)
        bridge.stdout.readline()
        say(bridge, method="notifications/initialized")
        return bridge

    def say(bridge, **message):
        bridge.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n")
        bridge.stdin.flush()

    def call(bridge, tool, **args):
        say(bridge, id=1, method="tools/call", params={"name": tool, "arguments": args})

    def answer(bridge):
        return json.loads(bridge.stdout.readline())["result"]
"""


def bridging(folder: Path, text: str) -> list[str]:
    """A program that starts the bridge by hand."""
    from textwrap import dedent

    return written(folder, dedent(BRIDGE) + dedent(text))


def test_a_bridge_that_is_killed_takes_nothing_with_it(tmp_path: Path) -> None:
    program = bridging(
        tmp_path,
        """
        first = start()
        call(first, "depot_ship", id="P-1")
        shipped = answer(first)["structuredContent"]["status"]
        first.kill()
        second = start()
        call(second, "depot_get", id="P-1")
        print(shipped, answer(second)["structuredContent"]["status"])
        """,
    )
    episode = played(program, speaks="mcp-stdio")
    (reply,) = replies(episode)
    assert reply.endswith(" sent")
    assert [record["tool"] for record in episode.trace.by_kind("action")] == ["depot.ship", "depot.get"]
    assert len(list(episode.trace.by_kind("effect"))) == 1


def test_a_bridge_that_is_killed_in_the_middle_of_a_message_is_the_end_of_that_message(
    tmp_path: Path,
) -> None:
    program = bridging(
        tmp_path,
        """
        first = start()
        first.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "depot_ship", "ar')
        first.stdin.flush()
        time.sleep(0.5)
        first.kill()
        second = start()
        call(second, "depot_get", id="P-1")
        print(answer(second)["structuredContent"]["status"])
        """,
    )
    episode = played(program, speaks="mcp-stdio")
    assert list(replies(episode)) == ["waiting"]
    found = [record["outcome"] for record in episode.trace.by_kind("result")]
    assert sorted(found) == ["executed", "malformed"]
    assert list(episode.trace.by_kind("effect")) == []


@pytest.mark.wall_time
def test_a_program_that_ignores_every_request_to_end_is_ended(tmp_path: Path) -> None:
    program = written(
        tmp_path,
        """
        import signal, time
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        while True:
            time.sleep(60)
        """,
    )
    begun = time.monotonic()
    assert told(played(program, limits={"wall": "900ms"}))[0] == "wall_limit"
    assert time.monotonic() - begun < 10


def test_a_program_that_multiplies_leaves_nobody_behind(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"for n in $(seq 40); do (setsid sleep 60 & echo $! >> {pids}) & done; wait; echo done"
    episode = played(["sh", "-c", script])
    assert list(replies(episode)) == ["done"]
    found = [int(line) for line in pids.read_text().split()]
    assert len(found) == 40
    assert eventually(lambda: not any(map(is_alive, found)), seconds=20)


@pytest.mark.wall_time
def test_what_a_program_prints_is_not_kept_beyond_its_limit() -> None:
    begun = time.monotonic()
    episode = played(
        ["sh", "-c", "head -c 1000000000 /dev/zero"], confinement=Confinement(output_bytes=1_000_000)
    )
    assert told(episode)[0] == "output_limit"
    assert len(episode.timings["stdout"]) < 100_000
    assert time.monotonic() - begun < 20


def test_complaints_that_are_no_text_are_shown_as_far_as_they_can_be() -> None:
    episode = played(["sh", "-c", r"printf 'caf\303\251 \377\n' >&2; exit 4"])
    assert told(episode) == ("agent_error", "the program ended with exit code 4: café \ufffd")


def test_a_program_that_lives_on_without_its_output_is_waited_for_and_then_ended(tmp_path: Path) -> None:
    program = written(
        tmp_path, "import os, time; os.write(1, b'hi'); os.close(1); os.close(2); time.sleep(60)"
    )
    assert told(played(program, limits={"wall": "1500ms"}))[0] == "wall_limit"
