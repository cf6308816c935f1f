"""A run as a log of Inspect, written by Inspect itself: `company-lab export RUN --form inspect --output run.json`.

What fits is there: a sample for each episode with its conversation, its verdict as the score, and the codes of what was
broken. What does not fit (guard answers, changes of records, effects) stays in the run. Needs the extra `inspect`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from company_lab.formats.canonical import canonical
from company_lab.formats.errors import WrongUse
from company_lab.runs import Store
from company_lab.runs.episode import StoredEpisode
from company_lab.runs.plan import RunPlan

SCORER = "company_lab"
_VALUES = {"passed": "C", "failed": "I"}


def write_inspect_log(store: Store, run: str, path: Path) -> int:
    """Write the episodes of a run as an eval log; how many there are. `path` ends in .json or .eval.

    Raises `WrongUse` where inspect-ai is not installed, or for another ending.
    """
    if path.suffix not in (".json", ".eval"):
        raise WrongUse(f"{path} is no log of Inspect: give --output a name that ends in .json or .eval")
    try:
        from inspect_ai import log
    except ImportError as error:
        raise WrongUse(
            f"inspect-ai can not be imported ({error}): pip install 'company-lab[inspect]'"
        ) from None
    plan = store.plan(run)
    samples = [_sample(stored) for stored in store.stored(run)]
    document = {
        "version": 2,
        "status": "success" if len(samples) == len(plan.cells) else "cancelled",
        "eval": _spec(plan, len(samples)),
        "results": _results(samples, len(plan.cells)),
        "samples": samples,
    }
    written = log.EvalLog.model_validate(document)
    log.write_eval_log(written, str(path))
    return len(samples)


def _spec(plan: RunPlan, samples: int) -> dict[str, Any]:
    return {
        "run_id": plan.run,
        "created": plan.created,
        "task": Path(plan.suite).name,
        "task_id": plan.suite_digest[:22],
        "dataset": {"name": plan.suite, "samples": len(plan.planned()), "sample_ids": list(plan.planned())},
        "model": f"company_lab/{plan.agent.name}",
        "config": {"epochs": plan.trials},
        "metadata": {
            "agent": plan.agent.kind,
            "evidence": list(plan.evidence),
            "seed": plan.seed,
            "suite_digest": plan.suite_digest,
            "episodes": samples,
            "planned": len(plan.cells),
        },
    }


def _results(samples: list[dict[str, Any]], planned: int) -> dict[str, Any]:
    values = [sample["scores"][SCORER]["value"] for sample in samples]
    scored = [value for value in values if value in ("C", "I")]
    # Where cells are missing or undecided no rate is given: it would look like one over all of them.
    metrics = {}
    if scored and len(scored) == planned:
        metrics["accuracy"] = {"name": "accuracy", "value": values.count("C") / planned}
    return {
        "total_samples": planned,
        "completed_samples": len(samples),
        "scores": [
            {
                "name": SCORER,
                "scorer": SCORER,
                "scored_samples": len(scored),
                "unscored_samples": len(samples) - len(scored),
                "metrics": metrics,
            }
        ],
    }


def _sample(stored: StoredEpisode) -> dict[str, Any]:
    verdict = stored.verdict
    messages = list(_messages(stored))
    told = [one.message for one in verdict.failures]
    told += [note.message for note in (*verdict.unscored, *verdict.invalid)]
    stopped = next(iter(stored.trace.by_kind("stopped")), {})
    asked = next((one["content"] for one in messages if one["role"] == "user"), "")
    return {
        "id": stored.scenario,
        "epoch": stored.trial,
        "input": asked,
        "target": "passed",
        "messages": messages,
        "scores": {
            SCORER: {
                "value": _VALUES.get(verdict.outcome, "N"),
                "answer": verdict.outcome,
                "explanation": "\n".join(told) or None,
                "metadata": {
                    "codes": list(verdict.codes),
                    "critical": [one.failure_class for one in verdict.failures if one.severity == "critical"],
                },
            }
        },
        "metadata": {"stop": stopped.get("reason"), "trace": stored.trace.digest},
    }


def _messages(stored: StoredEpisode) -> Iterator[dict[str, Any]]:
    results = {record["call"]: record for record in stored.trace.by_kind("result")}
    for record in stored.trace.records:
        kind = record["kind"]
        if kind == "turn":
            yield {"role": "user", "content": str(record.get("message") or "")}
        elif kind == "action":
            args = record.get("args")
            yield {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {
                        "id": record["call"],
                        "function": record["tool"],
                        "arguments": args if isinstance(args, dict) else {},
                        "parse_error": None if isinstance(args, dict) else "the arguments were no object",
                        "type": "function",
                    }
                ],
            }
            result = results.get(record["call"], {})
            error = result.get("error")
            yield {
                "role": "tool",
                "tool_call_id": record["call"],
                "function": record["tool"],
                "content": canonical(result.get("value")) if error is None else json.dumps(error),
            }
        elif kind == "reply":
            yield {"role": "assistant", "content": str(record["text"])}
