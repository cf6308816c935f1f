"""Another time zone: clocks show the same, and in Greenwich it is another day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from company_lab.formats.time import parse_moment
from company_lab.probing.mutate.operator import Document, Draft, Operator
from company_lab.probing.mutate.original import Original
from company_lab.probing.new_names import texts_in

_MOMENT = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})(?!\d)")
_NAMED = re.compile(
    r"\b(?:UTC|GMT|CET|CEST|time zone|local time|Berlin|Greenwich)\b|\b[A-Z][a-z]+/[A-Z][a-z_A-Z]+\b"
)
_OFFSETS = (13, 12, 10, -10, -8, -11, 9, -5)
"""Hours from Greenwich, in the order in which they are tried."""
_OUTER = frozenset(
    ["format", "id", "title", "world", "family", "severity", "split", "tags", "origin", "twin_of", "variant"]
)


def _applies(original: Original) -> str | None:
    scenario = original.scenario
    if scenario.is_contract:
        return "its facts are about records whose moments the world fixes"
    if "clock" not in scenario.document:
        return "no moment is written in it"
    if "'zone'" in repr(scenario.document):
        return "somebody in it lives in a zone of their own, which decides what is right"
    for text in texts_in(dict(scenario.document)):
        named = _NAMED.search(text)
        if named is not None:
            return f"it speaks of {named[0]}, so another zone makes another story of it"
    return None


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    start = parse_moment(original.scenario.clock)
    offset = start.utcoffset() or timedelta()
    wall = start.replace(tzinfo=None)
    # Where the day in Greenwich is another than the one on the wall, whoever mixes them up shows.
    telling = [hours for hours in _OFFSETS if (wall - timedelta(hours=hours)).date() != wall.date()]
    first = telling[:3]
    draw.shuffle(first)
    for hours in (*first, *(one for one in _OFFSETS if one not in first)):
        east = timedelta(hours=hours) - offset
        document = original.copied()
        if east and all(_is_a_zone(offset + east) for offset in _offsets(document)):
            moved = {key: value if key in _OUTER else _moved(value, east) for key, value in document.items()}
            yield Draft(document=moved, what=f"at UTC{hours:+d}", differs=False)


def _offsets(document: Document) -> Iterator[timedelta]:
    """How far from Greenwich the moments of a document are, those left out that are in its time and stay there."""
    for text in texts_in(document):
        for found in _MOMENT.findall(text):
            if not found.endswith("Z"):
                yield datetime.fromisoformat(found).utcoffset() or timedelta()


def _is_a_zone(offset: timedelta) -> bool:
    return abs(offset) < timedelta(days=1)


def _moved(value: Any, east: timedelta) -> Any:
    if isinstance(value, dict):
        return {name: _moved(item, east) for name, item in value.items()}
    if isinstance(value, list):
        return [_moved(item, east) for item in value]
    return _MOMENT.sub(lambda found: _elsewhere(found[0], east), value) if isinstance(value, str) else value


def _elsewhere(text: str, east: timedelta) -> str:
    """A moment as far east as asked: what clocks show stays, and moments in Greenwich time move."""
    moment = datetime.fromisoformat(text)
    if text.endswith("Z"):
        return (moment - east).isoformat().replace("+00:00", "Z")
    offset = (moment.utcoffset() or timedelta()) + east
    return moment.replace(tzinfo=timezone(offset)).isoformat()


other_zone = Operator(
    name="other_zone",
    meaning="moves the company to another time zone where its days are not those of Greenwich",
    applies=_applies,
    build=_build,
)
