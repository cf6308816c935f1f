"""The short form of a recorded episode: task, trial, events, final, reply, stop.

A file is one object with `episodes` (and `evidence`, `goals`), a list of episodes, or one episode a line or
document, where an object with `evidence` or `goals` may come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, get_args

from company_lab.formats.canonical import Json, digest
from company_lab.formats.errors import Problem, nearest
from company_lab.interop.documents import Document
from company_lab.interop.error_results import is_error
from company_lab.interop.positions import Place
from company_lab.scenarios.codes import StopReason

AUTHORED = frozenset({"authored", "authored fixture"})
EVIDENCE = (
    "authored",
    "authored fixture",
    "deterministic simulation",
    "test model",
    "real model",
    "undeclared agent",
    "recorded elsewhere",
    "live",
)
STOPS: tuple[str, ...] = get_args(StopReason)
MOST_TRIALS = 100_000
_FILE_KEYS = ("format", "evidence", "goals", "episodes")
_EPISODE_KEYS = ("task", "trial", "events", "final", "reply", "stop")
_OPTIONAL = frozenset({"reply"})
_GOAL_KEYS = ("goal", "required")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What an episode of a task has to leave behind, whole, and a text its reply has to contain."""

    goal: Mapping[str, Json]
    required: str
    where: str


class Placed(Protocol):
    """An episode with the file and line it stands on."""

    @property
    def task(self) -> str: ...
    @property
    def trial(self) -> int: ...
    @property
    def where(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What scoring needs of one recorded episode."""

    task: str
    trial: int
    final: Json
    reply: str | None
    stop: str
    calls: int
    error: bool
    """Whether some result was an error."""
    evidence: str
    where: str
    """File and line."""
    trajectory: str
    """Digest of what was done and said, in order; equal where two trials went the same way."""


@dataclass(slots=True)
class Reading:
    """What the files hold, and everything wrong with them."""

    episodes: list[Recorded] = field(default_factory=list)
    goals: dict[str, Goal] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_short_form(documents: Iterable[Document], into: Reading) -> None:
    """Add the episodes and goals of one file. What is wrong is collected in `into.problems`."""
    episodes: list[tuple[Document, Place]] = []
    evidence: str | None = None
    for document in documents:
        value = document.value
        if isinstance(value, list):
            episodes += [(document, (index,)) for index in range(len(value))]
        elif isinstance(value, dict) and not value.keys() & {"goals", "evidence", "episodes"}:
            episodes.append((document, ()))
        elif isinstance(value, dict):
            named = _file_evidence(document, into)
            if named is not None and evidence is not None and named != evidence:
                into.problems.append(
                    document.problem(
                        ("evidence",), "a file has one kind of evidence", found=f"also {evidence}"
                    )
                )
            evidence = named or evidence
            goals = value.get("goals")
            if goals is not None:
                read_goals(document, ("goals",), goals, into)
            listed = value.get("episodes", [])
            if isinstance(listed, list):
                episodes += [(document, ("episodes", index)) for index in range(len(listed))]
            else:
                into.problems.append(
                    document.problem(("episodes",), "episodes must be a list", found=_kind(listed))
                )
        else:
            into.problems.append(document.problem((), "an episode must be an object", found=_kind(value)))
    for document, place in episodes:
        found = _episode(document, place, evidence or "recorded elsewhere", into)
        if found is not None:
            into.episodes.append(found)


def read_goals(document: Document, place: Place, value: Json, into: Reading) -> None:
    """Add the goals of an object from task to `goal` and `required`."""
    if not isinstance(value, dict):
        into.problems.append(document.problem(place, "goals must be an object by task", found=_kind(value)))
        return
    for task, entry in value.items():
        at = (*place, task)
        where = f"{document.file}:{document.line_of(at)}"
        if not isinstance(entry, dict):
            into.problems.append(
                document.problem(at, "a goal needs the keys goal and required", found=_kind(entry))
            )
            continue
        _refuse_unknown(document, at, entry, _GOAL_KEYS, into)
        _refuse_missing(document, at, entry, _GOAL_KEYS, into)
        goal, required = entry.get("goal", {}), entry.get("required", "-")
        if not isinstance(goal, dict):
            into.problems.append(
                document.problem((*at, "goal"), "the goal must be an object", found=_kind(goal))
            )
        if not isinstance(required, str):
            into.problems.append(
                document.problem((*at, "required"), "the required text must be text", found=_kind(required))
            )
        elif not required.strip():
            into.problems.append(
                document.problem((*at, "required"), "an empty text stands in every reply, so it can not fail")
            )
        if task in into.goals:
            earlier = into.goals[task].where
            into.problems.append(document.problem(at, f"the task {task!r} has a goal already, at {earlier}"))
        elif isinstance(goal, dict) and isinstance(required, str):
            into.goals[task] = Goal(goal=goal, required=required, where=where)


def refuse_repeated(episodes: Iterable[Placed]) -> list[Problem]:
    """A problem for every episode whose task and trial came before."""
    first: dict[tuple[str, int], str] = {}
    problems = []
    for episode in episodes:
        earlier = first.setdefault((episode.task, episode.trial), episode.where)
        if earlier is not episode.where:
            file, _, line = episode.where.rpartition(":")
            message = f"{episode.task} trial {episode.trial} is there twice, first at {earlier}"
            problems.append(Problem(message=message, file=file, line=int(line), fix="an episode counts once"))
    return problems


def _file_evidence(document: Document, into: Reading) -> str | None:
    assert isinstance(document.value, dict)
    _refuse_unknown(document, (), document.value, _FILE_KEYS, into)
    if document.value.get("format", 1) != 1:
        into.problems.append(document.problem(("format",), "this version reads format 1"))
    named = document.value.get("evidence")
    if named is None:
        return None
    if not isinstance(named, str) or named not in EVIDENCE:
        into.problems.append(
            document.problem(
                ("evidence",),
                "an unknown kind of evidence",
                found=_kind(named),
                expected=f"one of {', '.join(EVIDENCE)}",
                nearest=nearest(str(named), EVIDENCE),
            )
        )
        return None
    return named


def _episode(document: Document, place: Place, evidence: str, into: Reading) -> Recorded | None:
    value: Any = document.value
    for part in place:
        value = value[part]
    if not isinstance(value, dict):
        into.problems.append(document.problem(place, "an episode must be an object", found=_kind(value)))
        return None
    before = len(into.problems)

    def expect(key: str, holds: bool, expected: str) -> None:
        if key in value and not holds:
            into.problems.append(
                document.problem((*place, key), f"wrong {key}", found=_kind(value[key]), expected=expected)
            )

    _refuse_unknown(document, place, value, _EPISODE_KEYS, into)
    _refuse_missing(document, place, value, [key for key in _EPISODE_KEYS if key not in _OPTIONAL], into)
    task, trial, stop, reply = (value.get(key) for key in ("task", "trial", "stop", "reply"))
    expect("task", isinstance(task, str) and bool(task.strip()), "the name of a task")
    expect(
        "trial", type(trial) is int and 0 <= trial <= MOST_TRIALS, f"a whole number from 0 to {MOST_TRIALS}"
    )
    expect("reply", reply is None or isinstance(reply, str), "text or null")
    if "stop" in value and stop not in STOPS:
        into.problems.append(
            document.problem(
                (*place, "stop"),
                "an unknown stop reason",
                found=_kind(stop),
                expected=f"one of {', '.join(STOPS)}",
                nearest=nearest(str(stop), STOPS),
            )
        )
    results = _results(document, (*place, "events"), value.get("events", []), into)
    if len(into.problems) > before:
        return None
    assert isinstance(task, str)
    assert isinstance(trial, int)
    assert isinstance(stop, str)
    return Recorded(
        task=task,
        trial=trial,
        final=value["final"],
        reply=reply,
        stop=stop,
        calls=len(results),
        error=any(map(is_error, results)),
        evidence=evidence,
        where=f"{document.file}:{document.line_of(place)}",
        trajectory=digest([value["events"], value["final"], reply, stop]),
    )


def _results(document: Document, place: Place, events: Json, into: Reading) -> list[Json]:
    if not isinstance(events, list):
        into.problems.append(document.problem(place, "events must be a list of pairs", found=_kind(events)))
        return []
    results: list[Json] = []
    for index, event in enumerate(events):
        at = (*place, index)
        if isinstance(event, dict) and event.keys() == {"action", "result"}:
            action, result = event["action"], event["result"]
        elif isinstance(event, list) and len(event) == 2:
            action, result = event
        else:
            into.problems.append(
                document.problem(at, "an event is a pair [action, result]", found=_kind(event))
            )
            continue
        if not (isinstance(action, dict) and action) and not (isinstance(action, str) and action.strip()):
            into.problems.append(
                document.problem(at, "an action is text or an object with tool and args", found=_kind(action))
            )
        results.append(result)
    return results


def _refuse_unknown(
    document: Document, place: Place, value: Mapping[str, Json], known: tuple[str, ...], into: Reading
) -> None:
    for key in value:
        if key not in known:
            into.problems.append(
                document.problem((*place, key), f"unknown key {key!r}", nearest=nearest(key, known))
            )


def _refuse_missing(
    document: Document, place: Place, value: Mapping[str, Json], needed: Iterable[str], into: Reading
) -> None:
    for key in needed:
        if key not in value:
            into.problems.append(document.problem(place, f"the key {key} is missing"))


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return repr(value[:60])
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"an object with {', '.join(list(value)[:4]) or 'no keys'}"
