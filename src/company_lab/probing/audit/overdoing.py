"""A6 and A7: the reference with something too much, and with something too little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from company_lab.agents.conducts import reference
from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.formats.canonical import Json, canonical
from company_lab.formats.randomness import stream
from company_lab.probing.attempted import attempted
from company_lab.probing.audit.attempting import fitting_args, names_of
from company_lab.probing.audit.declared import is_free, is_free_change, is_optional_call
from company_lab.probing.audit.finding import Found, Mutants
from company_lab.probing.audit.scripted import WAITING, plausible
from company_lab.probing.audit.subject import Subject, with_step
from company_lab.probing.played import Played
from company_lab.traces.record import Record

_TRIES = 30


def doing_too_much(subject: Subject) -> Iterator[Found]:
    """The reference twice, with each of its writes twice, an unrelated write, or a forbidden action, must not pass."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    yield from _twice(subject)
    yield from _each_again(subject)
    yield from _unrelated(subject)
    yield from _forbidden(subject)


def _twice(subject: Subject) -> Iterator[Found]:
    turns = tuple(turn.model_copy(update={"do": (*turn.do, *turn.do)}) for turn in subject.scenario.reference)
    played = subject.conduct(turns)
    again = _beyond(subject, played)
    if not again:  # whatever was done again had no effect of its own: repeating it harms nobody
        return
    yield from subject.mutant(
        not played.passed,
        "A6",
        "block",
        f"the reference done twice passes, though {again}",
        "say `times: 1` of the action, or bound the effect at the provider",
        path="expected.actions",
    )


def _each_again(subject: Subject) -> Iterator[Found]:
    """Each write of the reference twice: done all twice, it fails by the one that is counted.

    What had an effect outside must be noticed; of a record that is merely written once more it is told.
    """
    if subject.spec.hosted:
        return  # what is expected stands elsewhere, and only who passes is asked
    brought = _calls_with_consequences(subject.reference)
    for one in attempted(subject.scenario.reference, subject.reference.trace):
        if one.action["call"] not in brought:
            continue
        turns = with_step(subject.scenario.reference, one.turn, one.place + 1, (one.step,))
        played = subject.conduct(turns)
        repeats = (
            each
            for each in attempted(turns, played.trace)
            if (each.turn, each.place) == (one.turn, one.place + 1)
        )
        again = next(repeats, None)
        if again is None or played.trace.stop != "finished":
            continue
        effects = (effect for effect in played.trace.by_kind("effect") if not effect.get("replayed"))
        outside = any(effect["call"] == again.action["call"] for effect in effects)
        inside = any(not is_free_change(subject, change) for change in again.result.get("changes") or ())
        if outside:
            yield Mutants(killed=not played.passed, total=1)
        if played.passed and (outside or inside):
            yield subject.finding(
                "A6",
                "block" if outside else "info",
                f"the reference passes though it does {one.step.tool} twice",
                "say `times: 1` of the action, or bound the effect at the provider",
                path=f"reference[{one.turn}].do[{one.place}]",
            )


def _beyond(subject: Subject, more: Played) -> str:
    """What a longer episode brought about beyond the reference, in words; empty where it is nothing.

    What the guard wrote, and what the scenario leaves free, is left out.
    """
    before = subject.reference.settled
    for provider, entries in (more.settled.get("ledgers") or {}).items():
        known = (before.get("ledgers") or {}).get(provider, [])
        if len(entries) > len(known):
            more_often = len(entries) - len(known)
            times = "once" if more_often == 1 else f"{more_often} times"
            return f"{provider} did {entries[-1].get('op')} {times} more"
    for change in more.settled.get("changes") or ():
        if any(_same_change(change, other) for other in before.get("changes") or ()):
            continue
        if not is_free_change(subject, change) and _is_of_agent(change, more):
            came = "is there besides" if change["op"] == "create" else "came out differently"
            return f"{change['table']}/{change['id']} {came}"
    return ""


def _is_of_agent(change: Record, played: Played) -> bool:
    writers = played.settled.get("writers") or {}
    tenant = f"{change['tenant']}:" if change.get("tenant") else ""
    calls = played.results()
    return any(
        author in calls
        for field in change["fields"]
        for author in writers.get(f"{tenant}{change['table']}/{change['id']}/{field}") or ()
    )


def _same_change(one: Record, other: Record) -> bool:
    if (one["table"], one["id"], one["op"]) != (other["table"], other["id"], other["op"]):
        return False
    return canonical(_without_moments(one["fields"])) == canonical(_without_moments(other["fields"]))


def _without_moments(fields: Record) -> dict[str, Json]:
    """Fields as they would be at any other time of the day."""
    return {
        name: pair
        for name, pair in fields.items()
        if not (isinstance(pair[1], str) and len(pair[1]) >= 16 and pair[1][4:5] == "-" and "T" in pair[1])
    }


def _unrelated(subject: Subject) -> Iterator[Found]:
    scenario, done = subject.scenario, {step.tool for _, _, step in subject.steps}
    forbidden = {entry.tool for entry in scenario.expected.forbidden}
    expected = {entry.tool for entry in scenario.expected.actions}
    for alternative in scenario.expected.alternatives:
        expected |= {entry.tool for entry in alternative.actions}
    work = reference(scenario)
    last = len(scenario.reference)
    spare: list[str] = []

    def act(task: Task, session: Session) -> str:
        reply = str(work.act(task, session))
        if task.turn != last:
            return reply
        seen = names_of(subject)
        draw = stream(0, scenario.id, 1, "audit: unrelated write")
        offers = [
            offer
            for offer in task.tools
            if offer.writes and offer.name not in done | forbidden | expected and offer.name != WAITING
        ]
        for _ in range(_TRIES if offers else 0):
            offer = draw.choice(offers)
            args = {
                name: plausible(parameter.shape, seen, draw)
                for name, parameter in offer.signature.parameters.items()
                if parameter.required
            }
            try:
                session.attempt(offer.name, args)
            except ToolError:
                continue
            spare.append(offer.name)
            break
        return reply

    played = subject.play(Agent(name="audit:unrelated", kind="conduct", act=act))
    beyond = _beyond(subject, played) if spare else ""
    if not beyond or played.trace.stop != "finished":
        return
    yield from subject.mutant(
        not played.passed,
        "A6",
        "block",
        f"the reference with an unrelated {spare[0]} passes, though {beyond}",
        "narrow `may_change` to the records and fields that may really change",
        path="expected.may_change",
    )


def _forbidden(subject: Subject) -> Iterator[Found]:
    for position, entry in enumerate(subject.scenario.expected.forbidden):
        if entry.advisory:
            continue
        step = fitting_args(subject, entry)
        if step is None:
            continue
        turns = subject.scenario.reference
        last = len(turns) - 1
        played = subject.conduct(with_step(turns, last, len(turns[last].do), (step,)))
        yield from subject.mutant(
            not played.passed,
            "A6",
            "block",
            f"the reference passes though it does the forbidden {step.tool} at its end",
            "make `args` of the forbidden action match what must not be done",
            path=f"expected.forbidden[{position}]",
        )


def doing_too_little(subject: Subject) -> Iterator[Found]:
    """The reference without any one of its writes must not pass."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    brought = _calls_with_consequences(subject.reference)
    done = Counter(canonical([step.tool, step.args]) for _, _, step in subject.steps)
    for one in attempted(subject.scenario.reference, subject.reference.trace):
        turn, place, step, action = one.turn, one.place, one.step, one.action
        tool = subject.spec.tools.get(step.tool)
        if tool is None or not tool.writes or action["call"] not in brought:
            continue
        if done[canonical([step.tool, step.args])] > 1:  # the repeat does what is left out here
            continue
        played = subject.conduct(with_step(subject.scenario.reference, turn, place, (), without=1))
        optional = is_optional_call(subject, action) or _only_frees(subject, action["call"], one.result)
        if played.passed and (optional or played.verdict.alternative is not None):
            continue
        yield from subject.mutant(
            not played.passed,
            "A7",
            "block",
            f"the reference passes without {step.tool}",
            "expect the write, say that it may be left out, or take it out of the reference",
            path=f"reference[{turn}].do[{place}]",
        )


def _only_frees(subject: Subject, call: str, result: Record) -> bool:
    """Whether a call did nothing but change what the scenario leaves free, or what a later call changes again."""
    effects = any(effect["call"] == call for effect in subject.reference.trace.by_kind("effect"))
    return not effects and all(
        is_free(subject, change["table"], change["id"], field)
        or _is_overwritten(subject, call, change, field)
        for change in result.get("changes") or ()
        for field in change["fields"]
    )


def _is_overwritten(subject: Subject, call: str, change: Record, field: str) -> bool:
    later = False
    for action, result in subject.records_of_steps:
        for other in result.get("changes") or ():
            same = (other["table"], other["id"], other.get("tenant")) == (
                change["table"],
                change["id"],
                change.get("tenant"),
            )
            if later and same and field in other["fields"]:
                return True
        later = later or action["call"] == call
    return False


def _calls_with_consequences(played: Played) -> set[str]:
    """Calls that changed a record or had an effect; waiting, looking and what was refused are not among them."""
    effects = {record["call"] for record in played.trace.by_kind("effect") if not record.get("replayed")}
    changed = {call for call, result in played.results().items() if result.get("changes")}
    return effects | changed
