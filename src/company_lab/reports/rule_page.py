"""The page of rules: every rule of a world, with the contracts that notice when it is broken on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from company_lab.probing.rule_table import RuleRow

NOTHING = "**nothing**"


def rule_page(world: str, rows: Sequence[RuleRow], *, command: str) -> str:
    """The rules of a world as a Markdown page, department by department. `command` says how it was made."""
    return "\n".join([*_head(world, rows, command), *_sections(rows)]) + "\n"


def _head(world: str, rows: Sequence[RuleRow], command: str) -> Iterator[str]:
    killed = sum(row.killed for row in rows)
    yield f"# Rules of the world {world}"
    yield ""
    yield (
        f"{len(rows)} rules stand between an action and its effect. Each was switched off once, and made to deny "
        "whatever comes once: the contract scenarios"
    )
    yield (
        "named here fail then. The first name is a request that must not go through, the second one its twin, "
        "in which nearly the same request is right."
    )
    yield f"{killed} of {len(rows)} rules are noticed in both ways. This page is made by `{command}`."


def _sections(rows: Sequence[RuleRow]) -> Iterator[str]:
    for department, group in groupby(rows, key=lambda row: row.department):
        yield ""
        yield f"## {department}"
        yield ""
        yield "| rule | what it says | fails without it | fails when it always denies | killed |"
        yield "|---|---|---|---|---|"
        for row in group:
            text = row.text.replace("|", "\\|")
            yield (
                f"| `{row.rule}` | {text} | {_first(row.when_off)} | {_first(row.when_denying)} | "
                f"{'yes' if row.killed else 'no'} |"
            )


def _first(names: Sequence[str]) -> str:
    if not names:
        return NOTHING
    rest = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"`{names[0]}`{rest}"
