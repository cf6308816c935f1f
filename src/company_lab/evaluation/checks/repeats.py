"""Repeats: something sent or paid once more, word for word, because nobody knew that it was done.

A scenario that leaves open how many mails are right can not count them. That the same mail went out a second time after
its first answer was lost, or after a crash, is a duplicate all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Attempt
from company_lab.formats.canonical import canonical
from company_lab.formats.shapes import shown

_KEY = "key"
_COUNTED = frozenset(["duplicate_effect", "action_count"])


@dataclass(frozen=True, slots=True)
class NothingDoneTwiceUnheard:
    """No effect at a provider is repeated with the same arguments after a call that was not heard of, or forgotten.

    To run after the checks that count: what one of these has found already is not said again.
    """

    place: Place

    def __call__(self, case: Case) -> None:
        index = case.index
        effective = [attempt for attempt in index.attempts if attempt.effects and attempt.executed]
        if not index.crashes and all(attempt.delivered for attempt in effective):
            return
        seen: dict[str, Attempt] = {}
        for attempt in effective:
            args = {name: value for name, value in (attempt.args or {}).items() if name != _KEY}
            first = seen.setdefault(f"{attempt.tool} {canonical(args)}", attempt)
            if first is attempt or not self._unknowingly(case, first, attempt):
                continue
            if is_counted_already(case, attempt):
                continue
            case.findings.fail(
                self.place,
                "duplicate_effect",
                f"{attempt.tool} {shown(args, 100)} took effect in {first.call} "
                f"and, word for word, in {attempt.call} again",
                (*first.seqs, *attempt.seqs),
                found=2,
                expected="each effect once",
            )

    @staticmethod
    def _unknowingly(case: Case, first: Attempt, again: Attempt) -> bool:
        """Whether the first answer did not arrive, or the turn was begun again in between."""
        if not first.delivered:
            return True
        return first.turn == again.turn and any(
            first.seq < crash.get("seq", -1) < again.seq for crash in case.index.crashes
        )


def is_counted_already(case: Case, attempt: Attempt) -> bool:
    """Whether a check that counts has already failed over this very call, or an effect of it."""
    seqs = {attempt.seq, *(effect.get("seq", -1) for effect in attempt.effects or ())}
    return any(
        failure.code in _COUNTED and not seqs.isdisjoint(failure.evidence)
        for failure in case.findings.failures
    )
