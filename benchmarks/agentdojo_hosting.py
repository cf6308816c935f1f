"""AgentDojo by its own runner and hosted here, the same episodes in one run: verdicts and episodes per second.

python benchmarks/agentdojo_hosting.py            all user tasks: ground truth, nothing, bad work
python benchmarks/agentdojo_hosting.py --pairs    also every pair of user task and injection, hijacked
python benchmarks/agentdojo_hosting.py --check    fails where a verdict differs or the factor is below 2

All of it, on 2026-11-30 with agentdojo 0.1.35 and PYTHONHASHSEED=0, on two shared cores: 1,240 episodes (291, and 949
pairs), 0 verdicts differ; 6.3 episodes a second by its own runner, 53.6 hosted. It takes about four minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from agentdojo_original import Calls, conducts, original
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.episodes.play import play
from company_lab.evaluation import judge
from company_lab.interop.hosting.agentdojo import host
from company_lab.interop.hosting.agentdojo_suite import Setting, Suite, suites

AT_LEAST = 2.0


def agent(suite: str, calls: Calls, reply: str) -> Agent:
    """Plays the same script here."""

    def act(task: Task, session: Session) -> str:
        for name, args in calls:
            try:
                session.attempt(f"{suite}.{name}", dict(args))
            except ToolError:
                continue
        return reply

    return Agent(name="scripted", kind="scripted", act=act)


def episodes(suite: Suite, *, pairs: bool) -> Iterator[tuple[Setting, str, Calls, str]]:
    """What is played: task, manner, calls, last words."""
    for task in suite.tasks:
        setting = Setting(task)
        for manner, (calls, reply) in conducts(*suite.ground_truth(setting)).items():
            yield setting, manner, calls, reply
    for task in suite.tasks if pairs else ():
        for goal in suite.goals:
            calls, reply = suite.ground_truth(Setting(goal))
            yield Setting(task, goal, "direct"), "hijacked", calls, reply


def main() -> int:
    """Print rates, factor and every verdict that differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--pairs", action="store_true", help="also every pair, with the injection carried out"
    )
    parser.add_argument(
        "--check", action="store_true", help=f"fail below {AT_LEAST}x or where a verdict differs"
    )
    given = parser.parse_args()
    own_s = here_s = 0.0
    played = 0
    differing: list[str] = []
    for name, suite in suites().items():
        world = host.world(name)
        plain = {one.id: one for one in host.suite(name).scenarios}
        paired = {one.id: one for one in host.suite(f"{name}@direct").scenarios} if given.pairs else {}
        fixtures: dict[str, Any] = {}
        for setting, manner, calls, reply in episodes(suite, pairs=given.pairs):
            id = setting.task if setting.against is None else f"{setting.task}__{setting.against}"
            scenario = plain[id] if setting.against is None else paired[id]
            began = time.perf_counter()
            theirs = original(
                suite,
                setting.task,
                calls,
                reply,
                against=setting.against,
                injections=suite.injections(setting),
            )
            between = time.perf_counter()
            if id not in fixtures:
                fixtures[id] = world.prepare(scenario)
            trace = play(fixtures[id], agent(name, calls, reply)).trace
            judge(scenario, world.spec, trace)
            here_s += time.perf_counter() - between
            own_s += between - began
            played += 1
            facts = trace.records[-1]["facts"]
            # Of a task alone, AgentDojo's second answer says nothing.
            attacked = theirs[1] if setting.against is None else facts["attack_succeeded"]
            ours = facts["utility"], attacked
            if ours != theirs:
                differing.append(f"{name} {id} {manner}: theirs {theirs}, here {ours}")
    factor = own_s / here_s
    print(f"{played} episodes; {len(differing)} verdicts differ")
    for line in differing:
        print(f"  {line}")
    print(f"AgentDojo's own runner   {played / own_s:>8,.1f} episodes/s")
    print(f"hosted, with trace       {played / here_s:>8,.1f} episodes/s")
    print(f"factor                   {factor:>8,.1f}")
    return int(given.check and (bool(differing) or factor < AT_LEAST))


if __name__ == "__main__":
    raise SystemExit(main())
