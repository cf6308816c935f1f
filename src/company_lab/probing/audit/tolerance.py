"""B4: ways of working that are just as right as the reference, and must pass too."""

from __future__ import annotations

from collections.abc import Iterator

from company_lab.agents.conducts import reference
from company_lab.probing.audit.finding import Found
from company_lab.probing.audit.leaves import STRANGE
from company_lab.probing.audit.renaming import renamed_ids
from company_lab.probing.audit.scripted import WAITING
from company_lab.probing.audit.subject import Subject, with_step
from company_lab.scenarios.model import ConductTurn, Step


def too_strict(subject: Subject) -> Iterator[Found]:
    """The reference by a detour, over records in another order, and with other ids for what it creates."""
    if not subject.asks_agent or not subject.reference.passed:
        return
    for manner, turns in _detours(subject):
        played = subject.conduct(turns)
        if not played.passed:
            yield subject.finding(
                "B4",
                "warn",
                f"the reference {manner} does not pass any more: {played.why[0]}",
                "expect what must come of it rather than the way there, or raise the limits",
                path="expected",
            )
    turned = _turned_round(subject)
    if turned is not None and not turned[0]:
        yield subject.finding(
            "B4",
            "warn",
            f"the reference does not pass when the records stand in another order: {turned[1]}",
            "let no expectation hang on the order in which the scenario lists its records",
            path="initial",
        )
    yield from renamed_ids(subject)


def _detours(subject: Subject) -> Iterator[tuple[str, tuple[ConductTurn, ...]]]:
    turns = subject.scenario.reference
    reads = [
        step
        for action, result in subject.records_of_steps
        if result.get("outcome") == "executed" and not _writes(subject, action["tool"])
        for step in (Step(tool=action["tool"], args=action["args"] or {}),)
    ]
    if reads:
        yield "with everything looked up once more at its start", with_step(turns, 0, 0, reads[:3])
    missing = _missing_look_up(subject)
    if missing is not None:
        yield "after a look-up that found nothing", with_step(turns, 0, 0, (missing,))


def _writes(subject: Subject, tool: str) -> bool:
    known = subject.spec.tools.get(tool)
    return known is None or known.writes or tool == WAITING


def _missing_look_up(subject: Subject) -> Step | None:
    """A read of a record that does not exist, by a tool the reference uses anyway."""
    forbidden = {entry.tool for entry in subject.scenario.expected.forbidden}
    for _, _, step in subject.steps:
        if _writes(subject, step.tool) or step.tool in forbidden:
            continue
        for name, parameter in subject.spec.tools[step.tool].signature.parameters.items():
            if parameter.required and parameter.shape.references is not None and len(step.args) == 1:
                return Step(tool=step.tool, args={name: STRANGE})
    return None


def _turned_round(subject: Subject) -> tuple[bool, str] | None:
    """Whether the reference passes over the same records in the opposite order, and why it does not."""
    initial = subject.scenario.initial
    if subject.scenario.crowd is not None or not any(len(table) > 1 for table in initial.tables.values()):
        return None
    turned = {table: dict(reversed(records.items())) for table, records in reversed(initial.tables.items())}
    scenario = subject.scenario.model_copy(update={"initial": initial.model_copy(update={"tables": turned})})
    played = subject.play(reference(scenario), scenario=scenario)
    return played.passed, played.why[0]
