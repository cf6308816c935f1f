"""Figures over recorded episodes: per task, then across tasks where nothing is missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from company_lab.evaluation import pass_k
from company_lab.evaluation.texts.folding import contains_phrase
from company_lab.formats.canonical import Json, canonical, same
from company_lab.formats.hostile import cut
from company_lab.interop.short_form import AUTHORED, Goal, Recorded

Success = Literal["success", "failure", "not counted"]

OUTAGES = frozenset({"infrastructure_error", "cancelled"})
"""Stop reasons that say nothing about the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One episode with its outcome and the reasons for anything but success."""

    task: str
    trial: int
    outcome: Success
    reasons: tuple[str, ...]
    stop: str
    calls: int
    error: bool
    evidence: str
    where: str
    trajectory: str
    critical: tuple[str, ...] = ()
    """Critical failures, in words; only scenarios tell them from others."""

    @property
    def recovered(self) -> bool:
        """Some result was an error, and the episode succeeded all the same."""
        return self.error and self.outcome == "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskScore:
    """The episodes of one task: c of n, out of N planned."""

    task: str
    planned: int
    trials: int
    successes: int
    missing: tuple[int, ...]
    """Trials that other tasks have, or that lie between two that are there."""
    uncounted: tuple[int, ...]
    """Trials ended by an outage, or that could not be judged."""
    repeated: bool
    """Whether anything about repeated reliability is established: not by one trial, nor by identical ones."""

    @property
    def complete(self) -> bool:
        """Whether every planned trial counts, and there is one."""
        return self.trials == self.planned > 0

    def pass_k(self, k: int) -> float | None:
        """C(c,k)/C(n,k), or None where k exceeds n or a trial is missing."""
        if not self.complete or k > self.trials:
            return None
        return pass_k(successes=self.successes, trials=self.trials, k=k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The episodes of one kind of evidence. Kinds are never pooled."""

    claimed: str
    """What the files themselves say their episodes are evidence of; empty where they say nothing."""
    episodes: tuple[Judged, ...]
    tasks: tuple[TaskScore, ...]

    @property
    def authored(self) -> bool:
        """Whether somebody wrote the episodes by hand."""
        return self.claimed in AUTHORED

    @property
    def complete(self) -> bool:
        """Whether the figures across tasks exist."""
        return all(task.complete for task in self.tasks)

    @property
    def planned(self) -> int:
        """N: every task times every trial number."""
        return sum(task.planned for task in self.tasks)

    @property
    def successes(self) -> int:
        """Successful episodes of all tasks."""
        return sum(task.successes for task in self.tasks)

    @property
    def largest_k(self) -> int:
        """The smallest number of trials of a task: pass^k is defined up to here."""
        return min((task.trials for task in self.tasks), default=0)

    def pass_k(self, k: int) -> float | None:
        """The plain mean over tasks, or None unless every task has the figure."""
        figures = [task.pass_k(k) for task in self.tasks]
        known = [figure for figure in figures if figure is not None]
        return fmean(known) if known and len(known) == len(figures) else None


def judge_recorded(episode: Recorded, goal: Goal) -> Judged:
    """Success: finished, the final equal to the goal as a whole, the required text in the reply."""
    reasons = []
    if episode.stop != "finished":
        reasons.append(f"stopped: {episode.stop}")
    if not same(goal.goal, episode.final):
        reasons.append(f"final is not the goal: {_difference(goal.goal, episode.final, '')}")
    if episode.reply is None or not episode.reply.strip():
        reasons.append("the reply is missing" if episode.reply is None else "the reply is empty")
    elif not contains_phrase(episode.reply, goal.required):
        reasons.append(f"the reply does not contain {goal.required!r}")
    outage = episode.stop in OUTAGES
    return Judged(
        task=episode.task,
        trial=episode.trial,
        outcome="not counted" if outage else "failure" if reasons else "success",
        reasons=tuple(reasons),
        stop=episode.stop,
        calls=episode.calls,
        error=episode.error,
        evidence=episode.evidence,
        where=episode.where,
        trajectory=episode.trajectory,
    )


def parts_of(episodes: Iterable[Judged], tasks: Iterable[str]) -> tuple[Part, ...]:
    """Figures for each kind of evidence. `tasks` have a goal: one without episodes is missing."""
    by_kind: dict[str, list[Judged]] = {}
    for episode in episodes:
        by_kind.setdefault(_claim(episode.evidence), []).append(episode)
    seen = {episode.task for group in by_kind.values() for episode in group}
    unplayed = [task for task in tasks if task not in seen]
    kinds = sorted(by_kind, key=lambda claim: (claim not in AUTHORED, claim))
    return tuple(_part(claim, by_kind[claim], unplayed) for claim in kinds)


def _claim(evidence: str) -> str:
    if evidence in AUTHORED:
        return "authored"
    return "" if evidence == "recorded elsewhere" else evidence


def _part(claim: str, episodes: Sequence[Judged], unplayed: Sequence[str]) -> Part:
    numbers = [episode.trial for episode in episodes]
    planned = range(min(numbers), max(numbers) + 1)
    by_task: dict[str, list[Judged]] = {}
    for episode in episodes:
        by_task.setdefault(episode.task, []).append(episode)
    by_task.update((task, []) for task in unplayed)
    return Part(
        claimed=claim,
        episodes=tuple(episodes),
        tasks=tuple(_task(task, by_task[task], planned) for task in sorted(by_task)),
    )


def _task(task: str, episodes: Sequence[Judged], planned: Iterable[int]) -> TaskScore:
    there = {episode.trial for episode in episodes}
    uncounted = tuple(sorted(episode.trial for episode in episodes if episode.outcome == "not counted"))
    numbers = set(planned) | there
    return TaskScore(
        task=task,
        planned=len(numbers),
        trials=len(episodes) - len(uncounted),
        successes=sum(episode.outcome == "success" for episode in episodes),
        missing=tuple(sorted(numbers - there)),
        uncounted=uncounted,
        repeated=len({episode.trajectory for episode in episodes if episode.outcome != "not counted"}) > 1,
    )


def _difference(goal: Json | Mapping[str, Json], final: Json, path: str) -> str:
    """The first place where two values differ."""
    if isinstance(goal, Mapping) and isinstance(final, Mapping):
        for key in (*goal, *(key for key in final if key not in goal)):
            place = f"{path}.{key}" if path else str(key)
            if key not in final:
                return f"{place} is absent"
            if key not in goal:
                return f"{place} is {_short(final[key])}, and the goal has no such key"
            if not same(goal[key], final[key]):
                return _difference(goal[key], final[key], place)
    return f"{path or 'it'} is {_short(final)}, not {_short(goal)}"


def _short(value: object) -> str:
    return cut(canonical(value), 80)
