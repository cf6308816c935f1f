from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect-ai is not installed (make test-hosting)")

from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from company_lab.agents.conducts import reference, wrong
from company_lab.episodes.play import play
from company_lab.evaluation import judge
from company_lab.formats.errors import WrongUse
from company_lab.interop.inspect_log import write_inspect_log
from company_lab.library import run
from company_lab.runs import cast
from company_lab.scenarios.model import ConductTurn, Scenario, Step
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world

pytestmark = [pytest.mark.timeout(180), pytest.mark.filterwarnings("default")]
SUITE = Path(__file__).parents[2] / "src" / "company_lab" / "company" / "suite" / "address_change.yaml"


def silent(task: Any, session: Any) -> str:
    return "I do not know."


@pytest.mark.parametrize("file", ["run.json", "run.eval"])
def test_a_run_becomes_a_log_that_inspect_reads(tmp_path: Path, file: str) -> None:
    with run(SUITE, agent=silent, trials=2) as played:
        written = write_inspect_log(played.store, played.id, tmp_path / file)
        planned = len(played.plan.cells)
        outcomes = {(cell.scenario, cell.trial): one.outcome for cell, one in played.verdicts()}
    log = read_eval_log(str(tmp_path / file))
    assert written == planned == len(log.samples or ()) == log.eval.metadata["planned"]
    scores = {(one.id, one.epoch): one.scores["company_lab"] for one in log.samples or ()}
    assert {key: score.answer for key, score in scores.items()} == outcomes
    assert {score.value for score in scores.values()} == {"I"}
    assert log.results.scores[0].metrics["accuracy"].value == 0.0


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with run(SUITE, agent=silent) as played, pytest.raises(WrongUse, match=r"\.json or \.eval"):
        write_inspect_log(played.store, played.id, tmp_path / "run.txt")


def scripted(turns: Sequence[ConductTurn]) -> Any:
    """A model of Inspect's that works through one scenario as a conduct says."""
    script: list[Step | str] = []
    for turn in turns:
        script += [*turn.do, turn.reply or ""]

    def answer(messages: list[Any], tools: list[Any], choice: Any, config: Any) -> ModelOutput:
        said = sum(message.role == "assistant" for message in messages)
        now = script[said] if said < len(script) else "There is nothing more to do."
        if isinstance(now, str):
            output = ModelOutput.from_content("mockllm/model", now)
        else:
            name = now.tool.replace(".", "_")
            output = ModelOutput.for_tool_call("mockllm/model", name, dict(now.args))
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def evaluated(folder: Path, scenario: Scenario, model: Any, **more: Any) -> Any:
    """The sample of an evaluation by Inspect, read back from its log."""
    (ran,) = inspect_eval(
        "company_lab/scenarios",
        task_args={"suite": str(SUITE)},
        model=model,
        sample_id=scenario.id,
        log_dir=str(folder),
        display="none",
        **more,
    )
    (sample,) = read_eval_log(ran.location).samples or [None]
    assert sample.id == scenario.id
    return sample


@pytest.fixture(scope="module")
def scenarios() -> tuple[Scenario, ...]:
    loaded = load_suite(SUITE, worlds=lambda name: resolve_world(name).spec)
    return tuple(one for one in loaded.scenarios if not one.is_contract)


@pytest.mark.parametrize("wrongly", [False, True], ids=["references", "wrong conducts"])
def test_a_task_of_inspect_scores_as_our_own_verdicts_say(
    tmp_path: Path, scenarios: tuple[Scenario, ...], wrongly: bool
) -> None:
    for casting in cast(scenarios, agent=None):
        scenario = casting.scenario
        conduct = wrong(scenario, scenario.wrong[0].id) if wrongly else reference(scenario)
        verdict = judge(scenario, casting.world.spec, play(casting.fixture, conduct).trace)
        sample = evaluated(
            tmp_path, scenario, scripted(scenario.wrong[0].turns if wrongly else scenario.reference)
        )
        score = sample.scores["verdicts"]
        assert (score.answer, score.value) == (verdict.outcome, "I" if wrongly else "C"), score.explanation
        assert score.metadata["codes"] == [one.code for one in verdict.failures]
        assert sample.store["company_lab:trace"][0]["agent"]["kind"] == "test_model"


def test_what_the_model_used_is_in_the_trace(tmp_path: Path, scenarios: tuple[Scenario, ...]) -> None:
    sample = evaluated(tmp_path, scenarios[0], scripted(scenarios[0].reference))
    used = [one for one in sample.store["company_lab:trace"] if one["kind"] == "usage"]
    answers = sum(message.role == "assistant" for message in sample.messages)
    found = [(one["input_tokens"], one["output_tokens"], one["cost_usd"]) for one in used]
    assert found == [(10, 5, "0")] * answers


def test_a_limit_of_inspect_is_told_by_inspect_and_is_nobodys_failure(
    tmp_path: Path, scenarios: tuple[Scenario, ...]
) -> None:
    sample = evaluated(tmp_path, scenarios[0], scripted(scenarios[0].reference), token_limit=20)
    assert sample.limit.type == "token"
    assert sample.store["company_lab:verdict"]["outcome"] == "unscored"
    assert sample.scores["verdicts"].value == "N"


def test_an_outage_of_the_model_is_an_error_of_the_sample(
    tmp_path: Path, scenarios: tuple[Scenario, ...]
) -> None:
    def down(messages: list[Any], tools: list[Any], choice: Any, config: Any) -> ModelOutput:
        raise RuntimeError("the host is down")

    model = get_model("mockllm/model", custom_outputs=down)
    sample = evaluated(tmp_path, scenarios[0], model, fail_on_error=False)
    assert "the host is down" in sample.error.message
    assert sample.store["company_lab:verdict"]["outcome"] == "unscored"


def test_arguments_that_no_tool_can_take_are_the_agents(
    tmp_path: Path, scenarios: tuple[Scenario, ...]
) -> None:
    def garbled(messages: list[Any], tools: list[Any], choice: Any, config: Any) -> ModelOutput:
        if any(message.role == "tool" for message in messages):
            output = ModelOutput.from_content("mockllm/model", "I do not know.")
        else:
            output = ModelOutput.for_tool_call("mockllm/model", "crm_get", {})
            output.message.tool_calls[0].parse_error = 'not JSON: {"id": C-1'
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output

    model = get_model("mockllm/model", custom_outputs=garbled)
    sample = evaluated(tmp_path, scenarios[0], model)
    results = [one for one in sample.store["company_lab:trace"] if one["kind"] == "result"]
    assert [one["outcome"] for one in results] == ["malformed"]
