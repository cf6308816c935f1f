"""Repeated: what is saved or shown whole each time, although most of it was there before.

An agent that keeps a conversation saves all of it again and again, and a decider is shown the whole state for every
choice. That is how they are made, not something the agent has to say: a long episode would reach its limit on output by
that alone. What was there the last time therefore does not count once more, up to many times the limit, so that
nothing hostile fills a disk.
"""

from __future__ import annotations

from collections.abc import Mapping

from company_lab.formats.canonical import Json, canonical

_WHOLE = frozenset(["memory", "request"])
_MOST = 20
"""How many times an episode's limit on output may be repeated."""
_LEAST = 100
"""Bytes that anything counts which is there once more: its record takes up room, however little is in it."""


class Repeated:
    """Counts bytes: what is new, and what is there once more."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._bytes = 0

    def counted(self, said: Mapping[str, Json]) -> int:
        """Bytes of these parts that count as sent: of a memory and of a request to a selector only the growth."""
        counted = 0
        for name, part in said.items():
            size = len(canonical(part))
            if name in _WHOLE:
                before, self._last[name] = self._last.get(name, 0), size
                self._bytes += max(_LEAST, min(before, size))
                size = max(0, size - before)
            counted += size
        return counted

    def beyond(self, limit: int) -> bool:
        """Whether more has been repeated than an episode with this limit on output may."""
        return self._bytes > _MOST * limit

    def kept(self) -> dict[str, Json]:
        """What another process needs to count on."""
        return {"last": dict[str, Json](self._last), "bytes": self._bytes}

    def restore(self, kept: Mapping[str, Json]) -> None:
        """Count on from what another process has kept."""
        last: dict[str, int] = kept["last"]  # type: ignore[assignment]
        self._last, self._bytes = dict(last), int(str(kept["bytes"]))
