"""company-lab audit: would this suite notice?"""

from __future__ import annotations

import time
from pathlib import Path

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option, store_option


@click.command("audit", short_help="See whether a suite would notice bad work.")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--only", metavar="AUDIT", multiple=True, help="Only this audit, such as A6; may be repeated. Not stored."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
@click.option("--quiet", is_flag=True, help="No progress, and only the sums.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many processes share the work; one a core unless given. The result is the same.",
)
@file_option(
    "--markdown",
    help="Write what was found as a Markdown page to this file.",
)
@click.option("--check", is_flag=True, help="With --markdown, write no page: fail where FILE is not current.")
@store_option
def command(
    suite: Path,
    only: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    processes: int | None,
    markdown: Path | None,
    check: bool,
    store: str | None,
) -> int:
    """Look for everything that would let bad work pass in SUITE, or right work fail.

    Agents that do not deserve to pass play every scenario, the reference does too much and too little, what is expected
    and the final world are changed a little, and duplicates, leaks and faults without effect are looked for.
    A finding that blocks makes it fail. The result is stored under the hash of the suite, where `gate` looks for it.
    With -v also what is only worth knowing.
    """
    from company_lab.cli.pages import keep_page, refuse_check_alone
    from company_lab.cli.progress import emit
    from company_lab.cli.say import command_line, note, say
    from company_lab.cli.suites import open_suite
    from company_lab.cli.verbosity import verbosity
    from company_lab.probing.audit import audit_suite, keep
    from company_lab.reports.audit_page import FIRST_LINE, audit_lines, audit_page, summary
    from company_lab.runs import Store
    from company_lab.worlds.registry import resolve_world

    refuse_check_alone(check, markdown)
    if markdown is not None and not check:
        _spare(markdown)
    loaded = open_suite(suite)
    silent = quiet or as_json
    watch = _Progress() if not silent else _nothing
    report = audit_suite(loaded, resolve_world, only=only, processes=processes, watch=watch)
    stored = ""
    if not only:
        with Store(store) as opened:
            keep(opened, report)
            stored = f"stored in {opened.path} for the suite {report.suite[:12]}"
    current = True
    if markdown is not None:
        page = audit_page(report, command=command_line("audit", suite, "--markdown", markdown))
        current = keep_page(markdown, page, check=check, tell=note if as_json else say)
    if as_json:
        emit(report.to_json())
    else:
        lines = [FIRST_LINE, *summary(report)] if quiet else audit_lines(report, verbose=verbosity.verbose)
        for line in lines:
            say(line)
        say(stored or "not stored: this was a part of the audits")
    return ExitCode.FAILURE if report.blocking or not current else ExitCode.GOOD


def _spare(file: Path) -> None:
    """Refuse to write the page over something that is none, such as a scenario."""
    from company_lab.formats.errors import WrongUse
    from company_lab.reports.audit_page import TITLE

    if file.is_file() and file.stat().st_size and not file.read_bytes().startswith(TITLE.encode()):
        raise WrongUse(f"{file} is there and is no page of an audit: name another file for --markdown")


def _nothing(done: int, of: int) -> None:
    pass


class _Progress:
    """A line now and then."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, done: int, of: int) -> None:
        from company_lab.cli.progress import SECONDS_BETWEEN_LINES
        from company_lab.cli.say import note

        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES and done < of:
            self._last = now
            note(f"{done} of {of} parts audited")
