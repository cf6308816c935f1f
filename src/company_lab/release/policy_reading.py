"""Reading a policy from YAML: everything that is wrong with it at once, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from company_lab.formats.errors import Problem, Problems, WrongUse
from company_lab.formats.yaml import Document, scan_yaml
from company_lab.release.policy import Policy
from company_lab.scenarios.fault_kinds import KINDS
from company_lab.scenarios.findings import Findings

_TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}


MINIMAL = "{format: 1, use: unattended, evidence: real model, trials: 5, pass_k: {k: 3, across: 0.8}}"
"""A policy on one line, for somebody who has none yet."""


def load_policy(path: Path) -> Policy:
    """The policy in a file. Raises `WrongUse` where it can not be read, `Problems` for all that is wrong with it."""
    try:
        text = path.read_bytes()
    except FileNotFoundError as error:
        raise WrongUse(
            f"the policy {path} can not be read: there is no such file. To begin with, write this into it: "
            f"{MINIMAL} (every key is in docs/release.md, and in `company-lab schema --policy`)"
        ) from error
    except OSError as error:
        raise WrongUse(f"the policy {path} can not be read: {error.strerror}") from error
    return read_policy(text, file=str(path))


def read_policy(text: str | bytes, *, file: str = "") -> Policy:
    """The policy in a YAML text. Raises `Problems` with everything that is wrong with it."""
    documents, problems = scan_yaml(text, file=file)
    if len(documents) > 1:
        again = "a policy is one document"
        problems.append(
            Problem(message=again, file=file, line=documents[1].line, fix="put the others elsewhere")
        )
    policy, findings = _policy_in(documents[0]) if documents else (None, None)
    if findings is not None:
        # What YAML refused has a placeholder, about which nothing more is to be said.
        refused = {(problem.line, problem.column) for problem in problems}
        problems += [one for one in findings.problems() if (one.line, one.column) not in refused]
    if problems or policy is None:
        raise Problems(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
    return policy


def _policy_in(document: Document) -> tuple[Policy | None, Findings]:
    findings = Findings(document)
    if not isinstance(document.value, dict):
        findings.add((), "a policy is a mapping", expected="use, evidence, trials and what must hold")
        return None, findings
    policy: Policy | None = None
    try:
        policy = Policy.model_validate(document.value)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _note(detail, document, findings)
    _note_contradictions(document.value, findings)
    return policy, findings


def _note(detail: ErrorDetails, document: Document, findings: Findings) -> None:
    kind, value, context = detail["type"], detail.get("input"), detail.get("ctx", {})
    path = _path(detail["loc"], document.value)
    if kind == "missing":
        findings.add(path, f"the key {detail['loc'][-1]} is missing", key=True)
        return
    if kind == "extra_forbidden":
        name, keys = str(detail["loc"][-1]), _known_keys(detail["loc"][:-1])
        close = findings.nearest(name, keys)
        findings.add(
            path, f"unknown key {name}", key=True, expected=f"one of {', '.join(keys)}", nearest=close
        )
        return
    found = findings.shown(path, value)
    if kind == "unfit":
        plain = None if isinstance(value, (dict, list)) else found
        findings.add(path, context["message"], found=plain, expected=context["expected"], fix=context["fix"])
    elif kind in _TYPES:
        findings.add(path, "a wrong type", found=found, expected=_TYPES[kind])
    elif kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        findings.add(path, "the number is out of range", found=found, expected=f"{words} {context[bound]:g}")
    elif kind == "literal_error":
        choices = str(context["expected"]).replace("'", "").replace(" or ", ", ")
        close = findings.nearest(value, choices.split(", ")) if isinstance(value, str) else None
        findings.add(path, "a wrong value", found=found, expected=f"one of {choices}", nearest=close)
    else:
        findings.add(path, detail["msg"], found=found)


def _path(location: tuple[int | str, ...], document: object) -> tuple[int | str, ...]:
    """Where a location of the model stands in the document."""
    path: list[int | str] = []
    place: Any = document
    for part in location:
        inside = (
            part in place if isinstance(place, dict) else isinstance(place, list) and isinstance(part, int)
        )
        if inside:
            path.append(part)
            place = place[part]
    return tuple(path)


@cache
def _schema() -> dict[str, Any]:
    return Policy.model_json_schema()


def _known_keys(location: tuple[int | str, ...]) -> tuple[str, ...]:
    places = list(_forms(_schema()))
    for part in location:
        steps = [
            place.get("properties", {}).get(part) or place.get("additionalProperties") for place in places
        ]
        places = [form for step in steps if isinstance(step, dict) for form in _forms(step)] or places
    return tuple(dict.fromkeys(key for place in places for key in place.get("properties", ())))


def _forms(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "$ref" in schema:
        yield from _forms(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
    yield schema
    for form in schema.get("anyOf", ()):
        yield from _forms(form)


def _note_contradictions(document: Mapping[str, Any], findings: Findings) -> None:
    """What no run could ever satisfy, or what would ask for nothing."""
    use = document.get("use")
    if use == "unattended" and "pass_at_k" in document:
        findings.add(
            ("pass_at_k",),
            "pass@k says that one of k drafts is right, so it can never satisfy unattended",
            key=True,
            fix="ask for pass_k",
        )
    floors = [key for key in ("pass_k", "pass_at_k") if key in document]
    if use == "unattended" and "pass_k" not in document:
        findings.add(("use",), "unattended needs a floor of reliability", expected="the key pass_k")
    elif use == "supervised_draft" and not floors:
        findings.add(("use",), "supervised_draft needs a floor", expected="the key pass_k or pass_at_k")
    for key in floors:
        floor = document[key]
        if isinstance(floor, dict):
            _note_floor(key, floor, document, findings)
    kinds = document.get("faults")
    for kind in kinds if isinstance(kinds, dict) else ():
        if kind not in KINDS:
            findings.add(
                ("faults", kind),
                f"there is no kind of fault {kind}",
                key=True,
                expected=f"one of {', '.join(KINDS)}",
                nearest=findings.nearest(kind, KINDS),
            )
    if document.get("evidence") == []:
        findings.add(("evidence",), "an empty list", expected="at least one kind of evidence")
    if document.get("layer") == []:
        findings.add(("layer",), "an empty list", expected="at least one layer")
    _note_what_asks_for_nothing(document, findings)


def _note_what_asks_for_nothing(document: Mapping[str, Any], findings: Findings) -> None:
    """A key somebody will read as a demand, though every run there could be satisfies it."""
    for key in ("coverage", "faults", "cost", "latency"):
        limits = document.get(key)
        if isinstance(limits, dict) and not set(limits) - {"confidence"}:
            findings.add((key,), f"{key} asks for nothing", key=True, fix="name a bound, or leave it out")
    audit = document.get("audit")
    if isinstance(audit, dict) and audit.get("required") is False:
        for key in ("warnings", "killed"):
            if key in audit:
                findings.add(
                    ("audit", key),
                    "no audit is required, so nobody would look at this",
                    key=True,
                    fix="leave out required: false, or this",
                )
    baseline = document.get("baseline")
    if (
        isinstance(baseline, dict)
        and type(baseline.get("margin")) in (int, float)
        and baseline["margin"] == 1
    ):
        findings.add(
            ("baseline", "margin"),
            "no candidate is worse by more than that",
            found=str(baseline["margin"]),
            expected="less than 1",
        )
    critical = document.get("critical")
    for name, rule in critical.items() if isinstance(critical, dict) else ():
        allowed = rule.get("allowed") if isinstance(rule, dict) else None
        if type(allowed) is int and allowed > 0 and rule.get("below") is None:
            findings.add(
                ("critical", name, "allowed"),
                f"{allowed} of how many? A number alone would let every episode of a small run fail",
                found=str(allowed),
                expected="below beside it, the rate they must be shown to be rarer than",
            )


def _note_floor(key: str, floor: Mapping[str, Any], document: Mapping[str, Any], findings: Findings) -> None:
    k, trials = floor.get("k"), document.get("trials")
    if not {"each", "across"} & set(floor):
        findings.add((key,), f"{key} asks for nothing", key=True, expected="each, across or both")
    if type(k) is int and type(trials) is int and k > trials >= 1:
        findings.add(
            (key, "k"), f"{k} in a row needs {k} trials", found=str(k), expected=f"at most trials, {trials}"
        )
    for name in ("each", "across", "held_out"):
        share = floor.get(name)
        if type(share) not in (int, float):
            continue
        if share == 0:
            findings.add(
                (key, name), "every candidate reaches a floor of 0", found=str(share), expected="more than 0"
            )
        if share == 1 and key == "pass_k" and floor.get("measure", "lower_bound") == "lower_bound":
            findings.add(
                (key, name),
                "no number of trials shows that every one comes right",
                found=str(share),
                expected="less than 1",
                fix="or measure: estimate, which says what was seen and not what is so",
            )
    if floor.get("held_out") is not None and "held_out" not in document:
        findings.add(
            (key, "held_out"), "no held-out scenarios are asked for", key=True, fix="add the key held_out"
        )
