"""Conducts: the scripted ways through a scenario that come with it.

A conduct that crashes goes on where it was. Where a crash is scheduled it saves its position after every step, so it
knows which step it had done last; with the transcript it counts the answers there; with its task alone it begins the
turn again. A step whose answer it never saw, or could not save, is done once more: right where the tool takes an
idempotency key, where the repeat changes nothing, or where the step only reads, and twice where it is none of these
(`probing.looking_back` looks first). Without a scheduled crash it saves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse, nearest
from company_lab.scenarios.model import ConductTurn, Scenario, Step


def reference(scenario: Scenario) -> Agent:
    """The conduct that must pass."""
    if not scenario.reference:
        raise WrongUse(f"{scenario.id} has no reference; a contract scenario is its own")
    return _conduct("reference", scenario.reference)


def wrong(scenario: Scenario, id: str) -> Agent:
    """A conduct that must fail, by its id."""
    known = {conduct.id: conduct for conduct in scenario.wrong}
    if id not in known:
        close = nearest(id, known)
        raise WrongUse(
            f"{scenario.id} has no wrong conduct {id}" + (f"; did you mean {close}?" if close else "")
        )
    return _conduct(f"wrong:{id}", known[id].turns)


def references() -> Agent:
    """The agent that plays each scenario by its reference."""

    def nobody(task: Task, session: Session) -> str:
        raise WrongUse("the reference is bound to a scenario before it plays")

    return Agent(name="reference", kind="conduct", act=nobody, bound=reference)


def position(task: Task, memory: Json, steps: Sequence[Step]) -> int:
    """How many steps of the turn a conduct knows to be done, when it begins it or begins it again."""
    restart = task.restart
    if restart is None or restart.mode == "task":
        return 0
    if restart.mode == "checkpoint":
        kept = memory if isinstance(memory, dict) and memory.get("turn") == task.turn else {}
        return int(str(kept.get("done", 0)))
    done = 0
    for exchange in restart.transcript:
        if exchange.turn != task.turn:
            continue
        asked = (exchange.tool, exchange.args)
        if done < len(steps) and asked == (steps[done].tool, steps[done].args):
            done += 1
        elif asked == (steps[0].tool, steps[0].args):  # another restart had begun the turn anew
            done = 1
    return done


def _conduct(name: str, turns: Sequence[ConductTurn]) -> Agent:
    def act(task: Task, session: Session) -> str:
        if task.turn > len(turns):
            return ""
        turn = turns[task.turn - 1]
        saves = getattr(session, "crashes", None) is not None
        begin = position(task, session.memory, turn.do) if saves else 0
        for done, step in enumerate(turn.do[begin:] if begin else turn.do, start=begin + 1):
            with suppress(ToolError):  # a refused or failed step does not end a conduct
                session.attempt(step.tool, step.args)
            if saves:
                session.memory = {"turn": task.turn, "done": done}
        return turn.reply or ""

    return Agent(name=name, kind="conduct", act=act)
