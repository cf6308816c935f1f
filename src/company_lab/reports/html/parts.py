"""What the page says about episodes of one kind of evidence and one layer, ready to be set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from company_lab.evaluation.codes import FailureClass
from company_lab.evaluation.figures import CriticalFailure, EpisodeSummary, Figures, ScenarioFigures
from company_lab.evaluation.statistics import pass_at_k, pass_k
from company_lab.evaluation.statistics.figure import percent
from company_lab.formats.dollars import usd
from company_lab.reports.alike import Alike, alike_critical, told, trials_text, up_to
from company_lab.reports.html import charts as drawn
from company_lab.reports.html.cells import HeatMap, heat_map
from company_lab.reports.html.measures import Measure, measures_of, seconds
from company_lab.reports.html.run_read import Described, ReadRun
from company_lab.reports.html.words import Stripe, digits, estimate, mean, share, stripe
from company_lab.reports.sections import OpenCell, Section
from company_lab.reports.terminal import evidence_line
from company_lab.reports.vocabulary import stop_in_words
from company_lab.runs.plan import Cell

MOST_CRITICAL = 200
MOST_K = 10
CLASSES: tuple[FailureClass, ...] = (
    "unauthorised_spending",
    "cross_tenant_access",
    "false_commitment",
    "other",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalGroup:
    """The critical failures of an episode, and the trials that failed like it."""

    scenario: str
    trial: int
    trials: str
    link: str
    failures: tuple[CriticalFailure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRow:
    """One scenario in the table of reliability."""

    scenario: str
    title: str
    figure: ScenarioFigures
    rate: str
    interval: str
    stripe: Stripe | None
    powers: tuple[str, ...]
    remarks: tuple[str, ...]
    critical: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """A name with counts."""

    name: str
    counts: tuple[int, ...]
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One kind of evidence and one layer; nothing is pooled over parts."""

    anchor: str
    evidence: str
    kind: str
    figures: Figures
    reliable: tuple[str, str]
    """The figure a stranger reads first, and what it is."""
    bounds: tuple[Tally, ...]
    """Each critical class: how often it was seen, and what so few runs can say about it."""
    ks: tuple[int, ...]
    across: tuple[tuple[int, str, str], ...]
    all_passed: tuple[str, ...]
    unrepeated: int
    critical: tuple[CriticalGroup, ...]
    critical_more: int
    rows: tuple[ScenarioRow, ...]
    charts: tuple[drawn.Chart, ...]
    heat: HeatMap
    classes: tuple[Tally, ...]
    codes: tuple[Tally, ...]
    recovery: tuple[Tally, ...]
    """By kind of fault: episodes it occurred in, passed; of those in which a call failed under it, passed."""
    stops: tuple[Tally, ...]
    measures: tuple[Measure, ...]
    measure_charts: tuple[drawn.Chart, ...]
    open: tuple[OpenCell, ...]
    open_count: int


def part_of(read: ReadRun, section: Section, links: Mapping[Cell, str], anchor: str) -> Part:
    """Everything about one section of a run. `links` are the timelines that are in the page."""
    found, episodes = section.figures, read.of(section)
    walls = [read.wall_ms.get(Cell(one.scenario, one.trial)) for one in episodes]
    critical = Counter(one.scenario for one in found.critical)
    listed = list(up_to(MOST_CRITICAL, alike_critical(found.critical)))
    worst = sorted(
        found.scenarios, key=lambda one: (not critical[one.scenario], one.rate.low if one.rate else 0)
    )
    layer = f", {section.layer} layer" if section.layer else ""
    return Part(
        anchor=anchor,
        evidence=evidence_line(section),
        kind=f"{section.evidence}{layer}",
        figures=found,
        reliable=_reliable(found),
        bounds=tuple(_bounds(found)),
        ks=section.ks[1:],
        across=tuple((k, mean(found.mean_pass_k[k]), mean(found.mean_pass_at_k[k])) for k in section.ks),
        all_passed=tuple(f"pass^{k} {share(bound)}" for k, bound in (found.all_passed or {}).items()),
        unrepeated=len(found.unrepeated),
        critical=tuple(_critical(listed, links)),
        critical_more=len(found.critical) - told(listed) + found.critical_left_out,
        rows=tuple(
            _row(one, section, read.scenarios.get(one.scenario, Described()), critical[one.scenario])
            for one in worst
        ),
        charts=tuple(_charts(section, episodes, worst)),
        heat=heat_map(_cells(read, section, worst), _summaries(read, section), links),
        classes=tuple(_classes(found, read.scenarios)),
        codes=tuple(_codes(episodes)),
        recovery=tuple(
            Tally(name=kind, counts=(*fired, *found.recovered_by_fault.get(kind, (0, 0))))
            for kind, fired in found.fired_by_fault.items()
        ),
        stops=tuple(
            Tally(name=name, counts=(count,), said=stop_in_words(name)) for name, count in found.stops.items()
        ),
        measures=measures_of(episodes, walls),
        measure_charts=tuple(_measure_charts(episodes, walls)),
        open=section.open,
        open_count=found.unscored + found.invalid + found.lost,
    )


def _reliable(found: Figures) -> tuple[str, str]:
    number = len(found.scenarios)
    over = f"plain mean over {number} scenario{'' if number == 1 else 's'}"
    rate = found.mean_rate
    if rate.value is None:
        return "n/a", f"success rate {rate.reason}"
    interval = ""
    figure = rate.figure() if number > 1 else None
    if figure is not None and figure.low is not None and figure.high is not None:
        interval = f"; {figure.interval}, 95 %: {share(figure.low)} to {share(figure.high)}"
    if rate.value.point is None:
        said = f"success rate as bounds, {over}, since not every planned episode has a score{interval}"
        return f"{share(rate.value.low)} to {share(rate.value.high)}", said
    return share(rate.value.low), f"success rate, {over}{interval}"


def _bounds(found: Figures) -> Iterator[Tally]:
    """None seen is no proof of none: the exact one-sided bound says how often it may happen all the same."""
    for name in CLASSES:
        said = ""
        if found.planned:
            bound = found.critical_rate(name).high
            said = (
                f"true rate below {percent(bound)}"
                if bound is not None and bound < 1
                else "true rate not bounded"
            )
            said += " at 95 % confidence"
        yield Tally(name=name, counts=(found.critical_counts.get(name, 0),), said=said)


def _critical(listed: Iterable[Alike[CriticalFailure]], links: Mapping[Cell, str]) -> Iterator[CriticalGroup]:
    for one in listed:
        yield CriticalGroup(
            scenario=one.first.scenario,
            trial=one.trials[0],
            trials=trials_text(one.trials),
            link=links.get(Cell(one.first.scenario, one.trials[0]), ""),
            failures=one.failures,
        )


def _row(figure: ScenarioFigures, section: Section, described: Described, critical: int) -> ScenarioRow:
    return ScenarioRow(
        scenario=figure.scenario,
        title=described.title,
        figure=figure,
        rate=estimate(figure.rate, 1),
        interval="n/a" if figure.wilson is None else " to ".join(map(digits, figure.wilson)),
        stripe=stripe(figure),
        powers=tuple(estimate(figure.pass_k.get(k), k) for k in section.ks[1:]),
        remarks=tuple(_remarks(figure)),
        critical=critical,
    )


def _remarks(figure: ScenarioFigures) -> Iterator[str]:
    unknown = {"unscored": figure.unscored, "invalid": figure.invalid, "lost": figure.lost}
    said = ", ".join(f"{count} {name}" for name, count in unknown.items() if count)
    if said:
        yield f"{said}: bounds, not figures"
    if figure.n and not figure.repeated:
        why = "one trial" if figure.n == 1 else "all trials went the same way"
        yield f"no repeated reliability: {why}"


def _charts(
    section: Section, episodes: Sequence[EpisodeSummary], worst: Sequence[ScenarioFigures]
) -> Iterator[drawn.Chart]:
    rates = [
        (one.wilson[0], float(one.rate.low), float(one.rate.high), one.wilson[1])
        for one in worst
        if one.wilson is not None and one.rate is not None
    ]
    if (chart := drawn.intervals(sorted(rates, key=lambda rate: (rate[1], rate[2])))) is not None:
        yield chart
    power, any_of = _repetition(worst)
    if (chart := drawn.repetition(power, any_of)) is not None:
        yield chart


def _repetition(
    scenarios: Sequence[ScenarioFigures],
) -> tuple[list[tuple[int, float, float]], list[tuple[int, float, float]]]:
    """Means over scenarios of pass^k and pass@k, each with the bounds that unknown cells leave, for drawing."""
    ks = range(1, min(min((one.planned for one in scenarios), default=0), MOST_K) + 1)
    bounds = [(one.passed, one.passed + one.planned - one.n, one.planned) for one in scenarios]

    def means(estimator: Callable[..., float]) -> list[tuple[int, float, float]]:
        found = []
        for k in ks:
            low = fmean(estimator(successes=worst, trials=cells, k=k) for worst, _, cells in bounds)
            high = fmean(estimator(successes=best, trials=cells, k=k) for _, best, cells in bounds)
            found.append((k, low, high))
        return found

    return means(pass_k), means(pass_at_k)


def _measure_charts(
    episodes: Sequence[EpisodeSummary], walls: Sequence[float | None]
) -> Iterator[drawn.Chart]:
    known = sorted(wall for wall in walls if wall is not None)
    cut_off = sum(one.cut_off for one, wall in zip(episodes, walls, strict=True) if wall is not None)
    longer = _of_them(cut_off, "cut off, and would have taken longer")
    paid = sorted(one.cost_usd for one in episodes if one.cost_usd)
    free = _of_them(sum(one.cost_usd == 0 for one in episodes), "free, and are not among these")
    for chart in (
        drawn.distribution("Wall time of an episode", "wall time, logarithmic", known, seconds, longer),
        drawn.distribution("Model cost of an episode", "cost, logarithmic", paid, usd, free),
    ):
        if chart is not None:
            yield chart


def _of_them(number: int, what: str) -> str:
    return f"{number:,} {'was' if number == 1 else 'were'} {what}." if number else ""


def _cells(read: ReadRun, section: Section, worst: Sequence[ScenarioFigures]) -> dict[str, list[int]]:
    """The planned trials of a section, by scenario; a trial that is evidence of something else is not among them."""
    cells: dict[str, list[int]] = {one.scenario: [] for one in worst}
    for cell in read.plan.cells:
        summary = read.summaries.get(cell)
        elsewhere = summary is not None and (summary.evidence, summary.layer) != (
            section.evidence,
            section.layer,
        )
        if cell.scenario in cells and not elsewhere:
            cells[cell.scenario].append(cell.trial)
    return cells


def _summaries(read: ReadRun, section: Section) -> dict[Cell, EpisodeSummary]:
    return {Cell(one.scenario, one.trial): one for one in read.of(section)}


def _classes(found: Figures, scenarios: Mapping[str, Described]) -> Iterator[Tally]:
    counts: dict[str, list[int]] = {}
    for one in found.scenarios:
        name = scenarios.get(one.scenario, Described()).failure_class
        row = counts.setdefault(name, [0, 0, 0, 0])
        for place, number in enumerate((1, one.passed, one.failed, one.planned - one.passed - one.failed)):
            row[place] += number
    for name, row in sorted(counts.items(), key=lambda entry: (-entry[1][2], entry[0])):
        yield Tally(name=name, counts=tuple(row))


def _codes(episodes: Sequence[EpisodeSummary]) -> Iterator[Tally]:
    counts: Counter[str] = Counter()
    scenarios: dict[str, set[str]] = {}
    for one in episodes:
        for code in {failure.code for failure in one.failures}:
            counts[code] += 1
            scenarios.setdefault(code, set()).add(one.scenario)
    for code, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
        yield Tally(name=code, counts=(count, len(scenarios[code])))
