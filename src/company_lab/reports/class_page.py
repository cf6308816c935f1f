"""The page of failure classes: what each is about, what comes of it, and what a suite has of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from company_lab.probing.coverage import FAULTED, KINDS, PERMISSIVE, Coverage, is_asked_for, kinds_of

HOLE = "**hole**"


def class_page(rows: Sequence[Coverage], *, command: str) -> str:
    """Failure classes and their coverage as a Markdown page. `command` says how it was made."""
    return "\n".join([*_head(rows, command), *_table(rows), *_reasons(rows), *_classes(rows)]) + "\n"


def _head(rows: Sequence[Coverage], command: str) -> Iterator[str]:
    holes = sum(len(row.holes) for row in rows)
    scenarios = sum(len(row.scenarios) for row in rows)
    yield "# Failure classes"
    yield ""
    yield (
        f"{scenarios} played scenarios of {len(rows)} failure classes, {holes or 'no'} hole{'' if holes == 1 else 's'}."
    )
    yield "What came of each is of the kind that happens; names and figures are invented."
    yield f"This page is made by `{command}`."
    yield ""


def _table(rows: Sequence[Coverage]) -> Iterator[str]:
    yield (
        "*Instance* is the class as it usually comes, *twin* nearly the same case in which the opposite is right, "
        "*wrong* the scripted conducts that must fail in it, *permissive* a variant"
    )
    yield (
        "in which a provider or a switch lets through what the company would refuse, *unguarded* one in which no rule "
        "stands in the way to begin with (only judging notices the wrong action in either), and"
    )
    yield ("*faulted* a variant in which something comes late, twice, or not at all. A dash: not asked for.")
    yield ""
    yield f"| class | {' | '.join(KINDS)} |"
    yield f"|---|{'---|' * len(KINDS)}"
    for row in rows:
        cells = (_cell(kind, count, row) for kind, count in zip(KINDS, row.counts, strict=True))
        yield f"| `{row.failure_class}` | {' | '.join(cells)} |"
    yield ""


def _cell(kind: str, count: int, row: Coverage) -> str:
    if kind in row.holes:
        return HOLE
    return str(count) if count or is_asked_for(kind, row.known) else "-"


def _reasons(rows: Sequence[Coverage]) -> Iterator[str]:
    said = [
        f"- `{row.failure_class}`, no {kind} variant: {reason}"
        for row in rows
        if row.known is not None
        for kind, reason in ((PERMISSIVE, row.known.no_permissive), (FAULTED, row.known.no_fault))
        if reason is not None
    ]
    if said:
        yield from ("Why something is not asked for:", "", *said, "")


def _classes(rows: Sequence[Coverage]) -> Iterator[str]:
    for row in rows:
        yield f"## {row.known.title if row.known else row.failure_class}"
        yield ""
        yield f"`{row.failure_class}`" + (f": {row.known.wrong}" if row.known else "")
        yield ""
        if row.known:
            yield row.known.consequence
            yield ""
        for scenario in row.scenarios:
            kinds = ", ".join(kinds_of(scenario))
            yield f"- {scenario.title.replace('|', ' ')} (`{scenario.id}`{f'; {kinds}' if kinds else ''})"
        yield ""
