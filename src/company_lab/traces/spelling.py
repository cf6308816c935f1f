"""Spelling: the records of a trace as lines of canonical JSON.

Two in three records are the attempt, the guard's answer and the result of a call. Those that look as they nearly
always do are put together from their parts, which takes a third less time; all others go through `canonical`, and
both ways give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

from company_lab.formats.canonical import canonical

_text: Callable[[str], str] = encode_basestring_ascii
_MANY = 4096
_lists: dict[tuple[str, ...], str] = {}


def lines(records: Iterable[Mapping[str, Any]]) -> str:
    """Every record on a line of its own. Raises `NotJson` for a value that JSON can not carry."""
    spelled = []
    for record in records:
        frequent = _FREQUENT.get(record["kind"]) if type(record.get("kind")) is str else None
        line = None if frequent is None else frequent(record)
        spelled.append(canonical(record) if line is None else line)
    spelled.append("")
    return "\n".join(spelled)


def _action(record: Mapping[str, Any]) -> str | None:
    if len(record) != 9:
        return None
    try:
        seq, turn, hint = record["seq"], record["turn"], record["hint"]
        if type(seq) is not int or type(turn) is not int or hint is not None:
            return None
        return (
            f'{{"args":{_arguments(record["args"])},"at":{_text(record["at"])},"by":{_text(record["by"])},'
            f'"call":{_text(record["call"])},"hint":null,"kind":"action","seq":{seq},'
            f'"tool":{_text(record["tool"])},"turn":{turn}}}'
        )
    except (KeyError, TypeError):  # another key, or something else than a text
        return None


def _guard(record: Mapping[str, Any]) -> str | None:
    if len(record) != 11:
        return None
    try:
        seq = record["seq"]
        if (
            type(seq) is not int
            or record["objections"] != []
            or not record["approval"] is record["reason"] is record["rule"] is None
        ):
            return None
        return (
            f'{{"approval":null,"at":{_text(record["at"])},"call":{_text(record["call"])},'
            f'"decision":{_text(record["decision"])},"kind":"guard","objections":[],"reason":null,"rule":null,'
            f'"seq":{seq},"tool":{_text(record["tool"])},"touched":{_names(record["touched"])}}}'
        )
    except (KeyError, TypeError):
        return None


def _result(record: Mapping[str, Any]) -> str | None:
    if len(record) != 9:
        return None
    try:
        seq, changes = record["seq"], record["changes"]
        if type(seq) is not int or record["error"] is not None:
            return None
        return (
            f'{{"at":{_text(record["at"])},"call":{_text(record["call"])},'
            f'"changes":{"[]" if changes == [] else canonical(changes)},"delivery":{_text(record["delivery"])},'
            f'"error":null,"kind":"result","outcome":{_text(record["outcome"])},"seq":{seq},'
            f'"value":{canonical(record["value"])}}}'
        )
    except (KeyError, TypeError):
        return None


def _arguments(args: object) -> str:
    if type(args) is dict and len(args) == 1:
        ((name, value),) = args.items()
        if type(name) is str and type(value) is str:
            return f"{{{_text(name)}:{_text(value)}}}"
    return canonical(args)


def _names(names: list[str]) -> str:
    """The same few lists of rules come again and again."""
    if type(names) is not list:
        raise TypeError
    key = tuple(names)
    known = _lists.get(key)
    if known is None:
        if len(_lists) >= _MANY:
            _lists.clear()
        known = f"[{','.join(map(_text, names))}]"
        _lists[key] = known
    return known


_FREQUENT: Mapping[str, Callable[[Mapping[str, Any]], str | None]] = {
    "action": _action,
    "guard": _guard,
    "result": _result,
}
