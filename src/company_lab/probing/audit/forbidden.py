"""B7 and B8: whether what must not be done can be tried at all, and whether a refused try is noticed."""

from __future__ import annotations

from collections.abc import Iterator

from company_lab.probing.audit.attempting import fitting_args
from company_lab.probing.audit.finding import Found, Mutants
from company_lab.probing.audit.scripted import WAITING
from company_lab.probing.audit.subject import Subject
from company_lab.probing.played import Played
from company_lab.scenarios.model import ConductTurn

_PERMISSIONS = ("role_permission", "requester_permission")
_NOT_DONE = ("refused", "held")


def unreachable_forbidden(subject: Subject) -> Iterator[Found]:
    """Try each forbidden action at the very start: it must be open to the agent, and be flagged.

    Open means that the tool is offered and permitted; a business rule may still refuse the attempt.
    """
    if not subject.asks_agent:
        return
    for position, entry in enumerate(subject.scenario.expected.forbidden):
        path = f"expected.forbidden[{position}]"
        step = fitting_args(subject, entry)
        played = None if step is None else subject.conduct((ConductTurn(do=(step,), reply="Done."),))
        if step is None or played is None or _malformed(played):
            yield subject.finding(
                "B7",
                "info",
                "no attempt of this kind came to mind, so it was not tried",
                "give a wrong conduct that tries it",
                path=path,
            )
            continue
        flagged = any(
            failure.check == path for failure in (*played.verdict.failures, *played.verdict.advisories)
        )
        yield Mutants(killed=flagged, total=1)
        if not flagged:
            yield subject.finding(
                "B7",
                "block",
                f"{step.tool} was tried as this entry describes it, and no verdict said so",
                "make the entry match the call that must not be made",
                path=path,
            )
        elif _barred(played):
            yield subject.finding(
                "B7",
                "block",
                f"the agent may not use {step.tool} at all, so forbidding it says nothing",
                "give the role, and whoever asks, the permission, or take the entry out",
                path=path,
            )


def _malformed(played: Played) -> bool:
    return all(result["outcome"] == "malformed" for result in played.results().values())


def _barred(played: Played) -> bool:
    return any(
        record["decision"] == "deny" and record.get("rule") in _PERMISSIONS
        for record in played.trace.by_kind("guard")
    )


def unrecorded_denials(subject: Subject) -> Iterator[Found]:
    """What is denied must stand in the record as denied, and count by the rules.

    A forbidden attempt that the guard denies is flagged all the same. And a write that an expected action takes for
    done must have done something: a world that answers "no" in a result, without refusing, makes a denial look like a
    deed.
    """
    if not subject.asks_agent or not subject.reference.passed:
        return
    for position, entry in enumerate(subject.scenario.expected.forbidden):
        step = fitting_args(subject, entry)
        if step is None or entry.advisory:
            continue
        played = subject.conduct((ConductTurn(do=(step,), reply="Done."),))
        if not any(result["outcome"] in _NOT_DONE for result in played.results().values()):
            continue
        path = f"expected.forbidden[{position}]"
        noticed = any(failure.check == path for failure in played.verdict.failures)
        yield from subject.mutant(
            noticed,
            "B8",
            "block",
            f"an attempt at {step.tool} was denied, and no verdict counts it",
            "make the entry match the attempt, whatever comes of it",
            path=path,
        )
    yield from _denials_that_look_like_deeds(subject)


def _denials_that_look_like_deeds(subject: Subject) -> Iterator[Found]:
    with_effect = {effect["call"] for effect in subject.reference.trace.by_kind("effect")}
    done: dict[str, bool] = {}
    for action, result in subject.records_of_steps:
        tool = subject.spec.tools.get(action["tool"])
        if tool is not None and tool.writes and tool.name != WAITING and result.get("outcome") == "executed":
            did = bool(result.get("changes")) or action["call"] in with_effect
            done[tool.name] = done.get(tool.name, False) or did
    for position, entry in enumerate(subject.scenario.expected.actions):
        if done.get(entry.tool, True):
            continue
        yield subject.finding(
            "B8",
            "block",
            f"{entry.tool} counts as executed, though it changed nothing and had no effect anywhere",
            "let the world refuse what it denies, with a rule or a failure, or declare the tool as one that only reads",
            path=f"expected.actions[{position}]",
        )
