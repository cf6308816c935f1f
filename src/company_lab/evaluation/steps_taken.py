"""Steps: what an agent did in an episode, in order, as a diagnosis walks over it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from company_lab.formats.canonical import canonical

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An attempt, a reply, or the end of the episode."""

    seq: int
    by: str
    """selector, writer or agent."""
    tool: str = ""
    args: str = ""
    """In one spelling; the raw text where it was unreadable."""
    call: str | None = None
    outcome: str | None = None
    """executed, refused, held, failed or malformed; None where no result is recorded."""
    error: str | None = None
    unanswered: bool = False
    """No answer reached the agent, or the service failed after the fact."""
    last_seq: int = -1
    """The result's record."""

    @property
    def came_to_nothing(self) -> bool:
        """Whether the agent got no result."""
        return self.outcome != "executed" or self.unanswered


class Steps:
    """The steps of one trace, from its records in order of `seq`."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._by_call = {str(step.call): step for step in _attempts(records)}
        self._calls = {seq: str(record["call"]) for seq, record in enumerate(records) if record.get("call")}
        self._kinds = [str(record.get("kind")) for record in records]
        self.attempts = tuple(self._by_call.values())
        self.choices = tuple(seq for seq, kind in enumerate(self._kinds) if kind == "choice")
        speaker = "writer" if self.choices else "agent"
        self.replies = tuple(
            Step(seq=seq, by=speaker) for seq, kind in enumerate(self._kinds) if kind == "reply"
        )
        stopped = next((record for record in reversed(records) if record.get("kind") == "stopped"), {})
        self.stop = str(stopped.get("reason"))
        last = int(stopped.get("seq", max(0, len(records) - 1)))
        self.end = Step(seq=last, by="agent")
        self.last_crash = max((seq for seq, kind in enumerate(self._kinds) if kind == "crash"), default=-1)

    @property
    def last_reply(self) -> Step | None:
        """The last reply, where there is one."""
        return self.replies[-1] if self.replies else None

    @property
    def end_of_turn(self) -> Step:
        """Where the agent said that it was done: its last reply, else the end."""
        return self.last_reply or self.end

    def of(self, seqs: Iterable[int]) -> list[Step]:
        """The attempts that records belong to, in order, each once."""
        calls = dict.fromkeys(self._calls[seq] for seq in sorted(seqs) if seq in self._calls)
        found = [self._by_call[call] for call in calls if call in self._by_call]
        return sorted(found, key=lambda step: step.seq)

    def call_of_effect(self, seq: int) -> Step | None:
        """The attempt behind an effect; None where the record is something else."""
        if 0 <= seq < len(self._kinds) and self._kinds[seq] == "effect":
            return self._by_call.get(self._calls.get(seq, ""))
        return None

    def reply_at(self, seq: int) -> Step | None:
        """The reply of a record; None where it is something else."""
        return next((reply for reply in self.replies if reply.seq == seq), None)

    def after(self, seq: int) -> Step:
        """The first thing the agent did after a record."""
        steps = sorted((*self.attempts, *self.replies), key=lambda step: step.seq)
        return next((step for step in steps if step.seq > seq), self.end)

    def choice_before(self, step: Step) -> int | None:
        """The selector's record that led to a step; None where nobody but the agent chose."""
        earlier = [other.seq for other in (*self.attempts, *self.replies) if other.seq < step.seq]
        since = max(earlier, default=-1)
        return max((seq for seq in self.choices if since < seq < step.seq), default=None)

    def repeats(self, step: Step) -> bool:
        """Whether a step is an earlier one made again with the same arguments."""
        same = (other.seq for other in self.attempts if (other.tool, other.args) == (step.tool, step.args))
        return any(seq < step.seq for seq in same)

    def first_repeat(self) -> Step | None:
        """The first attempt that repeats an earlier one with the same arguments."""
        seen: set[tuple[str, str]] = set()
        for step in self.attempts:
            if (step.tool, step.args) in seen:
                return step
            seen.add((step.tool, step.args))
        return None

    def first_unrecovered(self) -> Step | None:
        """The first attempt that came to nothing and whose tool never succeeded afterwards.

        One that is held waits for somebody else, which may be all that can be done.
        """
        for step in self.attempts:
            if not step.came_to_nothing or step.outcome == "held":
                continue
            later = (other for other in self.attempts if other.seq > step.seq and other.tool == step.tool)
            if all(other.came_to_nothing for other in later):
                return step
        return None


def _attempts(records: Sequence[Record]) -> list[Step]:
    results = {str(record.get("call")): record for record in records if record.get("kind") == "result"}
    found = []
    for record in records:
        if record.get("kind") != "action":
            continue
        result: Record = results.get(str(record.get("call")), {})
        error = result.get("error")
        args = record.get("args")
        found.append(
            Step(
                seq=int(record["seq"]),
                by=str(record.get("by") or "agent"),
                tool=str(record.get("tool")),
                args=str(record.get("supplied")) if args is None else canonical(args),
                call=str(record.get("call")),
                outcome=result.get("outcome"),
                error=error.get("code") if isinstance(error, Mapping) else None,
                unanswered=result.get("delivery", "delivered") != "delivered",
                last_seq=int(result.get("seq", record["seq"])),
            )
        )
    return found
