"""Diagnosis: where a failed episode first went wrong, and in what. It never changes the verdict.

Each failure of the verdict points to a step; the earliest of them is the diagnosis. The steps are those of the agent:
what it chose, which arguments it supplied, how it went on after an error, what it said. The rules read the trace alone,
so they name the first step that shows, and not what the agent was thinking. Limits: several routes may be right, so
that an action is missing is put down to the moment the agent ended its turn without it. An attempt at what is no part
of the work counts as a wrong choice where it came to nothing and what was asked for was never done; one that did no
harm and was followed by the whole work is no failure and is not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from company_lab.evaluation.steps_taken import Step, Steps
from company_lab.evaluation.verdicts import Failure, Verdict
from company_lab.formats.canonical import Json
from company_lab.scenarios.model import ExpectedEvidence, Scenario
from company_lab.scenarios.spec import WorldSpec

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
_FOREIGN = "an action was attempted that is no part of the work, before anything else went wrong"
_EVIDENCE = re.compile(r"expected\.(?:alternatives\[(?P<way>\d+)\]\.)?evidence\[(?P<place>\d+)\]")
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


@dataclass(frozen=True, slots=True)
class _Work:
    """What belongs to the work of a scenario."""

    tools: frozenset[str]
    """Those its reference uses or its expectations name; empty where nothing says what the work is."""
    writes: frozenset[str] | None
    """Those of the world that change anything; None where the world is not known."""

    def is_foreign(self, step: Step) -> bool:
        """Whether a step is an attempt at what is no part of the work, and came to nothing.

        A look-up never is: any route counts, also one with looks that are of no use.
        """
        if step.tool in self.tools or not step.came_to_nothing:
            return False
        if step.error == "unknown_tool":
            return True
        changes = step.outcome in ("refused", "held") if self.writes is None else step.tool in self.writes
        return changes and bool(self.tools)


def diagnose(
    scenario: Scenario,
    records: Sequence[Mapping[str, Any]],
    verdict: Verdict,
    spec: WorldSpec | None = None,
) -> Diagnosis | None:
    """Where a failed episode first went wrong; None for an episode that did not fail, or of
    which a stored verdict lists no failure.

    With the world's `spec` look-ups are known from what changes something; without it only tools that do not exist,
    and those that were refused or held, count as chosen wrongly before an error.
    """
    if verdict.outcome != "failed":
        return None
    steps = Steps(records)
    writes = None if spec is None else frozenset(name for name, tool in spec.tools.items() if tool.writes)
    work = _Work(_wanted_tools(scenario), writes)
    codes = {failure.code for failure in verdict.failures}
    found = [
        candidate
        for failure in verdict.failures
        if not _told_elsewhere(failure, codes, steps)
        for candidate in _candidates(failure, scenario, steps, work)
    ]
    return min(
        found, key=lambda one: (one.fault == "undetermined", one.seq, FAULTS.index(one.fault)), default=None
    )


def _told_elsewhere(failure: Failure, codes: set[str], steps: Steps) -> bool:
    """Whether records or spending are wrong because something was done too often: another failure says it better."""
    too_often = codes & {"action_count", "duplicate_effect"}
    follows = failure.code in ("state_mismatch", "unauthorised_spending")
    return follows and bool(too_often) and len(steps.of(failure.evidence)) > 1


def _candidates(failure: Failure, scenario: Scenario, steps: Steps, work: _Work) -> Iterator[Diagnosis]:
    code = failure.code
    involved = steps.of(failure.evidence)
    if code == "not_finished":
        yield _stopped(failure, steps)
    elif code == "unresolved_after_restart":
        rule = "the agent came back from a crash and did not settle what was open"
        yield _recovered(steps.after(steps.last_crash), rule, failure, steps, work)
    elif code == "limit_exceeded":
        yield from _over_limit(failure, steps)
    elif code in _SAID:
        yield from _said(failure, scenario, steps, work)
    elif code == "missing_evidence":
        yield _unlooked(failure, scenario, steps, involved, work)
    elif code == "wrong_arguments" and involved:
        yield _at(involved[0], "arguments", "the right tool was executed with wrong arguments", failure)
    elif code == "duplicate_effect" or (code == "action_count" and len(involved) > 1):
        yield _repeated(failure, steps, involved, work)
    elif code in _DONE_WRONG or (code == "state_mismatch" and involved):
        yield from _done_wrong(failure, steps, involved, work)
    else:
        yield _missing(failure, steps, involved, work)


def _unlooked(
    failure: Failure, scenario: Scenario, steps: Steps, involved: Sequence[Step], work: _Work
) -> Diagnosis:
    """Something was done, or the turn was ended, without what should have been looked at before."""
    entry = _evidence_at(failure.check, scenario)
    acted = [step for step in steps.attempts if entry is not None and step.tool == entry.before]
    if not acted:
        return _missing(failure, steps, involved, work)
    looked = [step for step in involved if step.tool != acted[0].tool and step.seq < acted[0].seq]
    if looked and all(step.came_to_nothing for step in looked):
        rule = f"after {looked[-1].tool} was {_came(looked[-1])} the agent acted as if it had looked"
        if (foreign := _foreign_before(acted[0], steps, work)) is not None:
            return _decided(foreign, "choice", _FOREIGN, failure, steps)
        return _decided(acted[0], "recovery", rule, failure, steps)
    return _decided(acted[0], "choice", "it acted before it had looked", failure, steps)


def _evidence_at(check: str, scenario: Scenario) -> ExpectedEvidence | None:
    """The expectation that stands at `expected.evidence[0]` or `expected.alternatives[1].evidence[0]`."""
    expected = scenario.expected
    found = _EVIDENCE.fullmatch(check)
    if found is None:
        return None
    way, place = found["way"], int(found["place"])
    ways = (expected,) if way is None else expected.alternatives[int(way) : int(way) + 1]
    return next((one for wanted in ways for one in wanted.evidence[place : place + 1]), None)


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


def _said(failure: Failure, scenario: Scenario, steps: Steps, work: _Work) -> Iterator[Diagnosis]:
    for seq in failure.evidence:
        call = steps.call_of_effect(seq)
        if call is not None:
            yield _at(call, "arguments", "a text that a tool sent out says it", failure)
            return
    if failure.code == "missing_reply" and _receiver(failure, scenario):
        if steps.stop == "finished":
            yield _decided(steps.end, "choice", "nobody wrote to whom it had to be said", failure, steps)
        else:
            yield _missing(failure, steps, [], work)
        return
    reply = next((steps.reply_at(seq) for seq in failure.evidence if steps.reply_at(seq)), steps.last_reply)
    if reply is None:
        yield _missing(failure, steps, [], work)
        return
    words = {
        "missing_reply": "the reply does not say what it had to say",
        "forbidden_disclosure": "the reply tells what it must not tell",
    }
    yield _at(reply, "reply", words.get(failure.code, "the reply claims what is not true"), failure)


def _repeated(failure: Failure, steps: Steps, involved: Sequence[Step], work: _Work) -> Diagnosis:
    """Something happened more often than it should; the second time is the faulty one."""
    extra = involved[1] if len(involved) > 1 else involved[0] if involved else steps.end
    before = [step for step in steps.attempts if step.seq < extra.seq and step.tool == extra.tool]
    if any(step.unanswered for step in before):
        rule = "a call whose answer had not come was made again without looking"
        return _recovered(extra, rule, failure, steps, work)
    return _decided(extra, "choice", "it was done once more than it should be", failure, steps)


def _done_wrong(failure: Failure, steps: Steps, involved: Sequence[Step], work: _Work) -> Iterator[Diagnosis]:
    if not involved:
        yield _missing(failure, steps, involved, work)
    for step in involved:
        if steps.repeats(step):
            yield _repeated(failure, steps, [step], work)
        elif step.tool in work.tools:
            yield _at(
                step, "arguments", "a tool that is part of the work was used with wrong arguments", failure
            )
        else:
            yield _decided(step, "choice", "an action was chosen that is no part of the work", failure, steps)


def _missing(failure: Failure, steps: Steps, involved: Sequence[Step], work: _Work) -> Diagnosis:
    """Something was never done: for want of arguments, after an error, for want of an end, or by choice."""
    if steps.stop in _OUTAGES:
        return _outside(failure, steps)
    if (foreign := _foreign_before(_first_error(steps, involved, work), steps, work)) is not None:
        return _decided(foreign, "choice", _FOREIGN, failure, steps)
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
        rule = f"after {error.tool} was {_came(error)} the agent went on without it"
        return _at(after, "recovery", rule, failure)
    if steps.stop in _LOOPS or steps.stop == "agent_error":
        return _stopped(failure, steps)
    return _decided(steps.end_of_turn, "choice", "the agent ended its turn without doing it", failure, steps)


def _recovered(step: Step, rule: str, failure: Failure, steps: Steps, work: _Work) -> Diagnosis:
    """What came after an error was wrong, unless something had been chosen wrongly before."""
    if (foreign := _foreign_before(step, steps, work)) is not None:
        return _decided(foreign, "choice", _FOREIGN, failure, steps)
    return _at(step, "recovery", rule, failure)


def _foreign_before(step: Step, steps: Steps, work: _Work) -> Step | None:
    return next((one for one in steps.attempts if one.seq < step.seq and work.is_foreign(one)), None)


def _first_error(steps: Steps, involved: Sequence[Step], work: _Work) -> Step:
    """The first attempt at the work itself that came to nothing, else the end."""
    error = involved[0] if involved else steps.first_unrecovered()
    return error if error is not None and error.tool in work.tools else steps.end


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
    return any(int(place) < len(told.states) and told.states[int(place)].to is not None for told in sets)


def _wanted_tools(scenario: Scenario) -> frozenset[str]:
    expected = scenario.expected
    named = [*expected.actions, *(entry for one in expected.alternatives for entry in one.actions)]
    return frozenset(
        [*(entry.tool for entry in named), *(step.tool for turn in scenario.reference for step in turn.do)]
    )
