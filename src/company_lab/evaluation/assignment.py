"""One-to-one assignment: every expectation its own partner, found wherever one exists."""

from __future__ import annotations

from collections.abc import Sequence


def assign(edges: Sequence[Sequence[int]]) -> list[int | None]:
    """For each left item a different right item it may be paired with; None where no pairing serves it.

    `edges[left]` lists the right items `left` accepts. A maximum matching by augmenting paths (Kuhn 1955), so
    the order in which expectations or records stand never decides.
    """
    owner: dict[int, int] = {}

    def place(left: int, tried: set[int]) -> bool:
        for right in edges[left]:
            if right in tried:
                continue
            tried.add(right)
            if right not in owner or place(owner[right], tried):
                owner[right] = left
                return True
        return False

    for left in range(len(edges)):
        place(left, set())
    partner: list[int | None] = [None] * len(edges)
    for right, left in owner.items():
        partner[left] = right
    return partner
