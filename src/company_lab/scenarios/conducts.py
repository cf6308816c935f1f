"""Checks of conducts: every call could be made, unless it is malformed on purpose."""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json
from company_lab.formats.yaml import Path
from company_lab.scenarios.inspection import Inspection, note_repeated
from company_lab.scenarios.known import listing, mapping


def check_conducts(at: Inspection) -> None:
    """The reference and every wrong conduct."""
    contract = "agent_request" in mapping(at.document.get("stimulus"))
    if not at.document.get("reference") and not contract:
        path: Path = ("reference",) if "reference" in at.document else ()
        at.findings.add(
            path,
            "the scenario has no reference",
            key=True,
            expected="a conduct that passes; only a scenario with agent_request is its own reference",
        )
    _check_turns(at, ("reference",), at.document.get("reference"), wrong=False)
    seen: dict[str, int] = {}
    for index, entry in enumerate(listing(at.document.get("wrong"))):
        conduct = mapping(entry)
        place: Path = ("wrong", index)
        note_repeated(at, (*place, "id"), conduct.get("id"), seen, "conduct")
        if conduct.get("id") == "reference":
            at.findings.add((*place, "id"), "a wrong conduct may not be called reference", fix="rename it")
        _check_turns(at, (*place, "turns"), conduct.get("turns"), wrong=True)
        if "turns" not in conduct:
            _check_steps(at, (*place, "do"), conduct.get("do"), wrong=True)
            if "do" not in conduct and "reply" not in conduct:
                at.findings.add(place, "the conduct does nothing", expected="do and reply, or turns")


def _check_turns(at: Inspection, path: Path, turns: Json | None, *, wrong: bool) -> None:
    for index, turn in enumerate(listing(turns)):
        if turn == {}:
            at.findings.add((*path, index), "an empty turn", expected="do, reply, or both")
        _check_steps(at, (*path, index, "do"), mapping(turn).get("do"), wrong=wrong)


def _check_steps(at: Inspection, path: Path, steps: Json | None, *, wrong: bool) -> None:
    for index, entry in enumerate(listing(steps)):
        step, place = mapping(entry), (*path, index)
        malformed = step.get("malformed") is True
        if malformed and not wrong:
            at.findings.add((*place, "malformed"), "a reference does nothing malformed", key=True)
        elif not malformed and at.name((*place, "tool"), step.get("tool"), at.spec.tools, "tool"):
            _check_call(at, place, step, wrong=wrong)


def _check_call(at: Inspection, path: Path, step: Mapping[str, Json], *, wrong: bool) -> None:
    args, tool = step.get("args", {}), str(step["tool"])
    if not isinstance(args, dict):
        return
    parameters = at.spec.tools[tool].signature.parameters
    for name, value in args.items():
        place = (*path, "args", name)
        if at.name(place, name, parameters, f"argument of {tool} called", key=True):
            at.value(place, value, parameters[name].shape, named=name)
            if not wrong:
                at.references(place, value, parameters[name].shape, anywhere=False, generated=True)
    for name, parameter in parameters.items():
        if parameter.required and name not in args:
            at.findings.add(
                (*path, "args") if "args" in step else path,
                f"the argument {name} of {tool} is missing",
                fix="malformed: true on the step, if that is meant" if wrong else None,
            )
