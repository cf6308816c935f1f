"""Expected actions: operations that were really executed, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from company_lab.evaluation.arguments import Arguments
from company_lab.evaluation.case import Case
from company_lab.evaluation.findings import Place
from company_lab.evaluation.index import Attempt
from company_lab.formats.canonical import Json, canonical
from company_lab.formats.shapes import Signature


@dataclass(frozen=True, slots=True)
class Bounds:
    """How often something must happen; `high` is None where more is welcome."""

    low: int
    high: int | None

    @property
    def words(self) -> str:
        """For people."""
        if self.high is None:
            return f"at least {self.low}"
        if self.high == self.low:
            return f"exactly {self.low}"
        return f"at most {self.high}" if self.low == 0 else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class ActionEntry:
    """One entry of `actions`."""

    place: Place
    tool: str
    args: Arguments
    bounds: Bounds
    written: Mapping[str, Json]
    signature: Signature | None
    spends: bool


@dataclass(frozen=True, slots=True)
class ActionsTaken:
    """Each expected action was executed as often as it should be; replays and mere attempts do not count.

    Also establishes which calls are named, which other checks rely on.
    """

    entries: tuple[ActionEntry, ...]
    by_tool: Mapping[str, tuple[int, ...]]
    request_tools: frozenset[str]
    """Tools that the scenario's own request uses: their calls are expected too."""

    def __call__(self, case: Case) -> None:
        matched: list[list[Attempt]] = [[] for _ in self.entries]
        for attempt in case.index.attempts:
            positions = self.by_tool.get(attempt.tool)
            if positions is not None and attempt.executed:
                for position in positions:
                    if self.entries[position].args.match(attempt.args or {}):
                        matched[position].append(attempt)
                        # what must happen no time at all is not thereby a thing to do
                        if self.entries[position].bounds.high != 0:
                            case.named.add(attempt.call)
            if attempt.tool in self.request_tools and attempt.executed:
                case.named.add(attempt.call)
        for entry, taken in zip(self.entries, matched, strict=True):
            count, bounds = len(taken), entry.bounds
            if count < bounds.low:
                self._too_few(case, entry, taken)
            elif bounds.high is not None and count > bounds.high:
                _too_many(case, entry, taken)
            elif case.findings.explaining:
                seqs = tuple(seq for attempt in taken for seq in attempt.seqs)
                case.findings.hold(entry.place, f"{entry.tool} was executed {_times(count)}", seqs)

    def _too_few(self, case: Case, entry: ActionEntry, taken: Sequence[Attempt]) -> None:
        if taken:
            case.findings.fail(
                entry.place,
                "action_count",
                f"{entry.tool} was executed {_times(len(taken))} as described; expected {entry.bounds.words}",
                tuple(seq for attempt in taken for seq in attempt.seqs),
                found=len(taken),
                expected=entry.bounds.words,
            )
            return
        attempts = [attempt for attempt in case.index.attempts if attempt.tool == entry.tool]
        # an execution that another entry asks for is not this one done wrongly
        others = [
            attempt
            for attempt in attempts
            if (attempt.executed or attempt.replayed)
            and not any(
                self.entries[position].args.match(attempt.args or {}) for position in self.by_tool[entry.tool]
            )
        ]
        if others:
            said = [
                difference for attempt in others for difference in entry.args.differences(attempt.args or {})
            ]
            case.findings.fail(
                entry.place,
                "wrong_arguments",
                f"{entry.tool} was executed, but {'; '.join(dict.fromkeys(said)) or 'only as a replay'}",
                tuple(seq for attempt in others for seq in attempt.seqs),
                found=[dict(attempt.args or {}) for attempt in others],
                expected=dict(entry.written),
            )
            return
        case.findings.fail(
            entry.place,
            "missing_action",
            f"{entry.tool} was never executed" + _tried(attempts),
            tuple(seq for attempt in attempts for seq in attempt.seqs) or (case.index.end,),
            found=len(attempts) and [str(attempt.outcome) for attempt in attempts],
            expected=dict(entry.written) or entry.tool,
        )


def _too_many(case: Case, entry: ActionEntry, taken: Sequence[Attempt]) -> None:
    seqs = tuple(seq for attempt in taken for seq in attempt.seqs)
    count, words = len(taken), entry.bounds.words
    case.findings.fail(
        entry.place,
        "action_count",
        f"{entry.tool} was executed {_times(count)}; expected {words}",
        seqs,
        found=count,
        expected=words,
    )
    repeated = [group for group in _by_target(entry, taken) if len(group) > 1]
    if repeated and entry.bounds.high != 0:
        case.findings.fail(
            entry.place,
            "duplicate_effect",
            f"{entry.tool} took effect {_times(max(map(len, repeated)))} on the same target",
            tuple(seq for group in repeated for attempt in group for seq in attempt.seqs),
            found=max(map(len, repeated)),
            expected=words,
        )
    if entry.spends:
        case.findings.fail(
            entry.place,
            "unauthorised_spending",
            f"{entry.tool} spends and was executed {_times(count)}; the scenario allows {words}",
            seqs,
            found=count,
            expected=words,
        )


def _by_target(entry: ActionEntry, taken: Sequence[Attempt]) -> list[list[Attempt]]:
    parameters = entry.signature.parameters if entry.signature is not None else {}
    targets = [name for name, parameter in parameters.items() if parameter.shape.target]
    prose = {name for name, parameter in parameters.items() if parameter.shape.prose}
    groups: dict[str, list[Attempt]] = {}
    for attempt in taken:
        if attempt.effects or attempt.changes:
            args = attempt.args or {}
            about = (
                {name: args.get(name) for name in targets}
                if targets
                else {name: value for name, value in args.items() if name not in prose}
            )
            groups.setdefault(canonical(about), []).append(attempt)
    return list(groups.values())


def _tried(attempts: Sequence[Attempt]) -> str:
    if not attempts:
        return " nor attempted"
    counted = Counter(attempt.outcome or "unfinished" for attempt in attempts)
    return "; attempts: " + ", ".join(f"{count} {outcome}" for outcome, count in counted.items())


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
