"""Declared: what a scenario leaves free on purpose."""

from __future__ import annotations

from typing import Any

from company_lab.evaluation.arguments import arguments
from company_lab.probing.audit.subject import Subject
from company_lab.traces.record import Record


def is_free(subject: Subject, table: str, id: str, field: str | None) -> bool:
    """Whether `may_change` leaves a field, or a whole record, to the agent."""
    free: Any = subject.scenario.expected.may_change.get(table)
    if free is None or free == "any":
        return bool(free == "any")
    fields = free.get(id)
    return fields == "any" or (fields is not None and field in fields)


def is_free_change(subject: Subject, change: Record) -> bool:
    """Whether everything in a change is left to the agent."""
    if change.get("tenant"):
        return False
    return all(
        is_free(subject, change["table"], change["id"], field) for field in change["fields"] or (None,)
    )


def is_optional_call(subject: Subject, action: Record) -> bool:
    """Whether an entry of `actions` says of a call that fewer than the reference makes are enough.

    Only an entry that says how many are enough (`times: {at_least: 1}`, `{at_most: 1}`) says that.
    """
    signature = subject.spec.tools[action["tool"]].signature
    for entry in subject.scenario.expected.actions:
        if entry.tool != action["tool"] or entry.times is None or isinstance(entry.times, int):
            continue
        described = arguments(signature, entry.args, closed=True)
        if described.match(action["args"] or {}):
            made = sum(
                other["tool"] == entry.tool and described.match(other["args"] or {})
                for other, result in subject.records_of_steps
                if result.get("outcome") == "executed"
            )
            if made > (entry.times.at_least or 0):
                return True
    return False
