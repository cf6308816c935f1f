"""Scoring of episodes that were recorded or written elsewhere: `company-lab score FILE [--goals FILE]`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec

from company_lab.formats.canonical import Json, NotJson, parse
from company_lab.formats.errors import Problem, Problems, WrongUse, nearest
from company_lab.interop.documents import ENDINGS, YAML_ENDINGS, read_documents
from company_lab.interop.recorded_traces import recorded, whole_traces
from company_lab.interop.score_report import json_of, text_of
from company_lab.interop.scoring import Judged, Part, Success, judge_recorded, parts_of
from company_lab.interop.short_form import Reading, Recorded, read_goals, read_short_form, refuse_repeated
from company_lab.traces.record import Trace

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario

P = ParamSpec("P")

COMPLETE, FAILED, INCOMPLETE = 0, 1, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The judged episodes of a file or folder, one part for each kind of evidence."""

    parts: tuple[Part, ...]

    @property
    def complete(self) -> bool:
        """Whether every planned episode counts, so that figures across tasks exist."""
        return all(part.complete for part in self.parts)

    @property
    def exit_code(self) -> int:
        """1 where an episode failed, else 3 where something is missing, else 0."""
        if any(episode.outcome == "failure" for part in self.parts for episode in part.episodes):
            return FAILED
        return COMPLETE if self.complete else INCOMPLETE

    def text(self, *, details: bool = False) -> str:
        """The report, without a line end after it."""
        return text_of(self.parts, details=details)

    def to_json(self) -> Json:
        """The report as JSON; figures that do not exist are null."""
        return json_of(self.parts)


def score(path: Path, goals: Path | None = None) -> Score:
    """Judge the episodes in a file, or in every JSON, JSON Lines and YAML file of a folder.

    `goals` is a file with goals by task, or a suite of scenarios that then judge our own traces. Raises
    `Problems` with everything that is wrong with the files, `WrongUse` where there is nothing to judge.
    """
    scenarios = _suite(goals) if goals is not None and _is_suite(goals) else None
    reading = Reading()
    if goals is not None and scenarios is None:
        _collect(_read_goals_file, goals, reading)
    judged: list[Judged] = []
    for file in _files(path):
        if _holds_traces(file):
            _collect(_read_traces, file, reading, scenarios, judged)
        else:
            _collect(_read_documents, file, reading, scenarios)
    reading.problems += refuse_repeated((*reading.episodes, *judged))
    if scenarios is None:
        reading.problems += _without_goal(reading)
    if reading.problems:
        raise Problems(reading.problems)
    judged += [judge_recorded(episode, reading.goals[episode.task]) for episode in reading.episodes]
    if not judged:
        raise WrongUse(f"{path} holds no episode: there is nothing to score")
    return Score(parts=parts_of(judged, reading.goals if scenarios is None else scenarios))


def score_file(
    path: Path, goals: Path | None = None, *, as_json: bool = False, details: bool = False
) -> tuple[str, int]:
    """What the command prints, and its exit code: see `Score.exit_code`."""
    result = score(path, goals)
    if as_json:
        return json.dumps(result.to_json(), ensure_ascii=True, allow_nan=False, indent=2), result.exit_code
    return result.text(details=details), result.exit_code


def _files(path: Path) -> list[Path]:
    if not path.exists():
        beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        close = nearest(path.name, beside)
        hint = f"; did you mean {path.parent / close}?" if close else ""
        raise WrongUse(f"there is no file or folder {path}{hint}")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix in ENDINGS and file.is_file())
    if not files:
        raise WrongUse(f"the folder {path} holds no file that ends in {', '.join(sorted(ENDINGS))}")
    return files


def _collect(
    read: Callable[Concatenate[Path, Reading, P], None],
    file: Path,
    reading: Reading,
    *args: P.args,
    **kwargs: P.kwargs,
) -> None:
    """Go on with the next file after problems in one, so that all are told at once."""
    try:
        read(file, reading, *args, **kwargs)
    except Problems as error:
        reading.problems += error.problems


def _holds_traces(file: Path) -> bool:
    with file.open("rb") as lines:
        first = next((line for line in lines if line.strip()), b"")
    try:
        record = parse(first)
    except NotJson:
        return False
    return isinstance(record, dict) and "kind" in record and "seq" in record


def _read_goals_file(file: Path, reading: Reading) -> None:
    for document in read_documents(file):
        value = document.value
        if isinstance(value, dict) and "goals" in value and not {"goal", "required"} & value.keys():
            read_short_form([document], reading)
        else:
            read_goals(document, (), value, reading)
    if reading.episodes:
        raise Problems([Problem(message="a file of goals holds no episodes", file=str(file))])


def _read_documents(file: Path, reading: Reading, scenarios: Mapping[str, Scenario] | None) -> None:
    before = len(reading.episodes)
    read_short_form(read_documents(file), reading)
    if scenarios is not None and len(reading.episodes) > before:
        message = "scenarios judge traces only; the short form needs goals"
        raise Problems([Problem(message=message, file=str(file), fix="name a file of goals with --goals")])


def _read_traces(
    file: Path, reading: Reading, scenarios: Mapping[str, Scenario] | None, judged: list[Judged]
) -> None:
    if not file.stat().st_size:
        raise Problems([Problem(message="the file is empty", file=str(file))])
    for trace, where in whole_traces(file):
        episode = recorded(trace, where)
        if scenarios is None:
            reading.episodes.append(episode)
        elif episode.task in scenarios:
            judged.append(_by_scenario(scenarios[episode.task], trace, episode))
        else:
            close = nearest(episode.task, scenarios)
            name, _, line = where.rpartition(":")
            message = f"the suite has no scenario {episode.task}"
            reading.problems.append(Problem(message=message, file=name, line=int(line), nearest=close))


def _by_scenario(scenario: Scenario, trace: Trace, episode: Recorded) -> Judged:
    from company_lab.evaluation import judge
    from company_lab.worlds.registry import resolve_world

    verdict = judge(scenario, resolve_world(scenario.world).spec, trace)
    outcomes: dict[str, Success] = {"passed": "success", "failed": "failure"}
    notes = (*verdict.unscored, *verdict.invalid)
    return Judged(
        task=episode.task,
        trial=episode.trial,
        outcome=outcomes.get(verdict.outcome, "not counted"),
        reasons=(
            *(f"{failure.code}: {failure.message}" for failure in verdict.failures),
            *(f"{note.check}: {note.message}" for note in notes),
        ),
        stop=episode.stop,
        calls=episode.calls,
        error=episode.error,
        evidence=episode.evidence,
        where=episode.where,
        trajectory=episode.trajectory,
        critical=tuple(
            f"{failure.code}: {failure.message}" for failure in verdict.failures if failure.failure_class
        ),
    )


def _is_suite(goals: Path) -> bool:
    if goals.is_dir():
        return True
    if goals.suffix not in YAML_ENDINGS or not goals.exists():
        return False
    value = next(iter(read_documents(goals))).value
    return isinstance(value, dict) and "expected" in value


def _suite(path: Path) -> dict[str, Scenario]:
    from company_lab.scenarios.suite import load_suite
    from company_lab.worlds.registry import resolve_world

    suite = load_suite(path, lambda name: resolve_world(name).spec)
    return {scenario.id: scenario for scenario in suite.scenarios}


def _without_goal(reading: Reading) -> list[Problem]:
    problems: dict[str, Problem] = {}
    for episode in reading.episodes:
        if episode.task not in reading.goals and episode.task not in problems:
            file, _, line = episode.where.rpartition(":")
            problems[episode.task] = Problem(
                message=f"no goal for the task {episode.task!r}",
                file=file,
                line=int(line),
                nearest=nearest(episode.task, reading.goals),
                fix="give it under goals in the file, or in a file of its own with --goals",
            )
    return list(problems.values())
