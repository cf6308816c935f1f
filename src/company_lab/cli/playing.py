"""Playing a plan in sight of the user, then telling what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from company_lab.agents.pacing import Rate
from company_lab.cli.exits import ExitCode, exit_code
from company_lab.cli.expecting import spelled, told
from company_lab.cli.progress import emit, watching
from company_lab.cli.report import write_form
from company_lab.cli.say import counted, note, say
from company_lab.cli.verbosity import verbosity
from company_lab.episodes.confined import Confinement
from company_lab.library import print_report
from company_lab.reports.forms import form_named
from company_lab.runs import Casting, Ending, RunPlan, Store, execute
from company_lab.runs.budget import Budget
from company_lab.runs.estimate import Estimate, estimate
from company_lab.runs.place import store_words
from company_lab.runs.playing import Todo


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """How a plan is played and told of; nothing of it changes what comes out."""

    workers: int
    processes: int | None
    isolation: Confinement | None
    rates: Mapping[str, Rate]
    budget: Budget
    rules: bool
    """Whether the rules are read over the stored episodes afterwards."""
    junit: Path | None = None
    """Where the run is written as JUnit XML afterwards, whatever came of it."""
    quiet: bool
    json_lines: bool

    @property
    def hands(self) -> int:
        """Episodes at once."""
        return self.processes or self.workers


def play_and_report(
    plan: RunPlan, castings: Sequence[Casting], store: Store, todo: Sequence[Todo] | None, means: Means
) -> ExitCode:
    """Play a plan that the store has begun, or what is in `todo`, and report the whole run."""
    cells = plan.cells if todo is None else [job.cell for job in todo]
    episodes = len(cells)
    expected = estimate(store, plan, cells[: means.budget.episodes], hands=means.hands)
    _announce(plan, store, episodes, len(castings), means, expected)
    with watching(
        episodes, quiet=means.quiet, json_lines=means.json_lines, every=verbosity.verbose
    ) as progress:
        ending = execute(
            plan,
            castings,
            store,
            cells=todo,
            workers=means.workers,
            processes=means.processes,
            isolation=means.isolation,
            rates=means.rates,
            budget=means.budget,
            begun=progress.begin,
            progress=progress,
        )
    outcomes = store.entry(plan.run).outcomes
    code = exit_code(outcomes, len(plan.cells), interrupted=ending.status == "interrupted")
    if means.json_lines:
        emit(
            {
                "kind": "end",
                "run": plan.run,
                "status": ending.status,
                "reason": ending.reason,
                "outcomes": dict(outcomes),
                "planned": len(plan.cells),
                "exit": int(code),
            }
        )
    else:
        print_report(store, plan)
        if means.rules:
            _tell_rules(store, plan)
        for line in _cut_short(plan, ending, store_words(store.path)):
            say(line)
        say(f"Run {plan.run} is stored in {store.path}")
    if means.junit is not None:  # last, so that a file that can not be written takes no report with it
        write_form(store, plan.run, form_named("junit"), means.junit)
    return code


def _tell_rules(store: Store, plan: RunPlan) -> None:
    from company_lab.reports.console import show
    from company_lab.reports.rule_readings import rules_of_run, run_section

    show(run_section(rules_of_run(store, plan.run), plan.run, at=store_words(store.path)))


def _announce(
    plan: RunPlan, store: Store, episodes: int, scenarios: int, means: Means, expected: Estimate
) -> None:
    if means.json_lines:
        emit(
            {
                "kind": "run",
                "format": 1,
                "run": plan.run,
                "store": str(store.path),
                "evidence": list(plan.evidence),
                "agent": plan.agent.name,
                "planned": len(plan.cells),
                "episodes": episodes,
                "estimate": {
                    "episodes": expected.episodes,
                    "known": expected.known,
                    "rests_on": expected.rests_on,
                    "wall_s": None if expected.wall_s is None else round(expected.wall_s, 1),
                    "cost_usd": None if expected.cost_usd is None else spelled(expected.cost_usd),
                },
            }
        )
    elif not means.quiet:
        rest = "" if episodes == len(plan.cells) else f" of {len(plan.cells):,} still to be played"
        note(f"run {plan.run}: {counted(episodes, 'episode')}{rest}, {counted(scenarios, 'scenario')}")
        if episodes:
            note(told(expected))


def _cut_short(plan: RunPlan, ending: Ending, at: str) -> Iterator[str]:
    if ending.died:
        yield f"Lost: {counted(ending.died, 'episode')} whose process ended; --isolate judges what was done until then"
        for death in ending.deaths:
            yield f"  {death}"
        if ending.died > len(ending.deaths):
            yield f"  and {ending.died - len(ending.deaths):,} more"
    for host in ending.unasked:
        yield f"The rate of {host} limited nothing: no request was announced with session.pace({host!r})"
    if ending.status == "interrupted":
        yield "Interrupted: what was finished is stored"
    elif ending.status == "stopped":
        yield f"Stopped: {ending.reason}"
    if ending.died or ending.status != "finished":
        yield f"`company-lab run --resume {plan.run}{at}` plays the rest"
