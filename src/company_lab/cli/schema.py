"""company-lab schema: the JSON Schema editors check scenarios with."""

from __future__ import annotations

from pathlib import Path

import click

from company_lab.cli.options import file_option


@click.command("schema", short_help="Print the JSON Schema of scenarios or policies.")
@click.option("--world", metavar="WORLD", help="Names of this world: company, or module:attribute.")
@click.option("--policy", is_flag=True, help="The schema of release policies instead.")
@file_option("--output", help="Write it to this file instead.")
def command(world: str | None, policy: bool, output: Path | None) -> None:
    """Print the JSON Schema of scenarios, with the names one world knows or without."""
    from company_lab.cli.say import say
    from company_lab.cli.suites import world_spec
    from company_lab.formats.whole_files import write_whole
    from company_lab.scenarios.json_schema import scenario_schema
    from company_lab.scenarios.schema_sharing import schema_text

    if policy and world is not None:
        raise click.UsageError("--policy and --world do not go together: policies name no world")
    if policy:
        from company_lab.release.policy import policy_schema

        text = schema_text(policy_schema())
    else:
        text = schema_text(scenario_schema(None if world is None else world_spec(world)))
    if output is None:
        say(text.rstrip("\n"))
        return
    write_whole(output, text.encode())
    say(f"written to {output}")
