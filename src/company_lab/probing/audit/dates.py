"""D7: scenarios that are right on some days only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from company_lab.agents.conducts import reference
from company_lab.formats.canonical import Json
from company_lab.formats.errors import Problems
from company_lab.formats.time import parse_moment
from company_lab.probing.audit.finding import Found
from company_lab.probing.audit.subject import Subject
from company_lab.probing.clones import hangs_on_the_calendar
from company_lab.probing.recast import NotFitting, Recast, Uncertain
from company_lab.probing.retelling import Retelling
from company_lab.scenarios.loader import load_document
from company_lab.scenarios.model import Scenario

_MOST_WEEKS = 260


def dependent_on_dates(subject: Subject) -> Iterator[Found]:
    """The same story at the end of a month, in a week in which clocks change, and a year later.

    All dates move by the same number of weeks. What hangs on a month, a quarter or a zone is left out, as such a move
    tells another story there. Texts whose dates can not be moved with certainty are left alone.
    """
    scenario = subject.scenario
    if not subject.reference.passed or scenario.initial.facts or scenario.expected.facts:
        return  # the dates of facts are the world's own
    today = parse_moment(subject.scenario.clock).date()
    for manner, weeks in () if hangs_on_the_calendar(scenario.document) else _shifts(today):
        try:
            moved = _moved(subject, timedelta(weeks=weeks))
        except (Uncertain, NotFitting, Problems):
            continue
        played = subject.play(reference(moved) if subject.asks_agent else None, scenario=moved)
        if not played.passed:
            yield subject.finding(
                "D7",
                "warn",
                f"told {manner} ({weeks} weeks later), it comes out as {played.verdict.outcome}: {played.why[0]}",
                "let expectations follow from the dates in the records, not from today's",
                path="clock",
            )
            return


def _shifts(today: date) -> Iterator[tuple[str, int]]:
    """Weeks to move by: the weekday stays, since opening hours and weekends are no defect."""
    for manner, fits in (("at the end of a month", _ends_month), ("where clocks change", _clocks_change)):
        weeks = next((n for n in range(1, _MOST_WEEKS) if fits(today + timedelta(weeks=n))), None)
        if weeks is not None:
            yield manner, weeks
    yield "a year later", 52


def _ends_month(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


def _clocks_change(day: date) -> bool:
    """Whether clocks in Europe change within the week that begins here."""
    return any(
        moment.weekday() == 6 and moment.day >= 25 and moment.month in (3, 10)
        for moment in (day + timedelta(days=n) for n in range(7))
    )


def _moved(subject: Subject, shift: timedelta) -> Scenario:
    document = dict(subject.scenario.document)
    retelling = Retelling(Recast(shift=shift, clock=parse_moment(subject.scenario.clock).date()))
    outer = {key: document[key] for key in _KEPT if key in document}
    retold = retelling.value({key: value for key, value in document.items() if key not in _KEPT})
    assert isinstance(retold, dict)
    moved: dict[str, Json] = {**outer, **retold, "clock": retelling.text(subject.scenario.clock)}
    return load_document(moved, worlds=lambda name: subject.spec)


_KEPT = (
    "format",
    "id",
    "title",
    "world",
    "failure_class",
    "family",
    "severity",
    "split",
    "tags",
    "origin",
    "audit",
)
