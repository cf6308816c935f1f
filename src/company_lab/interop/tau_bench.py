"""Recorded tau-bench trajectories, read one episode at a time.

A file is a JSON list of objects `task_id`, `trial`, `reward`, `traj`, `info`. `traj` is a conversation in
OpenAI chat form, `info.task` the task, and `info.reward_info` null where the step limit ended the run.
Nothing is judged here: the verdict is the reward the suite gave. Memory holds one episode at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from company_lab.evaluation import Failure, Note, Verdict
from company_lab.formats.canonical import Json, digest
from company_lab.formats.errors import Problem, Problems
from company_lab.interop.chat import ChatTrace, Finding, roles, shape_problem
from company_lab.interop.documents import Document
from company_lab.interop.positions import Place
from company_lab.interop.streams import read_array
from company_lab.traces.record import FORMAT, Trace

MAX_TRIAL = 100_000
AGENT = "recorded agent"
CHECK = "reward of the recording suite"
STEP_LIMIT = "the step limit of the recording suite ended the run before it was evaluated"


@dataclass(frozen=True, slots=True, kw_only=True)
class TauEpisode:
    """One recorded run: our trace, the suite's own verdict, and what was odd about the recording."""

    task: str
    trial: int
    task_digest: str
    trace: Trace
    verdict: Verdict
    findings: tuple[Finding, ...]
    prompt: str
    """The system prompt the agent was given."""
    source: Json
    """The object as it stands in the file."""


def read(path: Path) -> Iterator[TauEpisode]:
    """The recorded runs of a file, in its order.

    Raises `Problems` for a damaged or cut-off file and for whatever is wrong with a run: its shape, a partial
    reward, a task and trial that came before, a task that differs between its trials. The first run with
    problems ends the reading.
    """
    seen: dict[tuple[str, int], int] = {}
    tasks: dict[str, str] = {}
    for document in read_array(path):
        problems = _problems(document)
        if problems:
            raise Problems(problems)
        episode = _episode(document)
        cell = (episode.task, episode.trial)
        line = document.line_of(())
        if cell in seen:
            first = f"first in line {seen[cell]}"
            raise Problems([document.problem((), f"{cell[0]} trial {cell[1]} is there twice, {first}")])
        seen[cell] = line
        if tasks.setdefault(episode.task, episode.task_digest) != episode.task_digest:
            raise Problems(
                [document.problem(("info", "task"), f"{episode.task} is another task in another trial")]
            )
        yield episode
    if not seen:
        raise Problems([Problem(message="the list is empty: there is no recorded run", file=str(path))])


def _problems(document: Document) -> list[Problem]:
    run = document.value
    if not isinstance(run, dict):
        return [
            document.problem((), "a recorded run must be an object with task_id, trial, reward, traj, info")
        ]
    found: list[Problem] = []

    def refuse(place: Place, message: str, value: Json) -> None:
        found.append(document.problem(place, message, found=str(value)[:80]))

    for key in ("task_id", "trial", "reward", "traj", "info"):
        if key not in run:
            found.append(document.problem((), f"the key {key} is missing"))
    if found:
        return found
    if type(run["task_id"]) is not int or run["task_id"] < 0:
        refuse(("task_id",), "task_id must be a whole number from 0", run["task_id"])
    if type(run["trial"]) is not int or not 0 <= run["trial"] <= MAX_TRIAL:
        refuse(("trial",), f"trial must be a whole number from 0 to {MAX_TRIAL}", run["trial"])
    reward = run["reward"]
    if isinstance(reward, bool) or not isinstance(reward, (int, float)):
        refuse(("reward",), "reward must be a number", reward)
    elif reward not in (0, 1):
        refuse(("reward",), "a partial reward: only 0 and 1 say whether the episode passed", reward)
    info = run["info"]
    if not isinstance(info, dict) or not isinstance(info.get("task"), dict):
        refuse(
            ("info",), "info must be an object with the task", "null" if info is None else type(info).__name__
        )
    elif "reward_info" not in info:
        found.append(
            document.problem(("info",), "the key reward_info is missing (null where the step limit ended it)")
        )
    elif not found:
        found += _reward_problems(document, reward, info["reward_info"])
    if not isinstance(run["traj"], list) or not run["traj"]:
        refuse(("traj",), "traj must be a list of messages", type(run["traj"]).__name__)
    else:
        for index, message in enumerate(run["traj"]):
            wrong = shape_problem(message)
            if wrong is not None:
                found.append(document.problem(("traj", index), wrong))
    return found


def _reward_problems(document: Document, reward: Json, reward_info: Json) -> Iterator[Problem]:
    place = ("info", "reward_info")
    if reward_info is None:
        if reward != 0:
            yield document.problem(
                place, "a run that the step limit ended can not have a reward", found=str(reward)
            )
    elif not isinstance(reward_info, dict):
        yield document.problem(place, "reward_info must be an object or null")
    elif "reward" in reward_info and reward_info["reward"] != reward:
        found = str(reward_info["reward"])
        yield document.problem(
            (*place, "reward"), f"the run's reward is {reward}, and this differs", found=found
        )


def _episode(document: Document) -> TauEpisode:
    run: Any = document.value
    messages: list[Mapping[str, Any]] = run["traj"]
    info: Mapping[str, Any] = run["info"]
    task, trial = f"task_{run['task_id']}", run["trial"]
    prompt = "\n".join(roles(messages, "system") + roles(messages, "developer"))
    task_digest = digest(info["task"])
    trace = Trace([_started(task, trial, task_digest, prompt)])
    chat = ChatTrace(trace, is_error=lambda text: text.startswith("Error"))
    for index, message in enumerate(messages):
        chat.add(index, message)
    chat.close(len(messages) - 1)
    trace.records.append({"seq": len(trace.records), "at": None, "kind": "stopped", **_stop(info, messages)})
    return TauEpisode(
        task=task,
        trial=trial,
        task_digest=task_digest,
        trace=trace,
        verdict=_verdict(run["reward"], info["reward_info"], trace),
        findings=tuple(chat.findings),
        prompt=prompt,
        source=run,
    )


def _started(task: str, trial: int, task_digest: str, prompt: str) -> dict[str, Any]:
    prompt_digest = hashlib.sha256(prompt.encode("utf-8")).hexdigest()
    return {
        "seq": 0,
        "at": None,
        "kind": "started",
        "format": FORMAT,
        "scenario": task,
        "trial": trial,
        "seed": None,
        "episode": "fresh",
        "layer": None,
        "evidence": "recorded elsewhere",
        "agent": {"name": AGENT, "kind": "undeclared", "settings": {"prompt": prompt_digest}},
        "tenant": None,
        "digests": {"scenario": task_digest, "world": None, "agent": prompt_digest, "initial": None},
    }


def _stop(info: Mapping[str, Any], messages: list[Mapping[str, Any]]) -> dict[str, Any]:
    if info["reward_info"] is None:
        return {"reason": "turn_limit", "detail": STEP_LIMIT}
    last = messages[-1]
    by = str(last.get("name") or "a tool") if last["role"] == "tool" else str(last["role"])
    return {"reason": "finished", "detail": f"ended by {by}"}


def _verdict(reward: Json, reward_info: Json, trace: Trace) -> Verdict:
    if reward == 1:
        return Verdict(outcome="passed", held=(Note(check=CHECK, message="the suite gave reward 1"),))
    stop = len(trace) - 1
    if not isinstance(reward_info, dict):
        return _failed("not_finished", STEP_LIMIT, (stop,))
    details = reward_info.get("info")
    outputs = details.get("outputs") if isinstance(details, dict) else None
    if isinstance(outputs, dict):
        missing = [text for text, there in outputs.items() if not there]
        if missing:
            replies = tuple(record["seq"] for record in trace.by_kind("reply"))[-1:]
            message = f"no reply said {', '.join(missing)}, as the suite asks"
            return _failed("missing_reply", message, replies, expected=list[Json](missing))
    return _failed("state_mismatch", "the suite found other data than its own actions leave", ())


def _failed(code: str, message: str, evidence: tuple[int, ...], expected: Json = None) -> Verdict:
    failure = Failure(
        code=code, severity="major", check=CHECK, message=message, evidence=evidence, expected=expected
    )
    return Verdict(outcome="failed", failures=(failure,))
