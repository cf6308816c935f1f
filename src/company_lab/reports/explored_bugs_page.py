"""The page of the explored bank: which schedule shows which bug, with the counts of a prototype beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from company_lab.probing.explore.bank import ExploredBug
from company_lab.reports.exploration import schedule_in_words

PROTOTYPE: Mapping[str, tuple[tuple[int, int], tuple[int, int]]] = MappingProxyType(
    {
        "correct": ((0, 21), (0, 291)),
        "journal_without_look_up": ((0, 21), (8, 283)),
        "keys_only": ((0, 21), (11, 373)),
        "one_retry": ((0, 21), (20, 283)),
        "no_keys": ((15, 21), (350, 373)),
        "new_key_after_restart": ((8, 21), (180, 283)),
        "marks_done_first": ((4, 21), (66, 223)),
        "looks_then_acts": ((4, 53), (219, 1659)),
        "webhook_memory_only": ((7, 13), (119, 141)),
        "order_ignored": ((1, 8), (10, 52)),
    }
)
"""Failing and all episodes with at most one and at most two faults in an earlier prototype of the method."""
_WORDS = {"single": "one fault", "pair": "two faults", None: "nothing"}


def explored_bugs_page(explored: Sequence[ExploredBug], *, command: str) -> str:
    """The page as Markdown. `command` says how it was made."""
    return "\n".join([*_head(command), *_counts(explored), *_shown(explored), *_differences()]) + "\n"


def _head(command: str) -> Iterator[str]:
    yield "# Agents with known bugs, explored"
    yield ""
    yield (
        "Deterministic simulation: scripted agents with one bug each, every one of them under every single fault and "
        "every pair of faults. Nothing here says anything about a model. How it is done stands in "
        "[exploration](explore.md), what the agents do in [crashes and restarts](restarts.md)."
    )
    yield f"This page is made by `{command}`."
    yield ""


def _counts(explored: Sequence[ExploredBug]) -> Iterator[str]:
    yield (
        "Failing of scored episodes with at most one fault and with at most two, the episode without a fault included. "
        "A schedule that came to a known state, or of which a fault changed nothing, is not counted."
    )
    yield ""
    yield "| agent | must be found by | found by | one fault | of a prototype | two faults | of a prototype |"
    yield "|---|---|---|---|---|---|---|"
    for one in explored:
        theirs = PROTOTYPE.get(one.bug.name)
        columns = [
            f"`{one.bug.name}`",
            _WORDS[one.bug.found_by],
            _WORDS[one.found_by],
            _share(one.failing(1)),
            _share(theirs[0]) if theirs else "",
            _share(one.failing(2)),
            _share(theirs[1]) if theirs else "",
        ]
        yield f"| {' | '.join(columns)} |"
    yield ""


def _shown(explored: Sequence[ExploredBug]) -> Iterator[str]:
    yield "## What shows them"
    yield ""
    yield "The schedules are 1-minimal: without any one of their faults the same invariant holds."
    yield ""
    yield "| agent | what breaks | under |"
    yield "|---|---|---|"
    for one in explored:
        for finding in one.findings:
            code, check, effect = finding.worst.invariant
            where = f" ({effect})" if effect else ""
            yield f"| `{one.bug.name}` | {code} at `{check}`{where} | {schedule_in_words(finding.schedule)} |"
    yield ""


def _differences() -> Iterator[str]:
    yield "## Why the counts differ from the prototype's"
    yield ""
    yield "Both put five faults around a write, so with at most one fault an agent that pays four bills has"
    yield "21 episodes (1 + 5 x 4) where no two of these come to the same state. Otherwise they differ:"
    yield ""
    yield from _DIFFERENCES


_DIFFERENCES = (
    "- Only what says something is counted here. A stale read that shows what a fresh one would is no evidence, nor a",
    "  crash after a save that never comes.",
    "- What follows from a durable state is followed once. A crash before a call and the crash after the last save",
    "  leave the same state where the agent saves nothing in between: 18 instead of 21.",
    "- These agents are patient. They wait and try again up to eight times, so an outage of over a day brings more",
    "  attempts, at which a second fault may come.",
    "- `no_keys` and `new_key_after_restart` keep a journal here, so a crash after a save repeats nothing. `keys_only`",
    "  begins all over after every crash, so one outage makes several old keys worthless at once.",
    "- `looks_then_acts` reads twice for each payment, and of reads only the stale kind is counted.",
    "- Events may also be late, dropped and forged, and the reads of the agents that mind them are places for faults.",
)


def _share(counts: tuple[int, int]) -> str:
    failing, scored = counts
    return f"{failing:,} / {scored:,}"
