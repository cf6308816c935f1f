"""H1 and H2: faults that never happen, and faults whose careless handling nobody would notice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from company_lab.agents.conducts import wrong
from company_lab.agents.protocol import Act, Agent, Session, Task, ToolError
from company_lab.formats.canonical import Json
from company_lab.probing.audit.finding import Found, Mutants
from company_lab.probing.audit.subject import Subject
from company_lab.probing.played import Played
from company_lab.probing.seeded_bugs import world as bank_world
from company_lab.scenarios.model import ConductTurn, Step


def unfired_faults(subject: Subject) -> Iterator[Found]:
    """Every scheduled fault must occur on the way of the reference and change something there."""
    reported = {entry["index"]: entry for entry in subject.reference.settled.get("faults") or ()}
    for position, fault in enumerate(subject.scenario.faults):
        entry = reported.get(position, {})
        if not (entry.get("fired") and entry.get("changed")):
            what = "changes nothing" if entry.get("fired") else "never happens"
            yield subject.finding(
                "H1",
                "block",
                f"the fault {fault.kind} on {fault.on} {what} on the way of the reference",
                "schedule it on a call that the reference makes, by its occurrence and attempt",
                path=f"faults[{position}]",
            )


def blind_to_faults(subject: Subject) -> Iterator[Found]:
    """Somebody who meets the faults of the scenario and handles them carelessly must fail.

    Tried are agents that ignore every failure, that repeat whatever failed under a new key, and the scenario's own
    wrong conducts. The agents with seeded bugs know one small world and play there alone (see `seeded`).
    """
    if not subject.asks_agent or not subject.scenario.faults or not subject.reference.passed:
        return
    met = [played for played in _careless(subject) if _fired(played)]
    killed = sum(not played.passed for played in met)
    yield Mutants(killed=min(killed, 1), total=1)
    if not killed:
        yield subject.finding(
            "H2",
            "block",
            "no careless way of meeting the faults fails: "
            + (f"{len(met)} were tried" if met else "none of those tried even met them")
            + ("" if subject.world is bank_world else "; agents with seeded bugs do not know this world"),
            "expect what a right recovery leaves behind, once and no more",
            path="faults",
        )


def _fired(played: Played) -> bool:
    return any(entry.get("fired") for entry in played.settled.get("faults") or ())


def _careless(subject: Subject) -> Iterator[Played]:
    turns = subject.scenario.reference
    once = tuple(turn.model_copy(update={"do": _without_repeats(turn)}) for turn in turns)
    yield subject.conduct(once)
    yield subject.play(Agent(name="audit:repeats", kind="conduct", act=_repeating(once)))
    for conduct in subject.scenario.wrong:
        yield subject.play(wrong(subject.scenario, conduct.id))


def _without_repeats(turn: ConductTurn) -> tuple[Step, ...]:
    kept: list[Step] = []
    for step in turn.do:
        if step not in kept:
            kept.append(step)
    return tuple(kept)


def _repeating(turns: tuple[ConductTurn, ...]) -> Act:
    def act(task: Task, session: Session) -> str:
        if task.turn > len(turns):
            return ""
        for step in turns[task.turn - 1].do:
            try:
                session.attempt(step.tool, step.args)
            except ToolError as error:
                if error.code in ("failed", "timed_out"):
                    with suppress(ToolError):
                        session.attempt(step.tool, _under_new_key(step.args))
        return turns[task.turn - 1].reply or ""

    return act


def _under_new_key(args: dict[str, Json]) -> dict[str, Json]:
    return {
        name: f"{value}-again" if "key" in name and isinstance(value, str) else value
        for name, value in args.items()
    }
