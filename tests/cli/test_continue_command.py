"""continue, through the real command."""

from __future__ import annotations

from pathlib import Path

from command import Lab

HONEST_LATER = """
from company_lab.agents.protocol import declare


@declare(kind="scripted")
def says_nothing(task, session):
    return ""
"""


def test_a_stored_episode_goes_on_with_another_agent_and_nothing_is_stored(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:honest", "--quiet", "--store", "mine.db", folder=project)
    (project / "later.py").write_text(HONEST_LATER, "utf-8")
    words = ("continue", "not_ready_yet", "1", "--after", "c1", "--store", "mine.db")
    good = lab(*words, "--agent", "agents:honest", folder=project)
    assert good.returncode == 0, good.stderr
    assert "repeated up to c1 of run" in good.stdout
    assert "nothing was stored" in good.stderr
    bad = lab(*words, "--agent", "later:says_nothing", folder=project)
    assert bad.returncode == 1, bad.stderr
    assert "1 run in" in lab("runs", "--store", "mine.db", folder=project).stdout


def test_nobody_and_an_unknown_call_are_wrong_use(lab: Lab, project: Path) -> None:
    lab("run", "scenarios", "--agent", "agents:honest", "--quiet", folder=project)
    nobody = lab("continue", "not_ready_yet", "1", "--after", "c1", folder=project)
    assert (nobody.returncode, "who shall go on?" in nobody.stderr) == (2, True)
    unknown = lab(
        "continue", "not_ready_yet", "1", "--after", "c77", "--agent", "agents:honest", folder=project
    )
    assert (unknown.returncode, "has no call c77" in unknown.stderr) == (2, True)
    nowhere = lab("continue", "not_ready_yet", "1", "--agent", "agents:honest", folder=project)
    assert nowhere.returncode == 2
    assert "Give --after CALL" in nowhere.stderr
    assert "company-lab show last not_ready_yet 1 names them" in nowhere.stderr
