"""What a broken answer looks like when it reaches the agent."""

from __future__ import annotations

from company_lab.formats.canonical import Json, canonical


def cut_off(value: Json) -> str:
    """The first half of an answer as text: what is left of a response whose connection broke."""
    text = canonical(value)
    return text[: len(text) // 2]


def in_part(value: Json) -> Json:
    """An answer with its second half missing: of lists the later entries, of an object without lists the later keys.

    Of an object with lists each list is halved, as in a page that breaks off. What has no parts stays whole.
    """
    if isinstance(value, list):
        return value[: len(value) // 2]
    if not isinstance(value, dict):
        return value
    if any(isinstance(item, list) and item for item in value.values()):
        return {
            name: item[: len(item) // 2] if isinstance(item, list) else item for name, item in value.items()
        }
    return dict(list(value.items())[: len(value) // 2])
