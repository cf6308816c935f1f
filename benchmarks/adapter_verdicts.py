"""Whether an adapter changes a verdict: every conduct of the shipped suite, played through each framework.

The ordinary tests do this with a sample. A scripted model of the framework works through the reference and through each
wrong conduct of every scenario, and the verdict is compared with that of the conduct itself. Where a conduct replies
nothing at all, pydantic-ai does not accept the empty answer and ends in an error: `not_finished` comes on top.
Run `python benchmarks/adapter_verdicts.py`, perhaps with names of frameworks; it takes a minute or two for each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from company_lab.agents.conducts import reference, wrong
from company_lab.agents.protocol import Agent
from company_lab.company import SUITE, company
from company_lab.episodes import play
from company_lab.evaluation import judge
from company_lab.scenarios.model import ConductTurn, Scenario
from company_lab.scenarios.suite import load_suite

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from framework_agents import FRAMEWORKS, replaying


def conducts(scenario: Scenario) -> Iterator[tuple[str, Agent, tuple[ConductTurn, ...]]]:
    """Each conduct of a scenario: its name, the agent that plays it, and its turns."""
    if scenario.reference:
        yield "reference", reference(scenario), scenario.reference
    for one in scenario.wrong:
        if one.turns:
            yield one.id, wrong(scenario, one.id), one.turns


def verdict(scenario: Scenario, fixture: Any, agent: Agent) -> tuple[str, list[str]]:
    """Outcome and codes of an episode."""
    found = judge(scenario, company.spec, play(fixture, agent.for_scenario(scenario)).trace)
    return found.outcome, sorted({failure.code for failure in found.failures})


def main() -> int:
    """Compare, print, and return 1 where a verdict differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("frameworks", nargs="*", choices=[*FRAMEWORKS, []], metavar="FRAMEWORK")
    chosen = parser.parse_args().frameworks or list(FRAMEWORKS)
    differing = 0
    scenarios = load_suite(SUITE, lambda name: company.spec).scenarios
    for name in chosen:
        started, played, different, unaccepted = time.perf_counter(), 0, 0, 0
        for scenario in scenarios:
            fixture = company.prepare(scenario)
            for conduct, plain, turns in conducts(scenario):
                expected = verdict(scenario, fixture, plain)
                found = verdict(scenario, fixture, FRAMEWORKS[name](replaying(turns)).agent)
                played += 1
                if found == expected:
                    continue
                if found == (expected[0], sorted([*expected[1], "not_finished"])):
                    unaccepted += 1
                else:
                    different += 1
                    print(f"{name}: {scenario.id}, {conduct}: {found}, as a conduct {expected}")
        seconds = time.perf_counter() - started
        more = f", {unaccepted} empty answers not accepted" if unaccepted else ""
        print(f"{name}: {played} conducts, {different} verdicts differ{more} ({seconds:.0f} s)", flush=True)
        differing += different
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
