"""What the writer is shown: the request first, then what was observed and done, and last what it is to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from company_lab.agents.protocol import ToolOffer
from company_lab.formats.canonical import Json, canonical


def arguments_text(state: Mapping[str, Json], name: str, offer: ToolOffer, *, parameters: bool) -> str:
    """The message that asks for the arguments of a chosen action; with `parameters` it lists them."""
    lines = [*_state_lines(state), "", f"The next action: {name}. {offer.description}"]
    if parameters:
        lines += ["Its parameters:", *_parameter_lines(offer.parameters)]
    return "\n".join([*lines, "", f"Write the arguments of {name} for this request."])


def reply_text(state: Mapping[str, Json]) -> str:
    """The message that asks for the reply."""
    return "\n".join([*_state_lines(state), "", "Write the reply to the request."])


def _state_lines(state: Mapping[str, Json]) -> Iterator[str]:
    yield "The request:"
    yield str(state["request"])
    yield ""
    yield f"Observed: {canonical(state['observation'])}"
    history = state["history"]
    assert isinstance(history, list)
    if not history:
        yield "Done so far: nothing."
        return
    yield "Done so far, in this order:"
    # JSON on one line each: a value can not pass for a line of ours.
    yield from (f"- {canonical(entry)}" for entry in history)


def _parameter_lines(schema: Mapping[str, Json]) -> Iterator[str]:
    properties, required = schema.get("properties"), schema.get("required", [])
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    if not properties:
        yield "- none: the arguments are {}"
    for needed in (True, False):
        for name, described in properties.items():
            if (name in required) is needed:
                word = "needed" if needed else "may be left out"
                yield f"- {name} ({word}): {canonical(described)}"
