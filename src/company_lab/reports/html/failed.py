"""The failed episodes of a run in full, as long as there is room, packed so that a page opens without them."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from company_lab.evaluation.figures import EpisodeSummary
from company_lab.formats.errors import CompanyLabError
from company_lab.reports.html.cells import SIGNS, mark_of
from company_lab.reports.html.environment import templates
from company_lab.reports.html.moments import told
from company_lab.reports.html.run_read import ReadRun
from company_lab.runs.documents import kept_scenario
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import Cell
from company_lab.runs.store import Store
from company_lab.scenarios.model import Scenario
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World

EPISODE_BYTES = 8_000_000
"""Room for timelines, as HTML before it is packed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedEpisode:
    """A failed episode: what a list says about it, and its timeline as gzipped HTML in base64."""

    scenario: str
    trial: int
    mark: str
    sign: str
    said: str
    codes: tuple[str, ...]
    message: str
    data: str
    anchor: str = ""
    """The id of its element, by its place on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedEpisodes:
    """What is in the page in full, and what had no room."""

    packed: tuple[PackedEpisode, ...]
    left_out: tuple[tuple[str, str], ...]
    """Scenario and its trials, in words."""
    left_out_count: int
    failed: int

    @property
    def links(self) -> dict[Cell, str]:
        """The element of every episode that is there in full."""
        return {Cell(one.scenario, one.trial): one.anchor for one in self.packed}


def failed_episodes(
    store: Store,
    read: ReadRun,
    *,
    room: int = EPISODE_BYTES,
    worlds: Callable[[str], World] = resolve_world,
) -> FailedEpisodes:
    """Critical failures come first, then the first failed trial of every scenario, then the second, and so on."""
    known = cache(worlds)  # looking a world up reads what is installed, each time
    failed = [one for one in read.summaries.values() if one.outcome == "failed"]
    scenarios: dict[str, Scenario | None] = {}
    kept: dict[Cell, PackedEpisode] = {}
    left_out: list[Cell] = []
    urgent = _by_urgency(failed)
    episodes = store.some(read.plan.run, [Cell(one.scenario, one.trial) for one in urgent])
    for summary in urgent:
        cell = Cell(summary.scenario, summary.trial)
        if room <= 0:
            left_out.append(cell)
            continue
        if cell.scenario not in scenarios:
            scenarios[cell.scenario] = _scenario(store, read, cell.scenario, known)
        html = _timeline(next(episodes), cell, scenarios[cell.scenario], known).encode("utf-8")
        if len(html) > room:
            # What is larger than all that is left does not keep smaller ones out.
            left_out.append(cell)
            room -= 1 + len(html) // 20
            continue
        room -= len(html)
        kept[cell] = _packed(summary, html)
    order = {cell: place for place, cell in enumerate(read.plan.cells)}
    return FailedEpisodes(
        packed=tuple(
            replace(kept[cell], anchor=f"e{number}")
            for number, cell in enumerate(sorted(kept, key=lambda cell: order.get(cell, 0)))
        ),
        left_out=tuple(_named(sorted(left_out, key=lambda cell: order.get(cell, 0)))),
        left_out_count=len(left_out),
        failed=len(failed),
    )


def _by_urgency(failed: Sequence[EpisodeSummary]) -> list[EpisodeSummary]:
    ranks: dict[str, int] = {}
    ranked: list[tuple[bool, int, EpisodeSummary]] = []
    for summary in failed:
        rank = ranks[summary.scenario] = ranks.get(summary.scenario, 0) + 1
        ranked.append((mark_of(summary) != "critical", rank, summary))
    ranked.sort(key=lambda entry: entry[:2])
    return [summary for *_, summary in ranked]


def _scenario(store: Store, read: ReadRun, scenario: str, worlds: Callable[[str], World]) -> Scenario | None:
    try:
        return kept_scenario(store, read.plan, scenario, worlds=worlds)
    except CompanyLabError:
        return None  # a later version asks for something else; the trace can be told without it


def _timeline(
    stored: StoredEpisode, cell: Cell, scenario: Scenario | None, worlds: Callable[[str], World]
) -> str:
    spec = worlds(scenario.world).spec if scenario else None
    episode = told(scenario, spec, stored.trace, stored.verdict)
    return (
        templates()
        .get_template("episode.html")
        .render(episode=episode, cell=cell, redacted=stored.trace.header.get("redacted") is not None)
    )


def _packed(summary: EpisodeSummary, html: bytes) -> PackedEpisode:
    mark = mark_of(summary)
    sign, words = SIGNS[mark]
    # Verdicts that were given elsewhere may name no failure.
    worst = next((one for one in summary.failures if one.failure_class), next(iter(summary.failures), None))
    return PackedEpisode(
        scenario=summary.scenario,
        trial=summary.trial,
        mark=mark,
        sign=sign,
        said=words,
        codes=tuple(dict.fromkeys(one.code for one in summary.failures)),
        message="" if worst is None else worst.message,
        data=base64.b64encode(gzip.compress(html, 6, mtime=0)).decode("ascii"),
    )


def _named(cells: Sequence[Cell]) -> Iterator[tuple[str, str]]:
    trials: dict[str, list[int]] = {}
    for cell in cells:
        trials.setdefault(cell.scenario, []).append(cell.trial)
    for scenario, numbers in trials.items():
        yield scenario, ", ".join(_spans(numbers))


def _spans(numbers: Sequence[int]) -> Iterator[str]:
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    for first, last in spans:
        yield str(first) if first == last else f"{first} to {last}"
