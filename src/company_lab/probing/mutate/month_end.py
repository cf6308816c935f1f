"""The last day of a month: the same story begins on a day after which the month is another."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random

from company_lab.formats.canonical import Json
from company_lab.formats.time import parse_moment
from company_lab.probing.mutate.operator import CanNotDerive, Document, Draft, Operator
from company_lab.probing.mutate.original import Original
from company_lab.probing.new_names import texts_in
from company_lab.probing.recast import NotFitting, Recast, Uncertain
from company_lab.probing.retelling import Retelling

_OUTER = frozenset(
    [
        *("format", "id", "title", "world", "failure_class", "family", "severity", "split"),
        *("tags", "origin", "twin_of", "variant", "clock"),
    ]
)
_CALENDAR = ("month", "quarter", "year", "summer", "spring", "winter", "christmas", "easter")


def _applies(original: Original) -> str | None:
    scenario = original.scenario
    if scenario.is_contract:
        return "its facts are about records whose days the world fixes"
    if "clock" not in scenario.document:
        return "no day is written in it"
    if _is_last(_day(original)):
        return "it begins on the last day of a month already"
    texts = " ".join(texts_in(dict(scenario.document))).lower()
    for word in _CALENDAR:
        if word in texts:
            return f"it speaks of a {word}, so another day may make another story of it"
    return None


def _day(original: Original) -> date:
    return parse_moment(original.scenario.clock).date()


def _is_last(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


def _build(original: Original, draw: Random) -> Iterator[Draft]:
    """Whole weeks, so that weekdays stay; the nearest such days first, and which of the first two is drawn."""
    start = _day(original)
    weeks = sorted((week for week in range(-110, 111) if week), key=lambda week: (abs(week), week))
    ends = [week for week in weeks if _is_last(start + timedelta(weeks=week))]
    first = ends[:2]
    draw.shuffle(first)
    for week in (*first, *ends[2:]):
        yield Draft(
            document=_moved(original, start, timedelta(weeks=week)),
            what="at the end of a month",
            differs=False,
        )


def _moved(original: Original, start: date, shift: timedelta) -> Document:
    retelling = Retelling(Recast(shift=shift, clock=start))
    document = original.copied()
    try:
        told: dict[str, Json] = {
            key: value if key in _OUTER else retelling.value(value, key) for key, value in document.items()
        }
        told["clock"] = retelling.text(original.scenario.clock)
    except (Uncertain, NotFitting) as reason:
        raise CanNotDerive(str(reason)) from None
    return told


month_end = Operator(
    name="month_end",
    meaning="moves the story to the last day of a month; whatever counted days before counts them now",
    applies=_applies,
    build=_build,
)
