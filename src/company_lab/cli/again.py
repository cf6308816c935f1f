"""The options that name an agent, as words of a command line that plays it again."""

from __future__ import annotations

import shlex

import click
from click.core import ParameterSource

from company_lab.cli.modelling import MODEL_OPTIONS
from company_lab.cli.programs import PROGRAM_OPTIONS

_ONCE = frozenset(["record"])
"""Options that would write over what they wrote the first time."""


def words_again(context: click.Context, agent: str | None) -> tuple[str, ...]:
    """`--agent` with the options of its model, or `--agent-command` with its own, as they were given; no secrets.

    Call it before those options are taken out of the parameters.
    """
    words = [] if agent is None else ["--agent", agent]
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not given or name in _ONCE or name not in (*PROGRAM_OPTIONS, *MODEL_OPTIONS):
            continue
        value = context.params[name]
        option = parameter.opts[0]
        if value is True:
            words.append(option)
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [option, _shown(name, str(one))]
    return tuple(words)


def _shown(name: str, value: str) -> str:
    if name == "agent_command":
        from company_lab.episodes.command import read_command

        return shlex.join(read_command(value).words)
    if name == "agent_env":
        return value.partition("=")[0]
    return value
