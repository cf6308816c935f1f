"""Only expected changes: what the agent's calls wrote is named somewhere in the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from company_lab.evaluation.case import Case, Key, is_absent
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Record
from company_lab.evaluation.matching import ABSENT, Test, is_matcher
from company_lab.formats.canonical import same
from company_lab.formats.shapes import shown

ANY = "any"


@dataclass(frozen=True, slots=True)
class OnlyExpectedChanges:
    """Every net change that a call of the agent had a part in is named.

    A field is named by `state`, `created`, `deleted` or `may_change`, or was written in none but calls that
    an expected action (or the request itself) names. Where `state` speaks of parts of an object, it names no more
    than these.
    """

    place: Place
    fields: Mapping[Key, Mapping[str, object]]
    """What `state` expects of the fields it speaks of."""
    deleted: frozenset[Key]
    may_change: Mapping[str, Any]

    def __call__(self, case: Case) -> None:
        settled = case.index.settled
        if settled is None:
            return
        writers = settled.get("writers") or {}
        for change in settled.get("changes") or ():
            tenant = change.get("tenant")
            if tenant:
                self._foreign(case, writers, change, tenant)
                continue
            key = (change["table"], change["id"])
            op = change.get("op")
            if key in case.created or (op == "delete" and key in self.deleted):
                continue
            expected = self.fields.get(key)
            unnamed = sorted(
                field
                for field, values in change["fields"].items()
                if (expected is None or field not in expected or _goes_beyond(expected[field], *values))
                and self._unnamed(case, writers, key, field)
            )
            if unnamed or (not change["fields"] and self._unnamed(case, writers, key, None)):
                self._fail(case, change, unnamed)
        if case.findings.explaining and not case.findings.failures:
            case.findings.hold(
                self.place, "every change the agent made is one the scenario names", (case.index.end,)
            )

    def _unnamed(self, case: Case, writers: Mapping[str, Any], key: Key, field: str | None) -> bool:
        table, id = key
        allowed = self.may_change.get(table)
        if allowed is not None and _allows(allowed, id, field):
            return False
        authors = writers.get(f"{table}/{id}/{field}") if field is not None else None
        if authors is None:
            authors = case.calls_that_wrote(table, id, field)
        calls = case.index.calls
        return any(author == "agent" or (author in calls and author not in case.named) for author in authors)

    def _foreign(self, case: Case, writers: Mapping[str, Any], change: Record, tenant: str) -> None:
        """Nothing a scenario says is about another tenant's records, so no change of them is named."""
        prefix = f"{tenant}:{change['table']}/{change['id']}/"
        unnamed = sorted(
            field
            for field in change["fields"]
            if any(
                author == "agent" or author in case.index.calls
                for author in writers.get(prefix + field) or ()
            )
        )
        if unnamed:
            self._fail(case, change, unnamed)

    def _fail(self, case: Case, change: Record, unnamed: list[str]) -> None:
        table, id, op = change["table"], change["id"], change.get("op")
        tenant = f" of the tenant {change['tenant']}" if change.get("tenant") else ""
        what = {
            "create": f"made the record {table}/{id}{tenant}",
            "delete": f"deleted {table}/{id}{tenant}",
        }.get(str(op), f"changed {', '.join(unnamed)} of {table}/{id}{tenant}")
        after = {field: change["fields"][field][1] for field in unnamed}
        case.findings.fail(
            self.place,
            "unexpected_change",
            f"the agent {what}, which the scenario names nowhere",
            (*case.writers(table, id), case.index.end),
            found=after or op,
            expected="no change here",
        )


@dataclass(frozen=True, slots=True)
class OnlyExpectedEffects:
    """Every effect of the agent's calls is named: by an expected effect, or because its call is."""

    place: Place
    wanted: tuple[tuple[str, str, Test], ...]
    """Provider, operation and payload of expected effects."""

    def __call__(self, case: Case) -> None:
        for effect in case.index.effects:
            call = effect.get("call")
            if call not in case.index.calls or call in case.named:
                continue
            provider, op, payload = effect.get("provider"), effect.get("op"), effect.get("payload")
            if any(provider == name and op == does and test(payload) for name, does, test in self.wanted):
                continue
            case.findings.fail(
                self.place,
                "unexpected_change",
                f"{provider} really did {op} {shown(payload, 100)}, which the scenario names nowhere",
                (effect.get("seq", -1), *case.index.calls[call].seqs),
                found=payload,
                expected="no effect here",
            )


def _goes_beyond(expected: object, before: object, after: object) -> bool:
    """Whether an object changed in a part that a patch over it does not name."""
    if not isinstance(expected, Mapping) or not expected or is_matcher(expected):
        return False
    if (
        not isinstance(before, Mapping)
        or not isinstance(after, Mapping)
        or is_absent(before)
        or is_absent(after)
    ):
        return False
    return any(
        _goes_beyond(expected[name], before.get(name), after.get(name))
        if name in expected
        else not same(before.get(name, ABSENT), after.get(name, ABSENT))
        for name in before.keys() | after.keys()
    )


def _allows(allowed: Any, id: str, field: str | None) -> bool:
    if allowed == ANY:
        return True
    fields = allowed.get(id)
    return fields is not None and (fields == ANY or field in fields)
