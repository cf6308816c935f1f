"""What a framework hands over, as JSON and as text, whatever it is."""

from __future__ import annotations

from company_lab.formats.canonical import MAX_DEPTH, Json, NotJson, boundary, canonical, parse_own

_DEEPEST = MAX_DEPTH - 8
"""Of what is kept within a conversation, which is itself a few levels deep."""


def plain(value: object) -> Json:
    """A framework's data as JSON. What is no JSON becomes text, and so does what is nested too deeply to be kept."""
    from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

    try:
        read = parse_own(to_json(value, serialize_unknown=True, inf_nan_mode="strings").decode())
    except (PydanticSerializationError, RecursionError, NotJson):
        # Half a character, which has no UTF-8; or too deep.
        try:
            read = to_jsonable_python(value, serialize_unknown=True, inf_nan_mode="strings")
        except (ValueError, RecursionError):
            return _shown(value)
    try:
        return boundary(read, depth=MAX_DEPTH + 1 - _DEEPEST)
    except NotJson:  # hardly ever, and slower: part by part
        return _bounded(read, _DEEPEST)


def _bounded(value: Json, levels: int) -> Json:
    if isinstance(value, (dict, list)):
        if levels <= 0:
            return _shown(value)
        if isinstance(value, dict):
            return {str.__str__(name): _bounded(item, levels - 1) for name, item in value.items()}
        return [_bounded(item, levels - 1) for item in value]
    try:
        return boundary(value)
    except NotJson:
        return _shown(value)


def _shown(value: object) -> str:
    try:
        return canonical(value)
    except NotJson:
        return str(value) if isinstance(value, float) else f"<{type(value).__name__} that can not be shown>"


def spoken(output: object) -> str:
    """A final output as a reply: text as it is, anything else as JSON."""
    if output is None:
        return ""
    if isinstance(output, str):
        return output
    return canonical(plain(output))
