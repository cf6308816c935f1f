"""State: records as they stand after settling, whoever wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from company_lab.evaluation.assignment import assign
from company_lab.evaluation.case import Case, Check, is_absent, look_up, record_after
from company_lab.evaluation.findings import Place
from company_lab.evaluation.matching import ABSENT, Matcher, Test, is_matcher, matcher, partial
from company_lab.formats.canonical import Json
from company_lab.formats.shapes import shown


@dataclass(frozen=True, slots=True)
class Leaf:
    """One expected value inside a record."""

    place: Place
    path: tuple[str, ...]
    wanted: Matcher


@dataclass(frozen=True, slots=True)
class RecordStands:
    """A record's expected leaves hold on the settled state."""

    table: str
    id: str
    leaves: tuple[Leaf, ...]
    initial: Mapping[str, Any] | None
    knowable: bool
    """Whether the scenario alone tells the initial record; facts of the short form may have made it."""
    holds_untouched: bool

    def __call__(self, case: Case) -> None:
        settled = case.index.settled
        if settled is None:
            case.findings.undecided(self.leaves[0].place, "the trace ends before the state was settled")
            return
        change = case.net.get((self.table, self.id))
        if change is None:
            if self.holds_untouched:
                if case.findings.explaining:
                    self._explain(case, self.initial)
                return
            if self.initial is None and not self.knowable:
                for leaf in self.leaves:
                    case.findings.undecided(
                        leaf.place,
                        f"{self.table}/{self.id} was made by initial facts and never changed",
                        (case.index.end,),
                    )
                return
            record = self.initial
        else:
            record = record_after(change, self.initial)
        for leaf in self.leaves:
            found = _value(record, leaf.path)
            if not leaf.wanted.test(found):
                name = _name(self.table, self.id, leaf.path)
                case.findings.fail(
                    leaf.place,
                    "state_mismatch",
                    f"{name} is {shown(found)}; expected {leaf.wanted.words}",
                    (*case.writers(self.table, self.id, leaf.path[0] if leaf.path else None), case.index.end),
                    found=found,
                    expected=leaf.wanted.written,
                )
        if case.findings.explaining:
            self._explain(case, record)

    def _explain(self, case: Case, record: Mapping[str, Any] | None) -> None:
        for leaf in self.leaves:
            found = _value(record, leaf.path)
            if leaf.wanted.test(found):
                evidence = case.writers(self.table, self.id, leaf.path[0] if leaf.path else None)
                case.findings.hold(
                    leaf.place,
                    f"{_name(self.table, self.id, leaf.path)} is {shown(found)}",
                    (*evidence, case.index.end),
                )


@dataclass(frozen=True, slots=True)
class RecordsCreated:
    """Every expected new record has a new record of its own."""

    table: str
    wanted: tuple[tuple[Place, Mapping[str, Json], Test], ...]

    def __call__(self, case: Case) -> None:
        if case.index.settled is None:
            case.findings.undecided(self.wanted[0][0], "the trace ends before the state was settled")
            return
        new = [
            (key, record_after(change, None) or {})
            for key, change in case.net.items()
            if key[0] == self.table and change.get("op") == "create"
        ]
        edges = [[at for at, (_, record) in enumerate(new) if test(record)] for _, _, test in self.wanted]
        for (place, pattern, _), partner in zip(self.wanted, assign(edges), strict=True):
            if partner is None:
                case.findings.fail(
                    place,
                    "state_mismatch",
                    f"no new record in {self.table} is like {shown(pattern, 120)}; "
                    + (f"{len(new)} new there" if new else "none is new there"),
                    (case.index.end,),
                    found=[{"id": key[1], **record} for key, record in new],
                    expected=pattern,
                )
            else:
                key = new[partner][0]
                case.created.add(key)
                if case.findings.explaining:
                    case.findings.hold(
                        place, f"{key[0]}/{key[1]} is new", (*case.writers(*key), case.index.end)
                    )


@dataclass(frozen=True, slots=True)
class RecordDeleted:
    """A record is gone."""

    place: Place
    table: str
    id: str
    existed: bool

    def __call__(self, case: Case) -> None:
        if case.index.settled is None:
            case.findings.undecided(self.place, "the trace ends before the state was settled")
            return
        change = case.net.get((self.table, self.id))
        gone = change.get("op") == "delete" if change is not None else not self.existed
        if not gone:
            case.findings.fail(
                self.place,
                "state_mismatch",
                f"{self.table}/{self.id} is still there; expected it to be deleted",
                (case.index.end,),
                found="present",
                expected={"is": "absent"},
            )
        elif case.findings.explaining:
            case.findings.hold(self.place, f"{self.table}/{self.id} is gone", (case.index.end,))


def state_checks(
    tables: Mapping[str, Mapping[str, Any]],
    initial: Mapping[str, Mapping[str, Any]],
    *,
    knowable: bool,
    prefix: str,
    place: Place,
) -> Iterator[Check]:
    """Checks for a patch over the initial state, one a record."""
    for table, records in tables.items():
        for id, patch in records.items():
            leaves = tuple(_leaves(patch, f"{prefix}.{table}.{id}", (), place))
            before = initial.get(table, {}).get(id)
            if not leaves:
                continue
            holds = (before is not None or knowable) and all(
                leaf.wanted.test(_value(before, leaf.path)) for leaf in leaves
            )
            yield RecordStands(
                table=table, id=id, leaves=leaves, initial=before, knowable=knowable, holds_untouched=holds
            )


def created_checks(tables: Mapping[str, Sequence[Any]], *, prefix: str, place: Place) -> Iterator[Check]:
    """Checks for new records, one a table."""
    for table, patterns in tables.items():
        if patterns:
            yield RecordsCreated(
                table=table,
                wanted=tuple(
                    (_at(place, f"{prefix}.{table}[{position}]"), pattern, partial(pattern))
                    for position, pattern in enumerate(patterns)
                ),
            )


def deleted_checks(
    tables: Mapping[str, Sequence[str]],
    initial: Mapping[str, Mapping[str, Any]],
    *,
    knowable: bool,
    prefix: str,
    place: Place,
) -> Iterator[Check]:
    """Checks for deleted records."""
    for table, ids in tables.items():
        for position, id in enumerate(ids):
            existed = id in initial.get(table, {}) or not knowable
            yield RecordDeleted(
                place=_at(place, f"{prefix}.{table}[{position}]"), table=table, id=id, existed=existed
            )


def _leaves(patch: Json, path: str, inside: tuple[str, ...], place: Place) -> Iterator[Leaf]:
    if isinstance(patch, dict) and not is_matcher(patch) and (patch or not inside):
        for field, wanted in patch.items():
            yield from _leaves(wanted, f"{path}.{field}", (*inside, field), place)
    else:
        yield Leaf(_at(place, path), inside, matcher(patch))


def _value(record: Mapping[str, Any] | None, path: tuple[str, ...]) -> object:
    if record is None:
        return ABSENT
    found = look_up(record, path)
    return ABSENT if is_absent(found) else found


def _at(place: Place, path: str) -> Place:
    return Place(path, place.scenario, place.override, place.advisory)


def _name(table: str, id: str, path: tuple[str, ...]) -> str:
    return f"{'.'.join(path)} of {table}/{id}" if path else f"{table}/{id}"
