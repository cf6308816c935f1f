"""Writing the page: the run is read once, the failed episodes are packed, and the file is written piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from markupsafe import Markup

from company_lab.release.decision import counted
from company_lab.reports.html.comparing import ComparisonPanel
from company_lab.reports.html.deciding import GatePanel
from company_lab.reports.html.environment import asset, source_hash, templates
from company_lab.reports.html.failed import EPISODE_BYTES, failed_episodes
from company_lab.reports.html.needed import require_report
from company_lab.reports.html.parts import part_of
from company_lab.reports.html.run_read import ReadRun, read_run
from company_lab.reports.pointing import short
from company_lab.reports.rule_readings import MOST_LISTED, RulesOfRun, rules_of_run
from company_lab.reports.terminal import NOT_SAID
from company_lab.runs.store import Store
from company_lab.worlds.registry import resolve_world
from company_lab.worlds.world import World

MOST_RULES_READ = 1_000
"""Rules are read from every trace only in runs up to so many episodes, unless somebody asks for it."""


def write_html(
    store: Store,
    run: str,
    file: BinaryIO,
    *,
    comparison: ComparisonPanel | None = None,
    decision: GatePanel | None = None,
    rules: bool | None = None,
    episode_bytes: int = EPISODE_BYTES,
    worlds: Callable[[str], World] = resolve_world,
) -> None:
    """Write the report of a stored run, by its whole id, as one HTML file.

    `rules` reads the company's rules over every trace, or not; None does it in runs of up to `MOST_RULES_READ`
    episodes. Failed episodes are there in full up to `episode_bytes` bytes of HTML; others are named. Raises
    `WrongUse` with what to install where the extra `report` is missing.
    """
    require_report()
    read = read_run(store, run)
    failed = failed_episodes(store, read, room=episode_bytes, worlds=worlds)
    links = failed.links
    parts = [
        part_of(read, section, links, f"part{number}")
        for number, section in enumerate(read.sections, start=1)
    ]
    wanted = len(read.summaries) <= MOST_RULES_READ if rules is None else rules
    style, script = asset("page.css"), asset("page.js")
    pieces = (
        templates()
        .get_template("page.html")
        .generate(
            plan=read.plan,
            read=read,
            short=short(run),
            parts=parts,
            failed=failed,
            comparison=comparison,
            decision=decision,
            rules=rules_of_run(store, run, worlds=worlds) if wanted and read.summaries else None,
            most_listed=MOST_LISTED,
            uncovered=_uncovered,
            what=_what(read),
            not_said=[NOT_SAID[kind] for kind in _kinds(read) if kind in NOT_SAID],
            style=Markup(style),
            script=Markup(script),
            style_hash=source_hash(style),
            script_hash=source_hash(script),
        )
    )
    for piece in pieces:
        file.write(piece.encode("utf-8"))


def _kinds(read: ReadRun) -> list[str]:
    return list(dict.fromkeys(section.evidence for section in read.sections))


def _what(read: ReadRun) -> str:
    scenarios, trials = len(read.plan.planned()), read.plan.trials
    return f"{counted(scenarios, 'scenario')}, {'each once' if trials == 1 else f'{trials} trials each'}"


def _uncovered(found: RulesOfRun) -> int:
    return sum(len(rules) for world in found.uncovered.values() for rules in world.values())
