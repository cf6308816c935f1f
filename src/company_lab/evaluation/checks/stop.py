"""Stop: why the agent stopped."""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place


@dataclass(frozen=True, slots=True)
class StoppedAs:
    """The episode ended for the expected reason; a limit or a crash is never success by itself.

    Who crashed, was restarted and still did not come to that end has left things unresolved.
    """

    place: Place
    reason: str

    def __call__(self, case: Case) -> None:
        stopped = case.index.stopped
        if stopped is None:
            case.findings.undecided(self.place, "the trace ends without saying why the agent stopped")
            return
        reason, detail = stopped.get("reason"), stopped.get("detail")
        if reason != self.reason:
            crashes = case.index.crashes
            after = f", after {len(crashes)} crash{'es' if len(crashes) > 1 else ''}" if crashes else ""
            case.findings.fail(
                self.place,
                "unresolved_after_restart" if crashes else "not_finished",
                f"the agent stopped by {reason}{f' ({detail})' if detail else ''}{after}; expected {self.reason}",
                (*(crash.get("seq", -1) for crash in crashes), stopped.get("seq", -1)),
                found=reason,
                expected=self.reason,
            )
        elif case.findings.explaining:
            case.findings.hold(self.place, f"the agent stopped by {reason}", (stopped.get("seq", -1),))


@dataclass(frozen=True, slots=True)
class NotIdle:
    """The agent did or said something. Without this an empty run would satisfy everything that forbids."""

    place: Place

    def __call__(self, case: Case) -> None:
        index = case.index
        if index.contract or index.stopped is None:
            return
        if not index.attempts and not any(text.text.strip() for text in index.texts):
            case.findings.fail(
                self.place,
                "missing_reply",
                "the agent neither did nor said anything",
                (index.stopped.get("seq", -1),),
                found="nothing",
                expected="an action or a reply",
            )
