"""What the command line says about agents that ask models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from company_lab.formats.canonical import Json
from company_lab.formats.errors import WrongUse

if TYPE_CHECKING:
    from company_lab.agents.protocol import Agent

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--model", metavar="NAME", help="The model of openai-chat and openai-responses."),
    click.option("--base-url", metavar="URL", help="Where it answers; without this, OpenAI's own address."),
    click.option("--api-key-env", metavar="NAME", help="The environment variable its key is read from."),
    click.option("--decider", metavar="URL", help="Where the decision model of --agent decision answers."),
    click.option("--decider-model", metavar="NAME", help="The decision model, such as decider:2b."),
    click.option("--decider-key-env", metavar="NAME", help="The environment variable its key is read from."),
    click.option(
        "--writer", metavar="URL", help="Where the writer of --agent decision answers (chat completions)."
    ),
    click.option("--writer-model", metavar="NAME", help="The model that writes arguments and replies."),
    click.option("--writer-key-env", metavar="NAME", help="The environment variable its key is read from."),
    click.option(
        "--writer-mode",
        type=click.Choice(["schema", "tool"]),
        help="How the writer is held to a tool's schema: response_format (the default), or one tool it must call.",
    ),
    click.option("--instructions", metavar="FILE", help="What the decider is asked; a text file."),
    click.option(
        "--criteria",
        metavar="FILE",
        help="When each option of the decider is right, respond included; YAML, option: text.",
    ),
    click.option("--system", metavar="FILE", help="The system prompt of the model or writer; a text file."),
    click.option(
        "--tool",
        metavar="NAME",
        multiple=True,
        help="Give the model only these tools: a name, or a pattern such as 'orders.*'. May be given several times.",
    ),
    click.option(
        "--alias",
        metavar="NAME=TOOL",
        multiple=True,
        help="What the model knows a tool as, such as lookup=orders.get. May be given several times.",
    ),
    click.option(
        "--temperature", type=float, metavar="T", help="Sent with each request; else the host's own."
    ),
    click.option("--max-output-tokens", type=int, metavar="N", help="The longest answer of a model."),
    click.option(
        "--answer-timeout",
        type=float,
        metavar="SECONDS",
        help="How long one answer of a model may take; 120 without this.",
    ),
    click.option(
        "--stream",
        is_flag=True,
        help="Ask openai-chat and openai-responses to send answers in pieces; recorded as any other answer.",
    ),
    click.option(
        "--retries",
        type=int,
        metavar="N",
        help="How often a request is repeated that a host did not answer; 4 without this. Answers are never retried.",
    ),
    click.option(
        "--price",
        metavar="MODEL=PRICE",
        multiple=True,
        help="Dollars per million tokens, such as m=0.15/0.60 (input/output), or m=free. May be given several times.",
    ),
    click.option(
        "--test-model",
        is_flag=True,
        help="The models are scripted stand-ins: their episodes are no evidence about a model.",
    ),
    click.option("--record", metavar="FILE", help="Write down what the models answer, for development."),
    click.option(
        "--replay", metavar="FILE", help="Answer from a recording; the episodes are no trials of a model."
    ),
)


def model_options(function: F) -> F:
    """Everything that `--agent decision`, `openai-chat` and `openai-responses` can be told."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def agent_given(agent: str | None, named: dict[str, Any]) -> str | Agent | None:
    """The agent that `--agent` and its options make; the options are taken out of `named`.

    Whatever takes no options is returned as its name. Raises `WrongUse` for options that nobody takes.
    """
    options: dict[str, Json] = {}
    for name in MODEL_OPTIONS:
        value = named.pop(name)
        if value is not False and value not in (None, ()):  # 0 equals False, and is something that was said
            options[name] = list(value) if isinstance(value, tuple) else value
    from company_lab.agents.resolve import ADAPTERS, resolve_agent

    if agent in ADAPTERS:
        return resolve_agent(str(agent), options)
    if options:
        first = "--" + next(iter(options)).replace("_", "-")
        raise WrongUse(f"{first} belongs to an agent that asks a model: --agent {', '.join(ADAPTERS)}")
    return agent


MODEL_OPTIONS = tuple(str(option.name) for option in click.command(model_options(lambda: None)).params)
"""The options by the names under which a command gets them."""
