"""Agents by name: the reference, the hostile ones, and a team's own as module:function."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from company_lab.agents.resolve import resolve_agent
from company_lab.formats.errors import WrongUse
from depot import run

MODULE = """
from company_lab.agents.protocol import Agent, declare

@declare(kind="scripted")
def clerk(task, session):
    return "done"

async def slow(task, session):
    return "done"

made = Agent(name="made", kind="test_model", act=clerk)
seven = 7
"""


@pytest.fixture(autouse=True)
def _modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("naming_agents.py").write_text(MODULE)
    yield
    sys.modules.pop("naming_agents", None)


@pytest.mark.parametrize(
    ("name", "known_as", "kind"),
    [
        ("reference", "reference", "conduct"),
        ("hostile:idle", "hostile:idle", "scripted"),
        ("hostile:claims_success", "hostile:claims_success", "scripted"),
        ("hostile:refuses", "hostile:refuses", "scripted"),
        ("hostile:twice", "hostile:twice", "scripted"),
        ("naming_agents:clerk", "naming_agents:clerk", "scripted"),
        ("naming_agents:slow", "naming_agents:slow", "undeclared"),
        ("naming_agents:made", "made", "test_model"),
    ],
)
def test_a_name_leads_to_its_agent(name: str, known_as: str, kind: str) -> None:
    agent = resolve_agent(name)
    assert (agent.name, agent.kind) == (known_as, kind)


@pytest.mark.parametrize("name", ["naming_agents:clerk", "naming_agents:slow", "naming_agents:made"])
def test_an_agent_that_was_found_plays(name: str) -> None:
    assert run(resolve_agent(name)).stop == "finished"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clerk", "clerk names no agent; write module:function, reference, hostile:<name>, or an adapter"),
        ("", "names no agent"),
        ("naming_agents:", "names no agent"),
        ("hostile:idel", "there is no hostile agent idel; did you mean hostile:idle"),
        ("hostile:", "there is no hostile agent"),
        ("naming_agents:clrk", "naming_agents has no clrk; did you mean clerk"),
        ("naming_agent:clerk", "there is no module naming_agent"),
        ("naming_agents:seven", "is a int and can not be called"),
    ],
)
def test_a_name_that_leads_nowhere_says_so(name: str, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        resolve_agent(name)
