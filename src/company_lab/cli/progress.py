"""How far a run is: a bar on a terminal, plain lines elsewhere, or JSON lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from company_lab.cli.say import note
from company_lab.formats.canonical import Json, canonical
from company_lab.formats.hostile import one_line
from company_lab.formats.time import format_duration
from company_lab.traces.record import REPLAYED

if TYPE_CHECKING:
    from rich.progress import Progress as _Bar

    from company_lab.evaluation.figures import EpisodeSummary
    from company_lab.runs import Progress

SECONDS_BETWEEN_LINES = 5.0
_MOST_LINES = 100
"""Lines of progress in all, so that a log of a long run stays readable."""
_CRITICAL_NAMED = 20
"""Critical failures that are named at once; all of them are in the report."""


class Watcher(Protocol):
    """Is told when playing begins, and after every episode."""

    def begin(self) -> None:
        """Nothing has been played yet; from here on threads may be started."""
        ...

    def __call__(self, progress: Progress) -> None: ...


@contextmanager
def watching(
    planned: int,
    *,
    quiet: bool,
    json_lines: bool,
    every: bool,
    seconds_between: float = SECONDS_BETWEEN_LINES,
) -> Iterator[Watcher]:
    """The watcher that fits the output; `every` tells of each episode on a line of its own."""
    if json_lines:
        yield _JsonLines()
    elif quiet:
        yield _Silence()
    elif sys.stderr.isatty() and not every:
        with _bar(planned) as watcher:
            yield watcher
    else:
        yield _Lines(every=every, seconds_between=seconds_between)


class _Silence:
    def begin(self) -> None:
        pass

    def __call__(self, progress: Progress) -> None:
        pass


class _JsonLines(_Silence):
    def __call__(self, progress: Progress) -> None:
        latest = progress.latest
        codes: list[Json] = list(dict.fromkeys(failure.code for failure in latest.failures))
        emit(
            {
                "kind": "episode",
                "scenario": latest.scenario,
                "trial": latest.trial,
                "outcome": latest.outcome,
                "stop": latest.stop,
                "codes": codes,
                "critical": [
                    failure.message
                    for failure in latest.failures
                    if failure.severity == "critical" and latest.evidence != REPLAYED
                ],
                "cost_usd": None if latest.cost_usd is None else str(latest.cost_usd),
                "done": progress.done,
                "planned": progress.planned,
                "failed": progress.failed,
                "repeated": progress.again,
            }
        )


def emit(record: dict[str, Json]) -> None:
    """One JSON line on standard output."""
    sys.stdout.write(canonical(record) + "\n")
    sys.stdout.flush()


class _Criticals:
    """Names the first critical failures at once and counts the rest."""

    def __init__(self) -> None:
        self._found = 0

    def lines(self, summary: EpisodeSummary) -> list[str]:
        """What to say about an episode."""
        found = criticals(summary)
        named = found[: max(0, _CRITICAL_NAMED - self._found)]
        self._found += len(found)
        if found and len(named) < len(found) and self._found - len(found) <= _CRITICAL_NAMED:
            named.append("further critical failures are counted here and named in the report")
        return named

    def unnamed(self) -> str:
        """How many have not been named, for a line of progress."""
        more = self._found - _CRITICAL_NAMED
        return f", {more} critical ones more" if more > 0 else ""


class _Lines:
    """A line now and then, and one at once for whatever is critical."""

    def __init__(self, *, every: bool, seconds_between: float) -> None:
        self._every = every
        self._seconds_between = seconds_between
        self._criticals = _Criticals()
        self._started = self._last = time.monotonic()
        self._mark = 0

    def begin(self) -> None:
        self._started = self._last = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        for line in self._criticals.lines(progress.latest):
            note(line)
        latest, now = progress.latest, time.monotonic()
        mark = progress.done * _MOST_LINES // progress.planned
        if self._every:
            note(
                f"{progress.done}/{progress.planned} {latest.scenario} trial {latest.trial}: {latest.outcome}"
            )
        elif (
            now - self._last >= self._seconds_between
            and mark > self._mark
            and progress.done < progress.planned
        ):
            self._last, self._mark = now, mark
            left = (now - self._started) / progress.done * (progress.planned - progress.done)
            note(
                f"{progress.done} of {progress.planned} episodes, {progress.failed} failed"
                f"{self._criticals.unnamed()}{_rest(progress)}, about {format_duration(1000 * round(left))} left"
            )


def criticals(summary: EpisodeSummary) -> list[str]:
    """The critical failures of an episode, one line each; none where old answers were replayed, which is no trial."""
    if summary.evidence == REPLAYED:
        return []
    return [
        f"CRITICAL {summary.scenario} trial {summary.trial}: {failure.code}: {one_line(failure.message)}"
        for failure in summary.failures
        if failure.severity == "critical"
    ]


def _rest(progress: Progress) -> str:
    again = f", {progress.unscored} without a score" if progress.unscored else ""
    again += f", {progress.again} played again after an outage" if progress.again else ""
    if not progress.cost_usd and not progress.unpriced:
        return again
    unknown = f" and {progress.unpriced} of unknown cost" if progress.unpriced else ""
    return f"{again}, {progress.cost_usd} USD{unknown}"


@contextmanager
def _bar(planned: int) -> Iterator[Watcher]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rest]}", markup=False),
        TimeRemainingColumn(),
    )
    bar = Bar(*columns, console=Console(stderr=True, highlight=False, emoji=False), transient=True)
    try:
        yield _OnTerminal(bar, planned)
    finally:
        bar.stop()


class _OnTerminal:
    """A bar that moves, with the critical failures above it."""

    def __init__(self, bar: _Bar, planned: int) -> None:
        self._bar = bar
        self._task = bar.add_task("episodes", total=planned, rest="")
        self._criticals = _Criticals()

    def begin(self) -> None:
        self._bar.start()  # a thread of its own draws it

    def __call__(self, progress: Progress) -> None:
        for line in self._criticals.lines(progress.latest):
            self._bar.console.print(one_line(line), style="bold red", markup=False)
        failed = f"{progress.failed} failed" if progress.failed else "none failed"
        self._bar.update(
            self._task, completed=progress.done, rest=failed + self._criticals.unnamed() + _rest(progress)
        )
