"""What scoring says: a short text, the details, JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from company_lab.formats.canonical import Json
from company_lab.formats.hostile import one_line
from company_lab.interop.scoring import Judged, Part, TaskScore

ALWAYS_SHOWN_K = 2


def text_of(parts: Sequence[Part], *, details: bool = False) -> str:
    """The report, one block for each kind of evidence."""
    return "\n\n".join("\n".join(_lines(part, details)) for part in parts)


def json_of(parts: Sequence[Part]) -> Json:
    """The same as JSON. Figures that do not exist are null."""
    return {"format": 1, "parts": [_part(part) for part in parts]}


def evidence_line(part: Part) -> str:
    """What the figures are evidence of."""
    if part.authored:
        return "Authored fixtures only; no model inference"
    claims = f" (according to the files: {part.claimed})" if part.claimed else ""
    return f"Recorded elsewhere{claims}; nothing was run or observed here"


def _lines(part: Part, details: bool) -> Iterator[str]:
    yield evidence_line(part)
    if part.complete:
        yield from _figures(part)
    else:
        yield from _incomplete(part)
    yield from _critical(part)
    if details:
        yield ""
        yield from _details(part)


def _figures(part: Part) -> Iterator[str]:
    count = len(part.episodes)
    errors = [episode for episode in part.episodes if episode.error]
    yield f"successful episodes: {part.successes}/{part.planned}"
    for k in range(1, part.largest_k + 1):
        figure = part.pass_k(k)
        # From here on every larger k is zero too, and says nothing more.
        if figure is None or (k > ALWAYS_SHOWN_K and not figure):
            break
        yield f"pass^{k}: {figure:.4f}"
    yield f"error episodes recovered: {sum(episode.recovered for episode in errors)}/{len(errors)}"
    yield f"turn-limit episodes: {sum(episode.stop == 'turn_limit' for episode in part.episodes)}/{count}"
    yield from _unrepeated(part)


def _critical(part: Part) -> Iterator[str]:
    """Every critical failure by itself: no mean shows them."""
    struck = [episode for episode in part.episodes if episode.critical]
    if struck:
        yield f"critical failures: in {len(struck)} of {len(part.episodes)} episodes"
    for episode in struck:
        for failure in episode.critical:
            yield f"  {one_line(episode.task)} trial {episode.trial}: {one_line(failure)}"


def _unrepeated(part: Part) -> Iterator[str]:
    alike = [task for task in part.tasks if task.trials > 1 and not task.repeated]
    if part.largest_k == 1:
        yield "one trial of a task: no repeated reliability established"
    elif len(alike) == len(part.tasks):
        yield "the trials of each task are identical: no repeated reliability established"
    elif alike:
        yield f"identical trials of {len(alike)} of {len(part.tasks)} tasks: no repeated reliability established there"


def _incomplete(part: Part) -> Iterator[str]:
    counted = sum(task.trials for task in part.tasks)
    yield f"incomplete: {counted} of {part.planned} planned episodes count, so no figure across tasks"
    for task in part.tasks:
        name = one_line(task.task)
        if task.complete:
            yield f"{name}: {task.successes} of {task.trials} successful"
            continue
        yield f"{name}: {task.trials} of {task.planned} episodes, {task.successes} of them successful"
        if not task.trials and not task.uncounted:
            yield f"  {name} has a goal and no episode"
        elif task.missing:
            yield f"  missing: trial {_numbers(task.missing)}"
        if task.uncounted:
            yield f"  not counted: trial {_numbers(task.uncounted)}"


def _numbers(trials: Sequence[int]) -> str:
    shown = ", ".join(map(str, trials[:10]))
    return f"{shown} and {len(trials) - 10} more" if len(trials) > 10 else shown


def _details(part: Part) -> Iterator[str]:
    width = max(len(one_line(episode.task)) for episode in part.episodes)
    for episode in sorted(part.episodes, key=lambda episode: (episode.task, episode.trial)):
        reasons = "; ".join(map(one_line, episode.reasons))
        error = "an error on the way" if episode.error else ""
        said = "; ".join(filter(None, (reasons, error)))
        head = f"{one_line(episode.task):<{width}}  trial {episode.trial}  {episode.outcome:<11}"
        yield f"{head}  {said}".rstrip()
    for task in part.tasks:
        if task.complete:
            figures = "  ".join(f"pass^{k} {figure:.4f}" for k, figure in _all_k(task).items())
            yield f"{one_line(task.task):<{width}}  {task.successes}/{task.trials}  {figures}"


def _all_k(task: TaskScore) -> dict[int, float]:
    figures = ((k, task.pass_k(k)) for k in range(1, task.trials + 1))
    return {k: figure for k, figure in figures if figure is not None}


def _part(part: Part) -> Json:
    errors = [episode for episode in part.episodes if episode.error]
    figures: dict[str, Json] = {}
    if part.complete:
        figures = {str(k): part.pass_k(k) for k in range(1, part.largest_k + 1)}
    return {
        "evidence": evidence_line(part),
        "complete": part.complete,
        "planned": part.planned,
        "counted": sum(task.trials for task in part.tasks),
        "successful": part.successes if part.complete else None,
        "pass_k": figures or None,
        "estimator": "mean over tasks of C(c,k)/C(n,k)",
        "error_episodes": len(errors),
        "error_episodes_recovered": sum(episode.recovered for episode in errors) if part.complete else None,
        "critical_episodes": sum(bool(episode.critical) for episode in part.episodes),
        "turn_limit_episodes": sum(episode.stop == "turn_limit" for episode in part.episodes),
        "tasks": [_task(task) for task in part.tasks],
        "episodes": [_episode(episode) for episode in part.episodes],
    }


def _task(task: TaskScore) -> Json:
    return {
        "task": task.task,
        "planned": task.planned,
        "trials": task.trials,
        "successes": task.successes,
        "repeated": task.repeated,
        "pass_k": {str(k): figure for k, figure in _all_k(task).items()} or None,
        "missing": list(task.missing),
        "not_counted": list(task.uncounted),
    }


def _episode(episode: Judged) -> Json:
    return {
        "task": episode.task,
        "trial": episode.trial,
        "outcome": episode.outcome,
        "reasons": list(episode.reasons),
        "critical": list(episode.critical),
        "stop": episode.stop,
        "calls": episode.calls,
        "error": episode.error,
        "recovered": episode.recovered,
        "where": episode.where,
    }
