"""A lost answer: an action has its effect, and the agent hears of a timeout. It has to look before it repeats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

from company_lab.agents.conducts import reference
from company_lab.formats.canonical import Json, same
from company_lab.formats.shapes import Parameter
from company_lab.probing.mutate.editing import make_room, step, turns_of, with_reply, with_steps
from company_lab.probing.mutate.operator import Document, Draft, Operator
from company_lab.probing.mutate.original import Done, Original, played
from company_lab.scenarios.conduct import ConductTurn
from company_lab.scenarios.spec import ToolSpec
from company_lab.traces.points import CallPoint, call_points

_TIMEOUT_MS = 60_000


def _applies(original: Original) -> str | None:
    if original.scenario.is_contract:
        return "its request goes straight to the guard, so nobody waits for an answer"
    if not any(done.writes and done.executed for done in original.steps):
        return "its reference changes nothing, so no answer is missed"
    if not list(_candidates(original)):
        return "every action of its reference is disturbed already"
    return None


def _candidates(original: Original) -> Iterator[tuple[Done, CallPoint]]:
    """Calls that had an effect, those that spend money or reach people outside first."""
    disturbed = {fault.on for fault in original.scenario.faults}
    points = {point.call: point for point in call_points(original.reference.trace.records, original.spec)}
    found = [
        (done, points[done.result["call"]])
        for done in original.steps
        if done.writes and done.executed and done.tool not in disturbed and done.result.get("call") in points
    ]
    yield from sorted(
        found, key=lambda one: (not original.spec.tools[one[0].tool].spends, not one[0].effects)
    )


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    for done, point in _candidates(original):
        look = _look_that_tells(original, done)
        document = original.copied()
        fault: Document = {"on": done.tool, "kind": "lost_ack"}
        fault |= {key: count for key in ("occurrence", "attempt") if (count := getattr(point, key)) != 1}
        document["faults"] = [*document.get("faults", ()), fault]
        make_room(document, simulated_ms=_TIMEOUT_MS, calls=4)
        turns = turns_of(document)
        known = (
            "so I looked before I repeated anything"
            if look
            else "and I did not repeat what I was not sure of"
        )
        said = with_reply(turns, done.turn, f"One answer got lost on the way, {known}.")
        document["reference"] = with_steps(said, done.turn, done.place + 1, [look] if look else [])
        naive = with_steps(turns, done.turn, done.place + 1, [step(done.tool, **done.args)])
        yield Draft(
            document=document,
            what=f"and nobody hears the answer of {done.tool}",
            naive=naive,
            mistake="repeats_without_looking",
        )


def _look_that_tells(original: Original, done: Done) -> Document | None:
    """A read that answers differently once the action has happened, so that it shows whether it has."""
    looks = list(_looks(original, done))
    before, after = (_answers(original, done, looks, behind=behind) for behind in (False, True))
    for look, one, other in zip(looks, before, after, strict=True):
        if one is not None and other is not None and not same(one, other):
            return look
    return None


def _looks(original: Original, done: Done) -> Iterator[Document]:
    """Reads whose arguments can be taken from those of the action, the ones of the same department first."""
    signature = original.spec.tools[done.tool].signature.parameters
    department = done.tool.partition(".")[0]
    reads = [
        tool
        for tool in original.spec.tools.values()
        if not tool.writes and (tool.permission is None or original.may(tool.permission))
    ]
    for tool in sorted(reads, key=lambda tool: tool.department != department):
        args = _filled(tool, done, signature)
        if args:
            yield step(tool.name, **args)


def _filled(tool: ToolSpec, done: Done, signature: Mapping[str, Parameter]) -> dict[str, Json] | None:
    args: dict[str, Json] = {}
    for name, parameter in tool.signature.parameters.items():
        if not parameter.shape.target:
            if parameter.required:
                return None
            continue
        table = parameter.shape.references
        fitting = [
            value
            for given, value in done.args.items()
            if given in signature
            and isinstance(value, str)
            and (signature[given].shape.references == table if table else given == name)
        ]
        if fitting:
            args[name] = fitting[0]
        elif parameter.required:
            return None
    return args


def _answers(original: Original, done: Done, looks: list[Document], *, behind: bool) -> list[Json | None]:
    """What each look answers right before the action or right after it, and None where it fails."""
    scenario = original.scenario
    turns = list(scenario.reference)
    place = done.place + behind
    head = turns[done.turn].do[:place]
    tail = ConductTurn.model_validate({"do": looks}).do if looks else ()
    turns[done.turn] = turns[done.turn].model_copy(update={"do": (*head, *tail)})
    limits = scenario.limits.model_copy(update={"calls": 10_000, "repeats": 10_000})
    probing = scenario.model_copy(update={"reference": tuple(turns[: done.turn + 1]), "limits": limits})
    trace = played(probing, original.world, reference(probing)).trace
    turn_of = {record["call"]: record["turn"] for record in trace.by_kind("action")}
    mine = [record for record in trace.by_kind("result") if turn_of.get(record["call"]) == done.turn + 1]
    return [
        record["value"] if record["outcome"] == "executed" else None
        for record in mine[place : place + len(looks)]
    ]


lose_acknowledgement = Operator(
    name="lose_acknowledgement",
    meaning="lets an action happen whose answer never comes; it may not be repeated blindly",
    applies=_applies,
    build=_build,
)
