"""company-lab gate: the release decision on a stored run."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.exits import ExitCode
from company_lab.cli.options import file_option, json_option, store_option


@click.command("gate", short_help="Decide whether a run may go out: pass, block or hold.")
@click.argument("run", default="last")
@file_option(
    "--policy",
    default="release.yaml",
    help="The release policy, written before the run.",
)
@click.option("--baseline", metavar="RUN", help="A run of what is deployed now, to compare with.")
@file_option(
    "--html",
    help="Write the report of RUN with the decision, and the comparison if there is one, in it.",
)
@json_option("the decision")
@store_option
def command(
    run: str,
    policy: Path,
    baseline: str | None,
    html: Path | None,
    json_file: Path | None,
    store: str | None,
) -> int:
    """Hold RUN (last: the newest) against a release policy.

    Exits with 0 where it passes, 1 where it blocks, 3 where evidence is missing. Verdicts come from stored episodes
    only, each judged again, and other runs of the same candidate stay in the count.
    """
    from company_lab.cli.say import note
    from company_lab.formats.canonical import canonical
    from company_lab.formats.whole_files import whole_file, write_whole
    from company_lab.release.gate import gate
    from company_lab.release.policy_reading import load_policy
    from company_lab.reports import console
    from company_lab.reports.gate_page import gate_page, gate_panel
    from company_lab.runs import Store
    from company_lab.runs.place import store_words

    if html is not None:
        from company_lab.reports.html import require_report

        require_report()
    rules = load_policy(policy)
    with Store(store, create=False) as opened:
        before = None if baseline is None else opened.resolve(baseline)
        decision = gate(opened, opened.resolve(run), rules, baseline=before)
        console.show(gate_page(decision, at=store_words(opened.path)))
        if html is not None:
            from company_lab.reports.comparison_page import comparison_panel
            from company_lab.reports.html import write_html

            beside = None if decision.comparison is None else comparison_panel(decision.comparison)
            with whole_file(html) as file:
                write_html(opened, decision.run, file, decision=gate_panel(decision), comparison=beside)
            note(f"written to {html}")
    if json_file is not None:
        write_whole(json_file, (canonical(decision.to_json()) + "\n").encode())
        note(f"written to {json_file}")
    return {"pass": ExitCode.GOOD, "block": ExitCode.FAILURE, "hold": ExitCode.INCOMPLETE}[decision.outcome]
