"""company-lab show: the timeline of one episode."""

from __future__ import annotations

import click

from company_lab.cli.options import store_option


@click.command("show", short_help="Show what happened in one episode.")
@click.argument("words", nargs=-1, metavar="[RUN] SCENARIO TRIAL")
@click.option("--rules", is_flag=True, help="Also which rules of the company were kept or broken.")
@store_option
def command(words: tuple[str, ...], store: str | None, rules: bool) -> None:
    """Show what happened in one episode, and what broke or held each expectation.

    RUN is the id of a run, its beginning or end, or last (the default) for the newest.
    """
    run, scenario, trial = cell_of("show", words)

    from company_lab.cli.say import note
    from company_lab.reports.console import show
    from company_lab.reports.timeline import render
    from company_lab.runs import Store
    from company_lab.runs.explaining import explained

    with Store(store, create=False) as opened:
        full = opened.resolve(run)
        episode = explained(opened, full, scenario, trial)
        timings = opened.episode(full, scenario, trial).timings
    show(render(episode.scenario, episode.spec, episode.trace, episode.verdict))
    if episode.scenario is not None:
        from company_lab.reports.diagnoses import episode_diagnosis

        show(episode_diagnosis(episode.scenario, episode.trace, episode.verdict))
    if rules and episode.spec is None:
        note("no rules are known: the episode was recorded elsewhere")
    elif rules and episode.spec is not None:
        from company_lab.evaluation import rule_compliance
        from company_lab.reports.rule_readings import episode_section

        show(episode_section(rule_compliance(episode.scenario, episode.spec, episode.trace), episode.trace))
    for remark in episode.remarks:
        note(remark)
    for name, stream in (("stdout", "standard output"), ("stderr", "standard error")):
        printed = timings.get(name)
        if isinstance(printed, str) and printed:
            note(f"{stream} of the agent's process:\n{printed}")


def cell_of(command: str, words: tuple[str, ...]) -> tuple[str, str, int]:
    """[RUN] SCENARIO TRIAL as a command takes them; without RUN the newest one."""
    if len(words) not in (2, 3):
        found = " ".join(words) or "nothing"
        raise click.UsageError(
            f"{command} takes [RUN] SCENARIO TRIAL, the trial a number such as 1; found {found}"
        )
    run, scenario, trial = words if len(words) == 3 else ("last", *words)
    if not (trial.isascii() and trial.isdigit() and len(trial) < 10):
        raise click.UsageError(f"TRIAL is a whole number, found {trial!r}")
    return run, scenario, int(trial)
