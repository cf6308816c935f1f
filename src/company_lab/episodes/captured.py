"""Captured: the beginning and the end of what a process printed, and how much there was."""

from __future__ import annotations

_KEPT = 4000
"""Bytes kept of the beginning, and as many of the end."""


class Captured:
    """What came on one stream; holds no more than twice `_KEPT` bytes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.size = 0
        self._head = b""
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Take in what came next."""
        self.size += len(data)
        room = _KEPT - len(self._head)
        self._head += data[:room]
        if len(data) > room:
            self._tail = (self._tail + data[room:])[-_KEPT:]

    def text(self) -> str:
        """As text, with a note in the place of what was left out."""
        left_out = self.size - len(self._head) - len(self._tail)
        if not left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        gap = f"\n… {left_out:,} bytes left out …\n"
        return self._head.decode("utf-8", "replace") + gap + self._tail.decode("utf-8", "replace")
