"""Under way: one execution of a plan, with what is still to be played and what came of the rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from company_lab.evaluation.figures import EpisodeSummary, summarise
from company_lab.runs.budget import Budget, Spending
from company_lab.runs.crew import Crew, Lost
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.interruption import Interruption
from company_lab.runs.plan import Cell, RunPlan
from company_lab.runs.playing import Todo
from company_lab.runs.reading import Status
from company_lab.runs.redacting import redacted_episode
from company_lab.runs.store import Store
from company_lab.runs.waiting import Deferred, Later, Patience
from company_lab.runs.writing import repeatable
from company_lab.scenarios.model import Scenario
from company_lab.traces.redaction import Redaction

_DEATHS_TOLD = 10
_PRINTED = frozenset(["stdout", "stderr"])
"""Timings that hold what an agent's process printed, which no rule redacts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is, after the episode in `latest`."""

    done: int
    planned: int
    failed: int
    unscored: int
    """Episodes without a score: unscored or invalid ones, such as those an outage ended."""
    cost_usd: Decimal
    """What the episodes so far reported."""
    unpriced: int
    """Episodes of unknown cost."""
    again: int
    """Attempts that an outage ended and that another one follows."""
    latest: EpisodeSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How playing ended."""

    status: Status
    reason: str = ""
    """Why cells were left out, where it was not a person who stopped it."""
    died: int = 0
    """Episodes that were lost with the process that played them."""
    deaths: tuple[str, ...] = ()
    """How the first of them were lost, each with its cell."""
    unasked: tuple[str, ...] = ()
    """Hosts with a rate to which no request was announced, so that nothing limited it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacting:
    """The rules every episode is redacted by before it is stored, and the scenarios by id."""

    rules: Redaction
    scenarios: Mapping[str, Scenario]

    def __call__(self, episode: StoredEpisode) -> StoredEpisode:
        redacted = redacted_episode(self.rules, episode, self.scenarios[episode.scenario])
        timings = {name: value for name, value in redacted.timings.items() if name not in _PRINTED}
        return replace(redacted, timings=timings)


class UnderWay:
    """One execution of a plan."""

    def __init__(
        self,
        plan: RunPlan,
        todo: Iterable[Todo],
        store: Store,
        interruption: Interruption,
        *,
        budget: Budget,
        patience: Patience,
        redacting: Redacting | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self._plan = plan
        self._todo = deque(todo)
        self._deferred = Deferred()
        self._store = store
        self._interruption = interruption
        self._spending = Spending(budget)
        self._patience = patience
        self._redacting = redacting
        self._progress = progress
        self._planned = len(self._todo)
        self._handed_out = 0
        self._done = self._failed = self._unscored = self._died = self._again = 0
        self._deaths: list[str] = []
        self._displaced: dict[Cell, tuple[StoredEpisode, ...]] = {}
        """Attempts that the lab itself ended, until the one that takes their place is stored with them."""

    def by(self, hands: Crew) -> Ending:
        """Let a crew play, until nothing is left or something stops it."""
        try:
            self._interruption.playing()
            hands.play(self._next_job, self._take)
            self._interruption.storing()
        except KeyboardInterrupt:
            self._interruption.storing()
            return self._ending("interrupted")
        reason = (self._spending.used_up() or "") if self._todo or self._deferred else ""
        return self._ending("stopped" if reason else "finished", reason)

    def _ending(self, status: Status, reason: str = "") -> Ending:
        return Ending(status=status, reason=reason, died=self._died, deaths=tuple(self._deaths))

    def _next_job(self) -> Todo | Later | None:
        if self._interruption.asked:  # a crew may sit on another thread, where nothing interrupts it
            raise KeyboardInterrupt
        if self._spending.used_up(under_way=self._handed_out) is not None:
            return None
        due = self._deferred.next()
        job = self._todo.popleft() if self._todo and not isinstance(due, Todo) else due
        if isinstance(job, Todo):
            self._handed_out += 1
        return job

    def _take(self, job: Todo, episode: StoredEpisode | Lost) -> None:
        self._interruption.storing()
        if self._interruption.asked:  # an agent may go on after it: what it did then is no evidence
            raise KeyboardInterrupt
        self._handed_out -= 1
        if isinstance(episode, Lost):
            self._died += 1
            if len(self._deaths) < _DEATHS_TOLD:
                self._deaths.append(f"{job.cell.scenario} trial {job.cell.trial}: {episode.how}")
        else:
            if self._redacting is not None:
                episode = self._redacting(episode)
            before = self._displaced.pop(job.cell, ())
            if _without_consequence(episode):
                self._displaced[job.cell] = (*before, episode)
                self._play_again(job, summarise(episode.trace, episode.verdict), 0.0)
            else:
                self._keep(job, episode, self._store.add(self._plan.run, episode, after=before))
        self._interruption.playing()

    def _play_again(self, job: Todo, summary: EpisodeSummary, seconds: float) -> None:
        self._spending.add(summary)
        self._deferred.add(Todo(job.cell, job.attempt + 1), seconds)
        self._again += 1

    def _keep(self, job: Todo, episode: StoredEpisode, summary: EpisodeSummary) -> None:
        seconds = self._seconds_until_next(job, episode)
        if seconds is not None and repeatable(summary.stop, summary.outcome):
            self._play_again(job, summary, seconds)
            return
        self._spending.add(summary)
        self._done += 1
        self._failed += summary.outcome == "failed"
        self._unscored += summary.outcome not in ("passed", "failed")
        if self._progress is not None:
            self._progress(
                Progress(
                    done=self._done,
                    planned=self._planned,
                    failed=self._failed,
                    unscored=self._unscored,
                    cost_usd=self._spending.cost_usd,
                    unpriced=self._spending.unpriced,
                    again=self._again,
                    latest=summary,
                )
            )

    def _seconds_until_next(self, job: Todo, episode: StoredEpisode) -> float | None:
        """When an attempt that an outage ended may be repeated; None where there have been enough."""
        if job.attempt >= self._plan.attempts:
            return None
        asked = episode.timings.get("retry_after_s")
        return self._patience.before(job.attempt + 1, asked_s=asked if isinstance(asked, float) else None)


def _without_consequence(episode: StoredEpisode) -> bool:
    """Whether an attempt was ended by the lab's own doing, which whoever plays bounds, and harmed nobody."""
    return bool(episode.timings.get("displaced")) and repeatable(episode.trace.stop, episode.verdict.outcome)
