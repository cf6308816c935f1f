from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (make test-hosting)")

from company_lab.formats.errors import WrongUse
from company_lab.interop.inspect_log import write_inspect_log
from company_lab.library import run

pytestmark = [pytest.mark.timeout(180), pytest.mark.filterwarnings("default")]
SUITE = Path(__file__).parents[2] / "src" / "company_lab" / "company" / "suite" / "address_change.yaml"


def silent(task: Any, session: Any) -> str:
    return "I do not know."


def test_a_run_becomes_a_log_that_inspect_reads(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    with run(SUITE, agent=silent, trials=2) as played:
        written = write_inspect_log(played.store, played.id, tmp_path / "run.json")
        planned = len(played.plan.cells)
        failed = sum(not verdict.passed for _, verdict in played.verdicts())
    log = read_eval_log(str(tmp_path / "run.json"))
    assert written == planned == len(log.samples or ())
    assert sum(sample.scores["company_lab"].value == "I" for sample in log.samples or ()) == failed
    assert json.loads((tmp_path / "run.json").read_text())["eval"]["metadata"]["planned"] == planned


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with run(SUITE, agent=silent) as played, pytest.raises(WrongUse, match=r"\.json or \.eval"):
        write_inspect_log(played.store, played.id, tmp_path / "run.txt")


def test_scenarios_are_a_task_of_inspect(tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, get_model

    from company_lab.interop.inspect import task

    outputs = [ModelOutput.from_content("mockllm/model", "I do not know.") for _ in range(200)]
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_eval(task(str(SUITE)), model=model, log_dir=str(tmp_path), display="none", limit=2)
    assert log.status == "success", log.error
    for sample in log.samples or ():
        assert sample.scores["verdicts"].value == "I"
        assert sample.store["company_lab:verdict"]["outcome"] == "failed"
