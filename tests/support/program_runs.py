"""Episodes of programs: the depot's, the shipped suite's, and what a program is made from."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from company_lab.agents.protocol import Agent
from company_lab.company import SUITE
from company_lab.episodes import Episode, play
from company_lab.episodes.programs import program_agent
from company_lab.scenarios.model import ConductTurn, Scenario
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world
from depot import scenario, world

PROGRAMS = Path(__file__).parent / "programs"


def sample(count: int) -> tuple[Scenario, ...]:
    """So many scenarios of the shipped suite, spread over it, each with a reference."""
    suite = load_suite(SUITE, worlds=lambda name: resolve_world(name).spec)
    playable = [one for one in suite.scenarios if one.reference]
    return tuple(playable[:: max(1, len(playable) // count)][:count])


def conduct_file(scenario: Scenario, folder: Path) -> Path:
    """The reference of a scenario as a file that the programs in `programs` replay."""
    path = folder / f"{scenario.id}.json"
    path.write_text(json.dumps(turns_document(scenario.reference)), encoding="utf-8")
    return path


def turns_document(turns: Sequence[ConductTurn]) -> list[dict[str, Any]]:
    """The turns of a conduct, as the programs in `programs` read them."""
    return [
        {"do": [{"tool": step.tool, "args": step.args} for step in turn.do], "reply": turn.reply}
        for turn in turns
    ]


def replaying(program: str, folder: Path, *, speaks: str) -> Agent:
    """A program that replays the reference of whatever scenario it is given."""

    def bound(one: Scenario) -> Agent:
        command = [sys.executable, str(PROGRAMS / program), str(conduct_file(one, folder))]
        return program_agent(command, speaks=speaks, kind="scripted")

    return replace(bound(sample(1)[0]), name=program, bound=bound)


def written(folder: Path, text: str, name: str = "program.py") -> list[str]:
    """A Python program of this text, as a command."""
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return [sys.executable, str(path)]


def played(command: list[str] | str, *, speaks: str = "mcp-http", limits: Any = None, **keys: Any) -> Episode:
    """One episode of a program in the depot."""
    agent = program_agent(command, speaks=speaks, kind="scripted", **keys)
    more = {} if limits is None else {"limits": limits}
    return play(world.prepare(scenario(**more)), agent)


def told(episode: Episode) -> tuple[str, str]:
    """Why it stopped, and the detail."""
    (record,) = episode.trace.by_kind("stopped")
    return record["reason"], record["detail"]


def replies(episode: Episode) -> Iterator[str]:
    """The texts it replied with."""
    for record in episode.trace.by_kind("reply"):
        yield record["text"]
