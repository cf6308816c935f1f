"""Context: what the code of a department sees of the episode it runs in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from company_lab.formats.canonical import Json, boundary
from company_lab.formats.errors import WrongUse
from company_lab.worlds.index import exactly, folded, words_of
from company_lab.worlds.providers import Performed
from company_lab.worlds.state import FEW, Absent, NoSuchRecord, State

if TYPE_CHECKING:
    from company_lab.worlds.live import LiveWorld

SMALL_TABLE = FEW
"""Up to this many records a claim is checked against the whole table, beyond it against records that were touched."""


class Failed(Exception):
    """A tool could not do what was asked, for a business reason.

    Raise it before anything is written: what was written or sent until then stays, and is in the trace.
    """

    def __init__(self, reason: str, message: str = "") -> None:
        self.reason = reason
        self.message = message or reason.replace("_", " ")
        super().__init__(self.message)


class Context:
    """Records, clock and providers of one tenant, for tools, rules, facts and events.

    Reading tools, rules and facts get a context that can not write.
    """

    __slots__ = ("_live", "_state", "own_tenant", "tenant", "writable")

    def __init__(
        self, live: LiveWorld, state: State, *, tenant: str, own_tenant: str, writable: bool
    ) -> None:
        self._live = live
        self._state = state
        self.tenant = tenant
        """The tenant whose records this context reads and writes."""
        self.own_tenant = own_tenant
        """The tenant the agent's role belongs to."""
        self.writable = writable

    # records

    def get(self, table: str, id: str, /) -> Mapping[str, Json] | None:
        """The record, read-only, or None where there is none."""
        return self._state.get(table, id)

    def read(self, table: str, id: str, /) -> Mapping[str, Json]:
        """The record, read-only. Where there is none the tool fails and the agent is told so."""
        record = self._state.get(table, id)
        if record is None:
            raise NoSuchRecord(table, id)
        return record

    def before(self, table: str, id: str, /) -> Mapping[str, Json] | None:
        """The record as it stood when the episode began, or None where there was none."""
        return self._state.before(table, id)

    def show(self, table: str, id: str, /) -> dict[str, Json]:
        """The record with its id, ready to be returned by a tool."""
        return self._state.copy(table, id)

    def find(self, table: str, /, *, fold_case: bool = False, **where: Json) -> list[str]:
        """Ids of the records whose fields have these values, in the order of the fixture.

        The first field goes through an index, so looking up costs what it finds. `fold_case` compares
        text without regard to letter case.
        """
        return self._state.find(table, where, folded if fold_case else exactly)

    def search(self, table: str, field: str, text: str, /) -> list[str]:
        """Ids of the records in whose field every word of `text` begins some word: "hol" finds Ida Holm.

        Letter case does not matter. It goes through an index of words, so looking up costs what it finds.
        """
        return self._state.search(table, field, words_of(text))

    def ids(self, table: str, /) -> list[str]:
        """Every id of a table. A crowd around the scenario's records is left out: `find` and `search` see it."""
        return list(self._state.ids(table))

    def count(self, table: str, /) -> int:
        """How many records a table holds, a crowd around the scenario's records left out."""
        return self._state.count(table)

    def claimable(self, table: str, /) -> list[str]:
        """The records a statement may be about: all of a small table, and those of any other this episode touched."""
        state = self._state
        small = state.count(table) <= SMALL_TABLE
        own = self.ids(table) if small else []
        if small and not state.crowded(table):
            return own
        touched = (id for name, id in [*state.touched] if name == table and id not in own)
        return [*own, *(id for id in touched if state.get(table, id) is not None)]

    def update(self, table: str, id: str, /, **fields: Json | Absent) -> None:
        """Write fields of a record; the value `ABSENT` removes one."""
        self._writing()
        self._state.update(table, id, fields)

    def create(self, table: str, /, *, with_id: str | None = None, **fields: Json) -> str:
        """Add a record and return its id."""
        self._writing()
        return self._state.create(table, fields, with_id)

    def delete(self, table: str, id: str, /) -> None:
        """Remove a record."""
        self._writing()
        self._state.delete(table, id)

    def _writing(self) -> None:
        if not self.writable:
            raise WrongUse(
                "a reading tool, a rule or a fact tried to write; declare the tool with writes=True"
            )

    # clock and people

    @property
    def now(self) -> datetime:
        """The simulated moment."""
        return self._live.clock.now()

    @property
    def at(self) -> str:
        """The simulated moment as ISO 8601."""
        return self._live.clock.at

    def wait(self, milliseconds: int) -> None:
        """Let simulated time pass. Events that fall due are delivered before the next call."""
        self._live.clock.advance(milliseconds)

    @property
    def requester(self) -> str | None:
        """Who asked for this turn's work."""
        return self._live.requester

    @property
    def role_permissions(self) -> frozenset[str] | None:
        """What the agent's role may; None where it may everything."""
        return self._live.role_permissions

    @property
    def requester_permissions(self) -> frozenset[str] | None:
        """What the person asking may; None where that is no bound."""
        return self._live.requester_permissions

    def may_approve(self, person: str | None, tool: str, /) -> bool:
        """Whether the scenario lets this person approve the use of a tool."""
        known = None if person is None else self._live.fixture.scenario.people.get(person)
        return known is not None and tool in known.approves

    # what the episode has come to

    @property
    def kept(self) -> dict[str, Any]:
        """What the world's own code keeps while the episode lasts, such as the environment of a hosted suite.

        It is no part of the records and of no snapshot: after a restart in another process it is empty, so
        whatever lies here must be something that can be made again from the records and the trace.
        """
        return self._live.kept

    @property
    def record(self) -> Sequence[Mapping[str, Any]]:
        """The records of the trace so far, in order; not to be written to."""
        return self._live.trace.records

    # outside

    def perform(
        self,
        provider: str,
        op: str,
        payload: Mapping[str, Json],
        /,
        *,
        key: str | None = None,
        text: tuple[str, str] | None = None,
    ) -> Performed:
        """Let an outside service do something; it goes into that service's ledger.

        `key` is an idempotency key. `text` is (receiver, wording) where words leave the company.
        """
        self._writing()
        copy: Any = boundary(payload)
        return self._live.perform(provider, op, copy, key=key, text=text)

    def ledger(self, provider: str, op: str | None = None, /) -> Sequence[Mapping[str, Json]]:
        """The effects a provider really had, each with op, key, call, payload and status."""
        ledger = self._live.providers[provider].ledger
        return ledger if op is None else [entry for entry in ledger if entry["op"] == op]

    def permissive(self, provider: str, op: str, /) -> bool:
        """Whether the scenario lets this provider accept what it would otherwise refuse; never when rules are read."""
        return self._live.providers[provider].permissive(op)

    def ask_guard(self, tool: str, args: Mapping[str, Json], /) -> tuple[str, str | None]:
        """The guard's answer to an action without carrying it out: (answer, reason)."""
        return self._live.ask_guard(tool, args)
