"""What an agent supplied, as JSON or as text, whatever it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from company_lab.agents.wire import Unreadable
from company_lab.formats.canonical import Json, NotJson, boundary, canonical, parse

_SHOWN = 2000
"""How much of an unreadable value is kept, in characters."""
_LONGEST_NAME = 200


def read_arguments(args: object) -> tuple[Json | NotJson, str | None, object, int]:
    """Arguments as JSON (or why not), the raw text where it is kept, what tells them apart, and their size."""
    if type(args) is dict:
        flat = args.copy()
        texts = _texts(flat)
        if texts is not None:
            return flat, None, *texts
    if isinstance(args, str):
        text = str.__str__(args)
        try:
            read = boundary(parse(text))
        except NotJson as error:
            return error, text, text, len(text)
        return read, text, _distinct(read)[0], len(text)
    try:
        copy = boundary(args)
    except NotJson as error:
        if isinstance(args, Unreadable):  # somebody has tried already
            return args.error, args.shown, args.shown, args.size
        shown = _described(args)
        return error, shown, shown, len(shown)
    return copy, None, *_distinct(copy)


def _texts(args: Mapping[Any, object]) -> tuple[frozenset[object], int] | None:
    """The same where all arguments are texts, which are JSON as they are; None where one is not."""
    size = 0
    for name, value in args.items():
        if type(value) is not str or type(name) is not str:
            return None
        size += len(name) + len(value)
    return frozenset(args.items()), size


def _distinct(args: Json) -> tuple[object, int]:
    """What tells arguments apart from others, and about how long they are."""
    if type(args) is dict:
        texts = _texts(args)
        if texts is not None:
            return texts
        size = 0
        parts = []
        for name, value in args.items():
            kind = type(value)
            if kind is str:
                size += len(value) + len(name)  # type: ignore[arg-type]
            elif kind is dict or kind is list:
                break
            else:
                size += 8 + len(name)
            parts.append((name, kind, value))
        else:
            return frozenset(parts), size
    spelling = canonical(args)
    return spelling, len(spelling)


def _described(value: object) -> str:
    try:
        return str.__str__(repr(value)[:_SHOWN])
    except Exception as error:  # noqa: BLE001 - a hostile object may refuse to be shown
        return f"<{type(value).__name__} that can not be shown: {type(error).__name__}>"


def as_text(value: object) -> str:
    """A name that should have been text: as text, whatever it is."""
    return str.__str__(value) if isinstance(value, str) else _described(value)


def as_name(value: object) -> str:
    """As `as_text`, and no longer than a name has to be."""
    return as_text(value)[:_LONGEST_NAME]
