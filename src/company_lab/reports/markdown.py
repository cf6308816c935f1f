"""A run as Markdown, as GitHub and most forges read it.

Everything that comes from an episode stands in a code span: nothing in it becomes a link, a mention, an image or
markup. The document is bounded, so that it fits a step summary of GitHub Actions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from company_lab.evaluation.figures import CriticalFailure, Estimate, Figures, ScenarioFigures
from company_lab.evaluation.statistics.figure import decimals
from company_lab.formats.hostile import cut, one_line
from company_lab.reports.alike import Alike, alike_critical, told, trials_text, up_to
from company_lab.reports.assurance import NOT_ESTABLISHED, bound_lines, interval_lines
from company_lab.reports.sections import Section, stored_sections
from company_lab.reports.terminal import EVIDENCE, NOT_SAID, evidence_line
from company_lab.runs.plan import RunPlan
from company_lab.runs.store import Store

MOST_BYTES = 1_000_000
"""A step summary of GitHub may have 1 MiB."""
MOST_SCENARIOS = 500
MOST_CRITICAL = 50
LONGEST_NAME = 120
LONGEST_MESSAGE = 300

_LAYERS = (None, "contract", "runtime", "reasoning", "live")
_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()<>#|~^$!&-])")


def write_markdown(store: Store, run: str, file: BinaryIO) -> None:
    """Write a stored run, by its whole id, as Markdown of at most `MOST_BYTES` bytes."""
    plan = store.plan(run)
    room = MOST_BYTES
    for line in _lines(plan, stored_sections(store, run)):
        data = (line + "\n").encode("utf-8")
        room -= len(data)
        if room < 200:
            file.write(b"\nThe rest has no room here; `company-lab report` tells it.\n")
            return
        file.write(data)


def code(text: str) -> str:
    """Text of others as a code span, which holds whatever it says; a bar would end a cell and is spelled out."""
    plain = one_line(text).replace("|", "\\x7c")
    longest = max((len(run) for run in re.findall("`+", plain)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") or not plain.strip() else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def prose(text: str) -> str:
    """A sentence of ours, in which nothing becomes markup either."""
    return _PUNCTUATION.sub(r"\\\1", one_line(text))


def _name(text: str) -> str:
    return code(cut(text, LONGEST_NAME))


def _lines(plan: RunPlan, sections: Iterable[Section]) -> Iterator[str]:
    found = list(sections)
    if len(found) > 1:
        yield f"{len(found)} sections, never pooled.\n"
    for index, section in enumerate(found):
        yield f"## {_sign(section.figures)} {_evidence(section)}\n"
        if index == 0:
            yield _about(plan) + "\n"
            if plan.caveat:
                yield f"**{prose(plan.caveat)}**\n"
        yield from _critical(section)
        yield from _table(section)
        yield from _across(section)
        yield from _failed(section)
        yield from _open(section)
        yield from _unrepeated(section.figures)
    yield prose("pass^k is C(c,k)/C(n,k), pass@k is 1 - C(n-c,k)/C(n,k); for k = 1 both are the rate")
    if any(section.figures.n and section.evidence != "recorded elsewhere" for section in found):
        yield f"\n{prose(NOT_ESTABLISHED)}"
    for evidence in dict.fromkeys(section.evidence for section in found):
        if evidence in NOT_SAID:
            yield f"\n{prose(NOT_SAID[evidence])}"


def _evidence(section: Section) -> str:
    """In words of ours where the kind is known; what a trace made up may not address anybody."""
    said = evidence_line(section)
    ours = section.evidence in EVIDENCE and section.layer in _LAYERS
    return prose(said) if ours else code(cut(said, LONGEST_MESSAGE))


def _sign(figures: Figures) -> str:
    if figures.failed:
        return "❌"
    return "✅" if figures.planned and figures.passed == figures.planned else "❔"


def _about(plan: RunPlan) -> str:
    trials = f"{plan.trials} trial{'' if plan.trials == 1 else 's'}"
    note = f", {code(cut(plan.note, LONGEST_MESSAGE))}" if plan.note else ""
    return (
        f"Run {code(plan.run)}, agent {_name(plan.agent.name)} ({prose(plan.agent.kind)}), "
        f"suite {_name(plan.suite)}, {trials}, seed {plan.seed}{note}"
    )


def _critical(section: Section) -> Iterator[str]:
    figures = section.figures
    if figures.critical:
        classes = ", ".join(f"{prose(name)} {count}" for name, count in figures.critical_counts.items())
        yield f"### Critical failures: {classes}\n"
        listed = list(up_to(MOST_CRITICAL, _spread(alike_critical(figures.critical))))
        for group in listed:
            for one in group.failures:
                records = f" (records {', '.join(map(str, one.evidence[:6]))})" if one.evidence else ""
                yield (
                    f"- {_name(one.scenario)}, {trials_text(group.trials)}: **{prose(one.code)}**, class "
                    f"{prose(one.failure_class)}: {code(cut(one.message, LONGEST_MESSAGE))}, "
                    f"expectation {_name(one.check)}{records}"
                )
        rest = len(figures.critical) - told(listed) + figures.critical_left_out
        if rest:
            yield f"- and {rest:,} more"
        yield ""
    elif section.evidence != "recorded elsewhere":
        yield f"Critical failures: none in {figures.n} scored episodes\n"
    if section.evidence != "recorded elsewhere":
        yield from _listed(bound_lines(figures))


def _spread(groups: Iterable[Alike[CriticalFailure]]) -> list[Alike[CriticalFailure]]:
    """The first of every scenario, then the second, and so on: one that fails often does not hide another."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, Alike[CriticalFailure]]] = []
    for one in groups:
        seen[one.first.scenario] += 1
        ranked.append((seen[one.first.scenario], one))
    return [one for _, one in sorted(ranked, key=lambda entry: entry[0])]


def _listed(lines: Iterable[str]) -> Iterator[str]:
    found = [f"- {prose(line)}" for line in lines]
    if found:
        yield from found
        yield ""


def _table(section: Section) -> Iterator[str]:
    later = section.ks[1:]
    heads = ["scenario", "n/N", "passed", "rate", "Wilson 95 %", *(f"pass\\^{k}" for k in later)]
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    scenarios = section.figures.scenarios
    # Whatever does not always pass comes first: that is what a reader of a short list must see.
    ordered = sorted(scenarios, key=lambda one: one.passed == one.planned)
    for figure in ordered[:MOST_SCENARIOS]:
        yield f"| {' | '.join(_cells(figure, later))} |"
    yield ""
    if len(scenarios) > MOST_SCENARIOS:
        yield f"and {len(scenarios) - MOST_SCENARIOS:,} more scenarios\n"


def _cells(figure: ScenarioFigures, later: Iterable[int]) -> Iterator[str]:
    low_high = "n/a" if figure.wilson is None else prose(" to ".join(map(decimals, figure.wilson)))
    yield _name(figure.scenario)
    yield f"{figure.n}/{figure.planned}"
    yield str(figure.passed)
    yield _estimate(figure.rate, 1)
    yield low_high
    for k in later:
        yield _estimate(figure.pass_k.get(k), k)


def _estimate(estimate: Estimate | None, k: int) -> str:
    if estimate is None:
        return prose(f"n/a (n<{k})")
    if estimate.point is not None:
        return prose(decimals(estimate.point))
    return prose(f"{decimals(estimate.low)} to {decimals(estimate.high)}")


def _across(section: Section) -> Iterator[str]:
    figures = section.figures
    outcomes = ("passed", "failed", "unscored", "invalid", "lost")
    yield f"Episodes: {', '.join(f'{name} {getattr(figures, name)}' for name in outcomes)}\n"
    for k in section.ks:
        power, any_of = figures.mean_pass_k[k], figures.mean_pass_at_k[k]
        if power.value is None:
            yield f"- pass\\^{k} and pass@{k}: {code(power.reason)}"
        else:
            yield f"- pass\\^{k} {_estimate(power.value, k)}, pass@{k} {_estimate(any_of.value, k)}"
    yield from (f"- {prose(line)}" for line in interval_lines(figures, section.ks))
    if figures.all_passed is not None:
        bounds = ", ".join(f"pass^{k} {decimals(bound)}" for k, bound in figures.all_passed.items())
        yield f"- {prose(f'every episode passed; at least, with 95 % confidence: {bounds}')}"
    if figures.errors:
        yield f"- episodes with an error: {figures.errors}, recovered: {figures.recovered}"
    if figures.stops:
        stops = (f"{code(cut(name, LONGEST_NAME))} {count}" for name, count in figures.stops.items())
        yield f"- stop reasons: {', '.join(stops)}"
    yield ""


def _failed(section: Section) -> Iterator[str]:
    if not section.failed:
        return
    yield f"### Failed: {section.figures.failed} of {section.figures.planned} planned episodes\n"
    for cell in section.failed:
        yield f"- {_name(cell.scenario)}, trial {cell.trial}: {prose(', '.join(cell.codes))}"
    if section.figures.failed > len(section.failed):
        yield f"- and {section.figures.failed - len(section.failed):,} more"
    yield ""


def _open(section: Section) -> Iterator[str]:
    figures = section.figures
    total = figures.unscored + figures.invalid + figures.lost
    if not total:
        return
    yield f"### Without a score: {total} of {figures.planned} planned episodes\n"
    for cell in section.open:
        why = code(cut(cell.why, LONGEST_MESSAGE))
        yield f"- {_name(cell.scenario)}, trial {cell.trial}: {cell.state}, {why}"
    if total > len(section.open):
        yield f"- and {total - len(section.open):,} more"
    yield ""


def _unrepeated(figures: Figures) -> Iterator[str]:
    names = figures.unrepeated
    if not names:
        return
    if len(names) == len(figures.scenarios):
        said = "any scenario"
    else:
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        said = ", ".join(map(_name, names[:8])) + more
    yield f"No repeated reliability established for {said}: one trial, or all trials went the same way.\n"
