"""Whether a result that somebody else recorded is an error."""

from __future__ import annotations

from company_lab.formats.canonical import Json

ERROR_TEXTS = frozenset(
    {"failed", "failure", "malformed", "not found", "timed out", "timeout", "unavailable"}
)
ERROR_STATUSES = frozenset({"error", "failed", "malformed", "timed_out"})


def is_error(result: Json) -> bool:
    """Whether the result of an action says that the action went wrong.

    So do: a text that begins with the word "error" or is one of `ERROR_TEXTS`; an object whose `error` is
    something, whose `ok` is false, or whose `status` or `outcome` is one of `ERROR_STATUSES`.
    """
    if isinstance(result, str):
        text = " ".join(result.replace("_", " ").lower().split())
        rest = text.removeprefix("error")
        return text in ERROR_TEXTS or (rest != text and not rest[:1].isalnum())
    if isinstance(result, dict):
        return (
            result.get("error") not in (None, False, "", [], {})
            or result.get("ok") is False
            or any(str(result.get(key)) in ERROR_STATUSES for key in ("status", "outcome"))
        )
    return False
