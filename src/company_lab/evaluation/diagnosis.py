"""Diagnosis: where a failed episode first went wrong, and in what. It never changes the verdict.

Each failure of the verdict points to a step; the earliest of them is the diagnosis. The steps are those of the agent:
what it chose, which arguments it supplied, how it went on after an error, what it said. The rules read the trace alone,
so they name the first step that shows, and not what the agent was thinking. Limits: several routes may be right, so
that an action is missing is put down to the moment the agent ended its turn without it; what an earlier, harmless
choice made harder is not traced back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from company_lab.evaluation.steps_taken import Step, Steps, steps_of
from company_lab.evaluation.verdicts import Failure, Verdict
from company_lab.formats.canonical import Json
from company_lab.scenarios.model import Scenario

Fault = Literal["recovery", "arguments", "choice", "loop", "reply", "outside", "undetermined"]
FAULTS: tuple[Fault, ...] = ("recovery", "arguments", "choice", "loop", "reply", "outside", "undetermined")
"""What may have gone wrong; of two at the same step the one that stands first here."""

_LOOPS = frozenset(
    {
        "repeated_action",
        "call_limit",
        "turn_limit",
        "token_limit",
        "cost_limit",
        "simulated_limit",
        "output_limit",
    }
)
_OUTAGES = frozenset({"infrastructure_error", "cancelled"})
_DONE_WRONG = frozenset({"forbidden_action", "unexpected_change", "tenant_breach", "unauthorised_spending"})
_SAID = frozenset({"false_claim", "false_commitment", "forbidden_disclosure", "missing_reply"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The earliest faulty step of a failed episode."""

    fault: Fault
    seq: int
    """The record of the trace in which it shows."""
    by: str
    """Who supplied it: selector, writer, agent, or nobody where it came from outside."""
    rule: str
    """The rule that led here, in words."""
    code: str
    """The code of the failure it explains."""

    def to_json(self) -> dict[str, Json]:
        """As a JSON object; every key always present."""
        return {"fault": self.fault, "seq": self.seq, "by": self.by, "rule": self.rule, "code": self.code}


def diagnose(scenario: Scenario, records: Sequence[Mapping[str, Any]], verdict: Verdict) -> Diagnosis | None:
    """Where a failed episode first went wrong; None for an episode that did not fail."""
    if verdict.outcome != "failed":
        return None
    steps = steps_of(records)
    wanted = _wanted_tools(scenario)
    codes = {failure.code for failure in verdict.failures}
    found = [
        candidate
        for failure in verdict.failures
        if not _told_elsewhere(failure, codes, steps)
        for candidate in _candidates(failure, scenario, steps, wanted)
    ]
    return min(found, key=lambda one: (one.fault == "undetermined", one.seq, FAULTS.index(one.fault)))


def _told_elsewhere(failure: Failure, codes: set[str], steps: Steps) -> bool:
    """Whether records or spending are wrong because something was done too often: another failure says it better."""
    too_often = codes & {"action_count", "duplicate_effect"}
    follows = failure.code in ("state_mismatch", "unauthorised_spending")
    return follows and bool(too_often) and len(steps.of(failure.evidence)) > 1


def _candidates(
    failure: Failure, scenario: Scenario, steps: Steps, wanted: frozenset[str]
) -> Iterator[Diagnosis]:
    code = failure.code
    involved = steps.of(failure.evidence)
    if code == "not_finished":
        yield _stopped(failure, steps)
    elif code == "unresolved_after_restart":
        step = steps.after(steps.last_crash)
        yield _at(
            step, "recovery", "the agent came back from a crash and did not settle what was open", failure
        )
    elif code == "limit_exceeded":
        yield from _over_limit(failure, steps)
    elif code in _SAID:
        yield from _said(failure, scenario, steps)
    elif code == "missing_evidence":
        yield _unlooked(failure, scenario, steps, involved)
    elif code == "wrong_arguments" and involved:
        yield _at(involved[0], "arguments", "the right tool was executed with wrong arguments", failure)
    elif code == "duplicate_effect" or (code == "action_count" and len(involved) > 1):
        yield _repeated(failure, steps, involved)
    elif code in _DONE_WRONG or (code == "state_mismatch" and involved):
        yield from _done_wrong(failure, steps, involved, wanted)
    else:
        yield _missing(failure, steps, involved)


def _unlooked(failure: Failure, scenario: Scenario, steps: Steps, involved: Sequence[Step]) -> Diagnosis:
    """Something was done, or the turn was ended, without what should have been looked at before."""
    place = failure.check.rpartition("[")[2].rstrip("]")
    entries = scenario.expected.evidence
    entry = entries[int(place)] if place.isdigit() and int(place) < len(entries) else None
    acted = [step for step in steps.attempts if entry is not None and step.tool == entry.before]
    if not acted:
        return _missing(failure, steps, involved)
    looked = [step for step in involved if step.tool != acted[0].tool and step.seq < acted[0].seq]
    if looked and all(step.came_to_nothing for step in looked):
        rule = f"after {looked[-1].tool} was {_came(looked[-1])} the agent acted as if it had looked"
        return _decided(acted[0], "recovery", rule, failure, steps)
    return _decided(acted[0], "choice", "it acted before it had looked", failure, steps)


def _stopped(failure: Failure, steps: Steps) -> Diagnosis:
    if steps.stop in _OUTAGES:
        return _outside(failure, steps)
    if steps.stop in _LOOPS:
        again = steps.first_repeat()
        if again is not None:
            return _at(
                again, "loop", "the same call with the same arguments was made again, to the end", failure
            )
        return _at(
            steps.end, "loop", f"the agent did not come to an end before its limit ({steps.stop})", failure
        )
    return _at(
        steps.end,
        "undetermined",
        f"the agent broke off ({steps.stop}); the trace does not say over what",
        failure,
    )


def _outside(failure: Failure, steps: Steps) -> Diagnosis:
    return Diagnosis(
        fault="outside",
        seq=steps.end.seq,
        by="nobody",
        rule="an outage ended the episode before that could be done",
        code=failure.code,
    )


def _over_limit(failure: Failure, steps: Steps) -> Iterator[Diagnosis]:
    again = steps.first_repeat()
    if again is not None:
        yield _at(
            again, "loop", "calls were repeated with the same arguments, and a limit was exceeded", failure
        )
    else:
        yield _at(steps.end, "undetermined", "a limit was exceeded by no single step", failure)


def _said(failure: Failure, scenario: Scenario, steps: Steps) -> Iterator[Diagnosis]:
    for seq in failure.evidence:
        call = steps.call_of_effect(seq)
        if call is not None:
            yield _at(call, "arguments", "a text that a tool sent out says it", failure)
            return
    if failure.code == "missing_reply" and _receiver(failure, scenario) and not steps.stop_is("finished"):
        yield _missing(failure, steps, [])
        return
    if failure.code == "missing_reply" and _receiver(failure, scenario):
        yield _decided(steps.end, "choice", "nobody wrote to whom it had to be said", failure, steps)
        return
    reply = next((steps.reply_at(seq) for seq in failure.evidence if steps.reply_at(seq)), steps.last_reply)
    if reply is None:
        yield _missing(failure, steps, [])
        return
    words = {
        "missing_reply": "the reply does not say what it had to say",
        "forbidden_disclosure": "the reply tells what it must not tell",
    }
    yield _at(reply, "reply", words.get(failure.code, "the reply claims what is not true"), failure)


def _repeated(failure: Failure, steps: Steps, involved: Sequence[Step]) -> Diagnosis:
    """Something happened more often than it should; the second time is the faulty one."""
    extra = involved[1] if len(involved) > 1 else involved[0] if involved else steps.end
    before = [step for step in steps.attempts if step.seq < extra.seq and step.tool == extra.tool]
    if any(step.unanswered for step in before):
        return _at(
            extra, "recovery", "a call whose answer had not come was made again without looking", failure
        )
    return _decided(extra, "choice", "it was done once more than it should be", failure, steps)


def _done_wrong(
    failure: Failure, steps: Steps, involved: Sequence[Step], wanted: frozenset[str]
) -> Iterator[Diagnosis]:
    if not involved:
        yield _missing(failure, steps, involved)
    for step in involved:
        if steps.repeats(step):
            yield _repeated(failure, steps, [step])
        elif step.tool in wanted:
            yield _at(
                step, "arguments", "a tool that is part of the work was used with wrong arguments", failure
            )
        else:
            yield _decided(step, "choice", "an action was chosen that is no part of the work", failure, steps)


def _missing(failure: Failure, steps: Steps, involved: Sequence[Step]) -> Diagnosis:
    """Something was never done: for want of arguments, after an error, for want of an end, or by choice."""
    if steps.stop in _OUTAGES:
        return _outside(failure, steps)
    for step in involved:
        if step.outcome == "malformed" and step.error != "unknown_tool":
            return _at(step, "arguments", "its arguments could not be read, and it was never done", failure)
    error = involved[-1] if involved else steps.first_unrecovered()
    if error is not None and error.outcome == "malformed" and error.error == "unknown_tool":
        return _decided(error, "choice", "a tool was chosen that does not exist", failure, steps)
    if error is not None and error.outcome == "malformed":
        return _at(error, "arguments", "arguments that could not be read were not put right", failure)
    if error is not None and error.came_to_nothing:
        after = steps.after(error.last_seq)
        return _at(
            after, "recovery", f"after {error.tool} was {_came(error)} the agent went on without it", failure
        )
    if steps.stop in _LOOPS or steps.stop == "agent_error":
        return _stopped(failure, steps)
    return _decided(steps.end_of_turn, "choice", "the agent ended its turn without doing it", failure, steps)


def _came(step: Step) -> str:
    return "left without an answer" if step.unanswered else str(step.outcome)


def _at(step: Step, fault: Fault, rule: str, failure: Failure) -> Diagnosis:
    return Diagnosis(fault=fault, seq=step.seq, by=step.by, rule=rule, code=failure.code)


def _decided(step: Step, fault: Fault, rule: str, failure: Failure, steps: Steps) -> Diagnosis:
    """What to do next was decided wrongly: at the selector's own record where there is one, else at that step."""
    seq = steps.choice_before(step)
    by = step.by if seq is None else "selector"
    return Diagnosis(fault=fault, seq=step.seq if seq is None else seq, by=by, rule=rule, code=failure.code)


def _receiver(failure: Failure, scenario: Scenario) -> bool:
    """Whether what is missing had to be told to somebody other than the person who asked."""
    sets = (scenario.expected.told, *(one.told for one in scenario.expected.alternatives))
    place = failure.check.rpartition("[")[2].rstrip("]")
    if ".states[" not in failure.check or not place.isdigit():
        return False
    return any(
        told is not None and int(place) < len(told.states) and told.states[int(place)].to is not None
        for told in sets
    )


def _wanted_tools(scenario: Scenario) -> frozenset[str]:
    expected = scenario.expected
    entries: Iterable[Any] = [
        *expected.actions,
        *(a for one in expected.alternatives for a in one.actions or ()),
    ]
    turns = [step.tool for turn in scenario.reference for step in turn.do]
    return frozenset([*(entry.tool for entry in entries), *turns])
