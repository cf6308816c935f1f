"""The command on a real terminal: a pseudo terminal, with its escapes."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from command import COMMAND, environment

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


def on_a_terminal(project: Path, *arguments: str, interrupt_after: float | None = None) -> tuple[int, str]:
    """Exit code and everything that reached the terminal."""
    ours, theirs = pty.openpty()
    variables = environment(TERM="xterm-256color")
    del variables["NO_COLOR"]
    running = subprocess.Popen(
        [*COMMAND, *arguments], cwd=project, env=variables, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    started = time.monotonic()
    interrupted = False
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        shown += part
        bar = HIDE.encode() in shown
        if interrupt_after is not None and bar and not interrupted:
            time.sleep(interrupt_after)
            running.send_signal(signal.SIGINT)
            interrupted = True
        assert time.monotonic() - started < 40
    os.close(ours)
    return running.wait(timeout=100), shown.decode("utf-8")


def test_a_bar_is_shown_and_taken_away(project: Path) -> None:
    code, shown = on_a_terminal(project, "run", "scenarios", "--agent", "agents:slow", "--trials", "12")
    assert code == 0
    assert re.search(r"\d+/12", shown)
    assert shown.rfind(SHOW) > shown.rfind(HIDE) >= 0
    assert "Deterministic simulation" in shown


def test_an_interrupt_gives_the_cursor_back(project: Path) -> None:
    code, shown = on_a_terminal(
        project, "run", "scenarios", "--agent", "agents:slow", "--trials", "200", interrupt_after=0.5
    )
    assert code == 130
    assert shown.rfind(SHOW) > shown.rfind(HIDE) >= 0
    assert "Interrupted" in shown


@pytest.mark.parametrize("arguments", [["-v"], ["--quiet"], ["--json-lines"]])
def test_other_ways_of_telling_show_no_bar(project: Path, arguments: list[str]) -> None:
    code, shown = on_a_terminal(project, "run", "scenarios", *arguments)
    assert code == 0
    assert HIDE not in shown
