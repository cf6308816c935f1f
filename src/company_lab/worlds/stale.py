"""Stale: what a read answers that has not heard of the latest changes yet.

The records as they were are made from those of now by taking back, newest first, what the trace says was changed;
ledgers of providers are cut at the same place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from company_lab.formats.canonical import Json, boundary, duplicate
from company_lab.worlds.broken import WorldBroken
from company_lab.worlds.context import Context, Failed
from company_lab.worlds.state import NoSuchRecord, State

if TYPE_CHECKING:
    from company_lab.worlds.department import Tool
    from company_lab.worlds.live import LiveWorld


class Answer(NamedTuple):
    """What a read says: a value, or the reason why it fails."""

    value: Json
    reason: str = ""
    message: str = ""


class StaleAnswer(NamedTuple):
    """An answer from earlier records."""

    answer: Answer
    as_of: str
    """The moment of the records it rests on."""
    differs: bool
    """Whether it is another answer than the records of now would give."""


class EarlierContext(Context):
    """A read-only context of records and ledgers as they were."""

    __slots__ = ("_entries",)

    def __init__(self, live: LiveWorld, state: State, entries: Mapping[str, int]) -> None:
        super().__init__(live, state, tenant=live.own_tenant, own_tenant=live.own_tenant, writable=False)
        self._entries = entries

    def ledger(self, provider: str, op: str | None = None, /) -> Sequence[Mapping[str, Json]]:
        """The effects a provider had until then."""
        known = self._live.providers[provider].ledger[: self._entries[provider]]
        return known if op is None else [entry for entry in known if entry["op"] == op]


def stale_answer(
    live: LiveWorld, tool: Tool, args: Mapping[str, Json], *, by_ms: int | None
) -> StaleAnswer | None:
    """What a read would have said earlier: `by_ms` ago, or else before the last change that it shows.

    None where nothing has changed yet, or for a tool that lets time pass.
    """
    now_ms = live.clock.elapsed_ms
    fresh = _read(live.reading, tool, args)
    if live.clock.elapsed_ms != now_ms:
        return None
    found: StaleAnswer | None = None
    since = None if by_ms is None else live.clock.now() - timedelta(milliseconds=by_ms)
    for at, context in _earlier(live, since):
        answer = _read(context, tool, args)
        found = StaleAnswer(answer, at, answer != fresh)
        if found.differs and since is None:
            break
    return found


def _read(context: Context, tool: Tool, args: Mapping[str, Json]) -> Answer:
    handed: Any = duplicate(dict(args))
    try:
        return Answer(boundary(tool.function(context, **handed)))
    except NoSuchRecord as missing:
        return Answer(None, "not_found", str(missing))
    except Failed as failure:
        return Answer(None, failure.reason, str(failure))
    except Exception as error:
        raise WorldBroken(f"{tool.name}: {type(error).__name__}: {error}") from error


def _earlier(live: LiveWorld, since: datetime | None) -> Iterator[tuple[str, Context]]:
    """The records before each change, the latest first; with `since` only as they were at that moment."""
    state = live.state.copy_of_now()
    entries = Counter({name: len(provider.ledger) for name, provider in live.providers.items()})
    pending: str | None = None
    for record in reversed(live.trace.records):
        kind, at = record["kind"], str(record["at"])
        if since is not None and datetime.fromisoformat(at) <= since:
            break
        if kind == "effect" and not record["replayed"]:
            entries[record["provider"]] -= 1
            pending = at
        changes = [change for change in record.get("changes") or () if "tenant" not in change]
        if changes and kind != "settled":
            state.take_back(changes)
            pending = at
        # A call is whole: its effects, its changes and the use of its approval are gone back over together.
        if pending is not None and since is None and kind in ("action", "event", "fault"):
            yield pending, EarlierContext(live, state, entries)
            pending = None
    if pending is not None:
        yield pending if since is None else since.isoformat(), EarlierContext(live, state, entries)
