"""A verdict over plain values, for a team that has its own harness and wants the same strict answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from company_lab.evaluation.codes import CODES
from company_lab.formats.canonical import Json, boundary, same
from company_lab.formats.errors import WrongUse, nearest

_EXPECTATIONS = ("state", "required_actions", "forbidden_actions", "required_reply")
_OBSERVATIONS = ("state", "actions", "reply")


def verdict(expectation: Mapping[str, Any], observation: Mapping[str, Any]) -> dict[str, Any]:
    """Compare what was observed with what was expected: `{'passed': ..., 'failures': [codes]}`.

    `expectation` has at least one of `state` (compared whole, JSON types strict), `required_actions`,
    `forbidden_actions` (lists of action names) and `required_reply` (a text the reply must contain as a whole
    phrase, or true for any reply that is not blank). `observation` has `state`, `actions` (names, in order),
    `reply`. An observation that an expectation needs and that is absent can not be scored: `passed` is then
    None, or False where something else failed, and `unscored` names what is missing.

    Raises `WrongUse` for unknown keys, values of the wrong kind, and an expectation that nothing could fail;
    `NotJson` for NaN, infinities and values that are not JSON.
    """
    _check_keys("expectation", expectation, _EXPECTATIONS)
    _check_keys("observation", observation, _OBSERVATIONS)
    required = _names(expectation, "required_actions", "expectation")
    forbidden = _names(expectation, "forbidden_actions", "expectation")
    phrase = _required_reply(expectation)
    if "state" not in expectation and not required and not forbidden and phrase is None:
        raise WrongUse(
            "this expectation can not fail; "
            "give it a state, required_actions, forbidden_actions or a required_reply"
        )

    failures: set[str] = set()
    unscored: list[str] = []
    if "state" in expectation:
        wanted = boundary(expectation["state"], "expectation.state")
        if "state" not in observation:
            unscored.append("state")
        elif not same(wanted, boundary(observation["state"], "observation.state")):
            failures.add("state_mismatch")
    if required or forbidden:
        if observation.get("actions") is None:
            unscored.append("actions")
        else:
            done = set(_names(observation, "actions", "observation"))
            if not done.issuperset(required):
                failures.add("missing_action")
            if not done.isdisjoint(forbidden):
                failures.add("forbidden_action")
    if phrase is not None:
        if "reply" not in observation:
            unscored.append("reply")
        elif not _replied(phrase, observation["reply"]):
            failures.add("missing_reply")

    answer: dict[str, Any] = {
        "passed": False if failures else (None if unscored else True),
        "failures": [code for code in CODES if code in failures],
    }
    if unscored:
        answer["unscored"] = unscored
    return answer


def _check_keys(what: str, value: object, known: Sequence[str]) -> None:
    if not isinstance(value, Mapping):
        raise WrongUse(f"the {what} is {type(value).__name__}; expected a mapping with {', '.join(known)}")
    for key in value:
        if key not in known:
            close = nearest(str(key), known)
            hint = f"; did you mean {close}?" if close else f"; expected one of {', '.join(known)}"
            raise WrongUse(f"{what}: unknown key {key!r}{hint}")


def _names(source: Mapping[str, Any], key: str, what: str) -> list[str]:
    names = source.get(key, ())
    if isinstance(names, (str, bytes, Mapping)) or not isinstance(names, Iterable):
        raise WrongUse(f"{what}.{key} is {names!r}; expected a list of action names")
    listed = list(names)
    for index, name in enumerate(listed):
        if not isinstance(name, str) or not name:
            raise WrongUse(f"{what}.{key}[{index}] is {name!r}; expected the name of an action")
    return listed


def _required_reply(expectation: Mapping[str, Any]) -> str | None:
    """The phrase to look for; empty text where any reply will do, None where none is expected."""
    if "required_reply" not in expectation:
        return None
    value = expectation["required_reply"]
    if value is True:
        return ""
    if isinstance(value, str) and value.strip():
        return value
    raise WrongUse(f"expectation.required_reply is {value!r}; expected true or a text the reply must contain")


def _replied(phrase: str, reply: Json) -> bool:
    if reply is not None and not isinstance(reply, str):
        raise WrongUse(f"observation.reply is {type(reply).__name__}; expected text or null")
    if reply is None or not reply.strip():
        return False
    if not phrase:
        return True
    from company_lab.evaluation.texts.folding import contains_phrase

    return contains_phrase(reply, phrase)
