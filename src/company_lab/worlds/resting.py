"""What a fact rests on: the tables and ledgers it read, so that it is read again only when one of them changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from company_lab.formats.canonical import Json
from company_lab.worlds.context import SMALL_TABLE, Context

if TYPE_CHECKING:
    from company_lab.worlds.live import LiveWorld


@dataclass(frozen=True, slots=True)
class Rested:
    """The value of a fact, and the state of what it rests on when it was read."""

    value: object
    tables: tuple[str, ...]
    providers: tuple[str, ...]
    state: tuple[int, ...]

    def holds(self, live: LiveWorld) -> bool:
        """Whether nothing it rests on has changed since."""
        return self.state == state_of(live, self.tables, self.providers)

    @property
    def untouched(self) -> bool:
        """Whether it was read from the fixture alone, so that it is the same at the start of every episode."""
        return not any(self.state)


def state_of(live: LiveWorld, tables: Sequence[str], providers: Sequence[str]) -> tuple[int, ...]:
    """How often each table was written to and how long each ledger is."""
    versions = live.state.versions
    return (
        *[versions.get(table, 0) for table in tables],
        *[len(live.providers[provider].ledger) for provider in providers],
    )


class RestingContext(Context):
    """A reading context that notes what is read. A fact that looks at anything else is read anew each time."""

    __slots__ = ("moving", "providers", "tables")

    def __init__(self, live: LiveWorld) -> None:
        super().__init__(live, live.state, tenant=live.own_tenant, own_tenant=live.own_tenant, writable=False)
        self.begin()

    def begin(self) -> None:
        """Note from here on."""
        self.tables: set[str] = set()
        self.providers: set[str] = set()
        self.moving = False
        """Whether the fact depends on what can change without a write: the clock, the people, what was touched."""

    def get(self, table: str, id: str, /) -> Mapping[str, Json] | None:
        self.tables.add(table)
        return super().get(table, id)

    def read(self, table: str, id: str, /) -> Mapping[str, Json]:
        self.tables.add(table)
        return super().read(table, id)

    def show(self, table: str, id: str, /) -> dict[str, Json]:
        self.tables.add(table)
        return super().show(table, id)

    def find(self, table: str, /, *, fold_case: bool = False, **where: Json) -> list[str]:
        self.tables.add(table)
        return super().find(table, fold_case=fold_case, **where)

    def search(self, table: str, field: str, text: str, /) -> list[str]:
        self.tables.add(table)
        return super().search(table, field, text)

    def ids(self, table: str, /) -> list[str]:
        self.tables.add(table)
        return super().ids(table)

    def count(self, table: str, /) -> int:
        self.tables.add(table)
        return super().count(table)

    def claimable(self, table: str, /) -> list[str]:
        if self.count(table) > SMALL_TABLE or self._state.crowded(table):
            self.moving = True
        return super().claimable(table)

    def ledger(self, provider: str, op: str | None = None, /) -> Sequence[Mapping[str, Json]]:
        self.providers.add(provider)
        return super().ledger(provider, op)

    @property
    def now(self) -> datetime:
        self.moving = True
        return super().now

    @property
    def at(self) -> str:
        self.moving = True
        return super().at

    @property
    def requester(self) -> str | None:
        self.moving = True
        return super().requester

    @property
    def requester_permissions(self) -> frozenset[str] | None:
        self.moving = True
        return super().requester_permissions

    @property
    def kept(self) -> dict[str, Any]:
        self.moving = True
        return super().kept

    @property
    def record(self) -> Sequence[Mapping[str, Any]]:
        self.moving = True
        return super().record

    def ask_guard(self, tool: str, args: Mapping[str, Json], /) -> tuple[str, str | None]:
        self.moving = True
        return super().ask_guard(tool, args)
