"""Shortened: as much of a value as there is room for, in the same shape."""

from __future__ import annotations

from company_lab.formats.canonical import Json, canonical


def shortened(value: Json, room: int) -> Json:
    """A JSON value whose texts, in order, are cut to about so many characters; null where there is none left.

    Names of fields are kept up to where the room ends, what comes behind it is left out.
    """
    return _cut(value, max(0, room))[0]


def fitted(said: dict[str, Json], size: int, *, room: int) -> dict[str, Json]:
    """The same where `size`, what counts of it, is not more than there is room for; else shortened, its whole size as
    `bytes`."""
    if size <= room:
        return said
    kept = shortened(said, room)
    assert isinstance(kept, dict)
    return {**dict.fromkeys(said), **kept, "bytes": sum(len(canonical(part)) for part in said.values())}


def _cut(value: Json, room: int) -> tuple[Json, int]:
    if isinstance(value, str):
        return value[: max(0, room)], room - len(value)
    if isinstance(value, dict):
        kept: dict[str, Json] = {}
        for name, item in value.items():
            if room <= 0:
                break
            kept[name], room = _cut(item, room - len(name))
        return kept, room
    if isinstance(value, list):
        items: list[Json] = []
        for item in value:
            if room <= 0:
                break
            cut, room = _cut(item, room - 1)  # else there would be no end to what is empty
            items.append(cut)
        return items, room
    size = len(canonical(value))
    return (value if size <= room else None), room - size
