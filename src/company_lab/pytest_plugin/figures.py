"""What the trials of a session come to: figures of every scenario, and whether they are enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from company_lab.evaluation import Failure
from company_lab.evaluation.figures import EpisodeSummary, Estimate, Figures, ScenarioFigures, figures
from company_lab.evaluation.statistics.figure import decimals
from company_lab.formats.canonical import parse_own
from company_lab.formats.hostile import cut, one_line
from company_lab.pytest_plugin.settings import Demand
from company_lab.reports.terminal import EVIDENCE, NOT_SAID

MOST_SCENARIOS = 50
MOST_LISTED = 20
LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The summary of a session."""

    lines: tuple[str, ...]
    gate: str
    """Empty where no minimum was asked for."""
    met: bool | None
    """None where no minimum was asked for."""


def told(
    planned: Mapping[str, None],
    results: Mapping[str, str],
    demand: Demand | None,
    split: Callable[[str], tuple[str, int]],
) -> Told:
    """Add up the trials by node id. What comes out does not depend on who played them, or in what order.

    A planned trial without a result is lost. It counts as one that failed, as does one without a score.
    """
    cells: dict[str, int] = {}
    episodes: list[EpisodeSummary] = []
    lost: list[str] = []
    for nodeid in sorted(planned):
        scenario, trial = split(nodeid)
        named = f"{nodeid.partition('::')[0]}::{scenario}"
        cells[named] = cells.get(named, 0) + 1
        if nodeid in results:
            episodes.append(_summary(named, trial, parse_own(results[nodeid])))
        else:
            lost.append(nodeid)
    ks = (1,) if demand is None or demand.pass_k is None else tuple(dict.fromkeys((1, demand.k)))
    found = figures(sorted(episodes, key=lambda one: (one.scenario, one.trial)), cells, ks)
    missed = () if demand is None else tuple(_missed(found, demand))
    return Told(
        lines=(*_lines(found, lost, ks), *missed),
        gate="" if demand is None else _gate(demand, missed),
        met=None if demand is None else not missed,
    )


def _summary(scenario: str, trial: int, data: Any) -> EpisodeSummary:
    return EpisodeSummary(
        scenario=scenario,
        trial=trial,
        outcome=data["outcome"],
        stop=data["stop"],
        layer=data["layer"],
        evidence=data["evidence"],
        error=data["error"],
        recovered=data["recovered"],
        failures=tuple(Failure.from_json(one) for one in data["failures"]),
        trajectory=data["trajectory"],
    )


def _lines(found: Figures, lost: list[str], ks: tuple[int, ...]) -> Iterator[str]:
    kinds = (
        "; ".join(EVIDENCE.get(kind, one_line(kind)) for kind in found.evidence) or "No episode was played"
    )
    yield f"{kinds}: {found.n} of {found.planned} planned episodes scored"
    ordered = sorted(found.scenarios, key=lambda one: one.passed == one.planned)
    for one in ordered[:MOST_SCENARIOS]:
        yield _scenario(one, ks)
    rest = ordered[MOST_SCENARIOS:]
    if rest:
        whole = sum(one.passed == one.planned for one in rest)
        yield f"and {len(rest):,} more scenarios, {whole:,} of them passed in every trial"
    for failure in found.critical[:MOST_LISTED]:
        yield (
            f"critical: {_short(failure.scenario)}, trial {failure.trial}: {failure.code} (class "
            f"{failure.failure_class}): {one_line(cut(failure.message, LONGEST_MESSAGE))}"
        )
    if len(found.critical) > MOST_LISTED:
        yield f"and {len(found.critical) - MOST_LISTED:,} more critical failures"
    for nodeid in lost[:MOST_LISTED]:
        yield f"lost: {one_line(nodeid)}"
    if len(lost) > MOST_LISTED:
        yield f"and {len(lost) - MOST_LISTED:,} more lost trials"
    if found.unrepeated:
        every = len(found.unrepeated) == len(found.scenarios)
        names = "any scenario" if every else ", ".join(map(_short, found.unrepeated[:5]))
        more = f" and {len(found.unrepeated) - 5} more" if not every and len(found.unrepeated) > 5 else ""
        yield f"no repeated reliability established for {names}{more}: one trial, or all went the same way"
    for kind in found.evidence:
        if kind in NOT_SAID:
            yield NOT_SAID[kind]


def _scenario(one: ScenarioFigures, ks: tuple[int, ...]) -> str:
    open_cells = {"unscored": one.unscored, "invalid": one.invalid, "lost": one.lost}
    rest = "".join(f", {count} {name}" for name, count in open_cells.items() if count)
    low_high = "" if one.wilson is None else f" (Wilson 95 % {' to '.join(map(decimals, one.wilson))})"
    powers = "".join(f", pass^{k} {_said(one.pass_k[k], k)}" for k in ks if k > 1)
    return (
        f"{_short(one.scenario)}: {one.passed} of {one.planned} passed{rest}, rate {_said(one.rate, 1)}"
        f"{low_high}{powers}"
    )


def _missed(found: Figures, demand: Demand) -> Iterator[str]:
    if not found.planned:
        yield "not met: a minimum was asked for, and no scenario was collected"
    counted = {name: count for name, count in found.critical_counts.items() if count}
    if counted:
        yield f"not met: critical failures, {', '.join(f'{name} {count}' for name, count in counted.items())}"
    for one in found.scenarios:
        if demand.rate is not None and (one.rate is None or float(one.rate.low) < demand.rate):
            yield f"not met: {_short(one.scenario)}: rate {_said(one.rate, 1)}, below {demand.rate:g}"
        power = one.pass_k[demand.k] if demand.pass_k is not None else None
        if demand.pass_k is not None and (power is None or float(power.low) < demand.pass_k):
            said = _said(power, demand.k)
            yield f"not met: {_short(one.scenario)}: pass^{demand.k} {said}, below {demand.pass_k:g}"


def _gate(demand: Demand, missed: tuple[str, ...]) -> str:
    if missed:
        return f"minimum not met ({demand})"
    return f"minimum met ({demand}); no release decision: company-lab gate makes one"


def _said(estimate: Estimate | None, k: int) -> str:
    if estimate is None:
        return f"n/a (n<{k})"
    if estimate.point is not None:
        return decimals(estimate.point)
    return f"{decimals(estimate.low)}..{decimals(estimate.high)}"


def _short(name: str) -> str:
    return one_line(name.partition("::")[2] or name)
