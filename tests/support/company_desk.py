"""A desk in the company: one stretch of scripted work, and what it left behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from company_lab.agents.protocol import Agent, Session, Task, ToolError
from company_lab.company import company
from company_lab.episodes import Episode, play
from company_lab.scenarios.model import (
    Event,
    Expected,
    Fault,
    Initial,
    Person,
    Role,
    Scenario,
    Stimulus,
    StopLimits,
)

Tables = Mapping[str, Mapping[str, Mapping[str, Any]]]
Work = Callable[[Session], object]


@dataclass(frozen=True)
class Left:
    """What a stretch of work left behind."""

    episode: Episode
    tables: Tables

    def record(self, table: str, id: str) -> dict[str, Any] | None:
        """The record as it is in the end, or None."""
        record = dict(self.tables.get(table, {}).get(id, {})) or None
        for change in self.settled["changes"]:
            if (change["table"], change["id"]) == (table, id) and "tenant" not in change:
                if change["op"] == "delete":
                    return None
                record = record or {}
                for field, (_, after) in change["fields"].items():
                    if after == {"is": "absent"}:
                        record.pop(field, None)
                    else:
                        record[field] = after
        return record

    @property
    def settled(self) -> dict[str, Any]:
        return self.episode.trace.records[-1]

    @property
    def changed(self) -> set[str]:
        """Every record that differs from the start, as table/id."""
        return {f"{change['table']}/{change['id']}" for change in self.settled["changes"]}

    def ledger(self, provider: str) -> list[dict[str, Any]]:
        """The effects a provider had."""
        return list(self.settled["ledgers"].get(provider, ()))

    def facts(self) -> dict[str, Any]:
        """The facts behind claims when the work ended."""
        return next(iter(self.episode.trace.by_kind("reply")))["facts"]  # type: ignore[no-any-return]


def work(
    do: Work,
    *,
    tables: Tables | None = None,
    events: Sequence[Mapping[str, Any]] = (),
    permissions: Sequence[str] | None = None,
    people: Mapping[str, Mapping[str, Any]] | None = None,
    sender: str | None = None,
    providers: Mapping[str, Any] | None = None,
    faults: Sequence[Mapping[str, Any]] = (),
    clock: str = "2026-03-02T09:00:00+01:00",
    limits: Mapping[str, Any] | None = None,
) -> Left:
    """Let somebody work at the desk. What `do` raises is raised here."""
    given: dict[str, Any] = {table: dict(records) for table, records in (tables or {}).items()}
    role: dict[str, Any] = {} if permissions is None else {"permissions": tuple(permissions)}
    stimulus: dict[str, Any] = {"message": "Please."} | ({} if sender is None else {"from": sender})
    scenario = Scenario(
        id="desk",
        title="A desk",
        clock=clock,
        role=Role(**role),
        people={name: Person(**person) for name, person in (people or {}).items()},
        initial=Initial(tables=given),
        events=tuple(Event(**event) for event in events),
        stimulus=Stimulus(**stimulus),
        providers=dict(providers or {}),
        faults=tuple(Fault(**fault) for fault in faults),
        expected=Expected(),
        limits=StopLimits(**(limits or {})),
    )
    raised: list[BaseException] = []

    def act(task: Task, session: Session) -> str:
        try:
            do(session)
        except BaseException as error:
            raised.append(error)
            raise
        return "Done."

    episode = play(company.prepare(scenario), Agent(name="desk", kind="conduct", act=act))
    if raised:
        raise raised[0]
    return Left(episode, given)


def failing(session: Session, tool: str, /, **args: Any) -> ToolError:
    """Use a tool that must not succeed; the error it gives."""
    with pytest.raises(ToolError) as caught:
        session.call(tool, **args)
    return caught.value
