"""company-lab compare: two stored runs over the scenarios they share."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option, json_option, store_option


@click.command("compare", short_help="Compare two stored runs, scenario by scenario.")
@click.argument("candidate", metavar="RUN_A")
@click.argument("baseline", metavar="RUN_B")
@file_option(
    "--policy",
    help="The release policy, whose baseline fixes margin and k.",
)
@file_option(
    "--html",
    help="Write the report of RUN_A with the comparison in it.",
)
@json_option("the comparison")
@store_option
def command(
    candidate: str,
    baseline: str,
    policy: Path | None,
    html: Path | None,
    json_file: Path | None,
    store: str | None,
) -> int:
    """Compare RUN_A, the candidate, with RUN_B, the baseline: better, worse, no difference shown, or undecided.

    Scenarios count where both runs played the same one and scored every trial of it. Exits with 1 where the
    candidate is worse or has new critical failures, 3 where it is undecided or a scenario lacks scores.
    """
    from company_lab.cli.say import note
    from company_lab.formats.canonical import canonical
    from company_lab.formats.whole_files import whole_file, write_whole
    from company_lab.release.comparison import compare
    from company_lab.release.policy_reading import load_policy
    from company_lab.reports import console
    from company_lab.reports.comparison_page import comparison_page, comparison_panel
    from company_lab.runs import Store

    if html is not None:
        from company_lab.reports.html import require_report

        require_report()
    rule = None if policy is None else load_policy(policy).baseline
    with Store(store, create=False) as opened:
        after, before = opened.resolve(candidate), opened.resolve(baseline)
        if rule is None:
            found = compare(opened, after, before)
        else:
            found = compare(opened, after, before, margin=rule.margin, k=rule.k, confidence=rule.confidence)
        console.show(comparison_page(found))
        if html is not None:
            from company_lab.reports.html import write_html

            with whole_file(html) as file:
                write_html(opened, after, file, comparison=comparison_panel(found))
            note(f"written to {html}")
    if json_file is not None:
        write_whole(json_file, (canonical(found.to_json()) + "\n").encode())
        note(f"written to {json_file}")
    if found.outcome == "worse" or found.new_critical:
        return ExitCode.FAILURE
    decided = found.outcome != "undecided" and found.complete
    return ExitCode.GOOD if decided else ExitCode.INCOMPLETE
