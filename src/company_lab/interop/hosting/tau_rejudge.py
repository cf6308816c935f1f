"""Recorded tau-bench runs judged again: their calls are carried out anew on the data of a checkout.

A run costs what it touches, not what the data hold: tables are copied on write, the state that the reference actions
leave is found once for each task, and only records that were touched are compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from company_lab.evaluation import Failure, Note, Verdict
from company_lab.formats.canonical import Json
from company_lab.interop.hosting.tau_checkout import TauDomain, TauTask
from company_lab.interop.tau_bench import TauEpisode

CHECK = "reward by replaying the recorded calls"
STEP_LIMIT = "the step limit of the recording suite ended the run before it was evaluated"
_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What came of a run when its calls were carried out again."""

    reward: int
    unlike: tuple[str, ...]
    """Records that differ from what the reference actions leave."""
    unsaid: tuple[str, ...]
    """Required outputs that no reply holds."""
    evaluated: bool
    """False where the step limit ended the run: it has no reward then, whatever the data say."""


def replay(domain: TauDomain, run: Mapping[str, Any]) -> Replayed:
    """Judge one recorded run by the data its calls leave and by what was replied. Nothing is kept of it."""
    task = TauTask.of(f"task_{run['task_id']}", run["info"]["task"])
    data, replies = domain.open(), []
    for call in steps_of(run["traj"]):
        if isinstance(call, str):
            replies.append(call)
        else:
            domain.invoke(data, *call)
    unlike, unsaid = domain.unlike(task, data), domain.unsaid(task, replies)
    evaluated = run["info"].get("reward_info") is not None
    return Replayed(
        reward=int(evaluated and not unlike and not unsaid),
        unlike=tuple(unlike),
        unsaid=tuple(unsaid),
        evaluated=evaluated,
    )


def steps_of(messages: Sequence[Mapping[str, Any]]) -> Iterator[str | tuple[str, dict[str, Any]]]:
    """What the agent did, in order: replies, and calls of tools. Of several calls in a message only the first ran."""
    for message in messages:
        if message.get("role") != "assistant":
            continue
        calls = message.get("tool_calls")
        if calls:
            asked = calls[0]["function"]
            yield str(asked["name"]), _arguments(asked.get("arguments"))
        elif isinstance(message.get("content"), str):
            yield message["content"]


def _arguments(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(slots=True)
class Rejudging:
    """Judges recorded runs again, and keeps where the recorded reward says otherwise."""

    domain: TauDomain
    judged_runs: int = 0
    differing: list[tuple[str, int, int, int]] = field(default_factory=list)
    """Task, trial, the recorded reward, and ours."""

    def judged(self, episode: TauEpisode) -> TauEpisode:
        """The episode with the verdict of a replay."""
        run: Any = episode.source
        replayed = replay(self.domain, run)
        self.judged_runs += 1
        if replayed.reward != run["reward"]:
            self.differing.append((episode.task, episode.trial, int(run["reward"]), replayed.reward))
        return replace(episode, verdict=verdict_of(replayed, len(episode.trace) - 1))

    def lines(self) -> Iterator[str]:
        """What a report says of it."""
        same = self.judged_runs - len(self.differing)
        yield (
            f"judged again on the data of {self.domain.name}: {same} of {self.judged_runs} verdicts are those "
            "that were recorded"
        )
        for task, trial, recorded, ours in self.differing[:_LISTED]:
            yield f"  {task} trial {trial}: recorded {recorded}, {ours} when its calls are carried out again"

    def to_json(self) -> Json:
        """As a JSON object."""
        return {
            "domain": self.domain.name,
            "runs": self.judged_runs,
            "differing": [
                {"task": task, "trial": trial, "recorded": recorded, "here": ours}
                for task, trial, recorded, ours in self.differing
            ],
        }


def verdict_of(replayed: Replayed, end: int) -> Verdict:
    """The replay as a verdict about the imported trace, whose last record is `end`."""
    if not replayed.evaluated:
        return _failed("not_finished", STEP_LIMIT, (end,), [])
    if replayed.unlike:
        listed = replayed.unlike[:_LISTED]
        message = f"the calls leave other records than the reference actions: {', '.join(listed)}"
        return _failed("state_mismatch", message, (), list[Json](listed))
    if replayed.unsaid:
        message = f"no reply said {', '.join(replayed.unsaid)}, as the suite asks"
        return _failed("missing_reply", message, (), list[Json](replayed.unsaid))
    held = Note(check=CHECK, message="the calls leave what the reference actions leave")
    return Verdict(outcome="passed", held=(held,))


def _failed(code: str, message: str, evidence: tuple[int, ...], found: list[Json]) -> Verdict:
    failure = Failure(
        code=code, severity="major", check=CHECK, message=message, evidence=evidence, found=found or None
    )
    return Verdict(outcome="failed", failures=(failure,))
