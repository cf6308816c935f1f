"""What a file of recorded trajectories says, gathered in one pass over it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from company_lab.evaluation.figures import EpisodeSummary, Figures, figures, summarise
from company_lab.formats.canonical import canonical
from company_lab.interop.chat import Finding
from company_lab.interop.tau_bench import TauEpisode
from company_lab.runs.packing import text_digest
from company_lab.runs.plan import Cell
from company_lab.traces.record import Trace

MOST_FINDINGS = 1000
"""Findings are kept up to here and counted beyond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFinding:
    """A finding and the run it is about."""

    task: str
    trial: int
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Everything the report of an import says. Memory: a summary of each run, and the findings."""

    digest: str
    """SHA-256 over the runs in canonical spelling: line ends and the order of keys do not matter."""
    cells: tuple[Cell, ...]
    """Planned: every task times every trial number of the file, in the order of the file's tasks."""
    present: tuple[Cell, ...]
    tasks: dict[str, str]
    """Digest of the task by its name."""
    prompts: tuple[str, ...]
    """Digests of the prompts, each once, as a store keeps them."""
    figures: Figures
    calls: int
    error_results: int
    tools: dict[str, int]
    """Calls by tool, the most used first."""
    repeated: dict[str, int]
    """By tool: calls with arguments that the same tool had been called with before in the episode."""
    repeating_episodes: int
    findings: tuple[PlacedFinding, ...]
    finding_counts: dict[str, int]

    @property
    def missing(self) -> tuple[Cell, ...]:
        """Planned cells that the file does not have."""
        present = set(self.present)
        return tuple(cell for cell in self.cells if cell not in present)

    @property
    def trials(self) -> int:
        """Planned trials of each task."""
        return len({cell.trial for cell in self.cells})

    @property
    def complete(self) -> bool:
        """Whether every task has every trial, so that figures exist."""
        return len(self.present) == len(self.cells)


def survey(episodes: Iterable[TauEpisode]) -> Survey:
    """Gather figures and findings. Raises what reading the file raises."""
    total = hashlib.sha256()
    summaries: list[EpisodeSummary] = []
    tasks: dict[str, str] = {}
    prompts: dict[str, None] = {}
    tools: Counter[str] = Counter()
    repeated: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    findings: list[PlacedFinding] = []
    repeating = error_results = 0
    for episode in episodes:
        total.update(canonical(episode.source).encode("ascii"))
        tasks[episode.task] = episode.task_digest
        prompts[text_digest(episode.prompt)] = None
        summaries.append(summarise(episode.trace, episode.verdict))
        tools.update(action["tool"] for action in episode.trace.by_kind("action"))
        again = _repeated(episode.trace)
        repeated.update(again)
        repeating += bool(again)
        error_results += sum(_is_error(result) for result in episode.trace.by_kind("result"))
        counts.update(finding.kind for finding in episode.findings)
        room = MOST_FINDINGS - len(findings)
        findings += [
            PlacedFinding(task=episode.task, trial=episode.trial, finding=finding)
            for finding in episode.findings[:room]
        ]
    present = tuple(Cell(summary.scenario, summary.trial) for summary in summaries)
    numbers = sorted({cell.trial for cell in present})
    trials = range(numbers[0], numbers[-1] + 1)
    planned = dict.fromkeys(tasks, len(trials))
    return Survey(
        digest=total.hexdigest(),
        cells=tuple(Cell(task, trial) for task in tasks for trial in trials),
        present=present,
        tasks=tasks,
        prompts=tuple(prompts),
        figures=figures(summaries, planned, tuple(trials_up_to(len(trials)))),
        calls=tools.total(),
        error_results=error_results,
        tools=dict(tools.most_common()),
        repeated=dict(repeated.most_common()),
        repeating_episodes=repeating,
        findings=tuple(findings),
        finding_counts=dict(counts.most_common()),
    )


def trials_up_to(trials: int) -> range:
    """Every k for which pass^k is given."""
    return range(1, min(trials, MOST_K) + 1)


MOST_K = 16


def _repeated(trace: Trace) -> Counter[str]:
    seen: set[tuple[str, str]] = set()
    again: Counter[str] = Counter()
    for action in trace.by_kind("action"):
        if action["args"] is None:
            continue
        call = (action["tool"], canonical(action["args"]))
        if call in seen:
            again[action["tool"]] += 1
        seen.add(call)
    return again


def _is_error(result: dict[str, Any]) -> bool:
    return result["outcome"] in ("failed", "malformed")
