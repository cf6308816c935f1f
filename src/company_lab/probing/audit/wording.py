"""Wording: everything a value says as one text, to look for something in. JSON would hide it behind escapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from company_lab.formats.canonical import canonical


def wording(value: object) -> str:
    """All texts, keys and numbers of a JSON value, a line each."""
    return "\n".join(_said(value))


def _said(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _said(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _said(item)
    else:
        yield canonical(value)
