from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import ToolError
from company_lab.episodes.play import play
from company_lab.evaluation import judge
from company_lab.formats.errors import WrongUse
from company_lab.interop.hosting.tau_checkout import load_domain
from company_lab.interop.hosting.tau_rejudge import replay
from company_lab.interop.tau_import import import_file
from company_lab.probing.audit import audit_suite
from company_lab.runs import Store, cast
from company_lab.scenarios.model import Suite
from company_lab.scenarios.suite import load_suite
from company_lab.worlds.registry import resolve_world
from tau_checkout_files import recorded_run, write_checkout

CANCEL = ("cancel_order", {"order_id": "#W3", "reason": "ordered twice"}, "")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return write_checkout(tmp_path / "checkout")


def spec(name: str) -> Any:
    return resolve_world(name).spec


def loaded(checkout: Path) -> Suite:
    return load_suite(f"tau-bench:{checkout}#bakery", spec)


def test_references_pass_and_show_what_they_change(checkout: Path) -> None:
    for casting in cast(loaded(checkout).scenarios, agent=None):
        episode = play(casting.fixture, casting.agent)
        verdict = judge(casting.scenario, casting.world.spec, episode.trace)
        assert verdict.passed
        assert not verdict.advisories
    changes = {(one["table"], one["id"]) for one in episode.trace.records[-1]["changes"]}
    assert changes == set()


def test_a_wrong_argument_fails_by_the_data(checkout: Path) -> None:
    def act(task: Any, session: Any) -> str:
        session.call("bakery.cancel_order", order_id="#W6", reason="ordered twice")
        return "10 are credited"

    (casting,) = cast(loaded(checkout).scenarios[:1], agent=function_agent(act))
    verdict = judge(casting.scenario, casting.world.spec, play(casting.fixture, casting.agent).trace)
    assert [(one.code, one.check) for one in verdict.failures] == [
        ("state_mismatch", "expected.data_matches")
    ]


def test_right_data_without_the_required_answer_fail(checkout: Path) -> None:
    def act(task: Any, session: Any) -> str:
        session.call("bakery.cancel_order", order_id="#W3", reason="ordered twice")
        return "Cancelled."

    (casting,) = cast(loaded(checkout).scenarios[:1], agent=function_agent(act))
    verdict = judge(casting.scenario, casting.world.spec, play(casting.fixture, casting.agent).trace)
    assert [one.check for one in verdict.failures] == ["expected.outputs_said"]


@pytest.mark.fault("A03")
def test_an_audit_finds_the_task_that_doing_nothing_passes(checkout: Path) -> None:
    report = audit_suite(loaded(checkout), resolve_world, only=["A1"], processes=1)
    assert [one.scenario for one in report.findings] == ["task_3"]


def test_a_checkout_is_loaded_without_its_packages_and_leaves_no_modules(checkout: Path) -> None:
    domain = load_domain(checkout, "bakery")
    assert len(domain.tasks) == 4
    assert not [name for name in sys.modules if name.partition(".")[0] == "tau_bench"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("#bakry", "did you mean bakery"),
        ("", "names no domain"),
        ("/elsewhere#bakery", "is no tau-bench checkout"),
    ],
)
def test_what_is_not_there_is_said(checkout: Path, name: str, said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        load_suite(f"tau-bench:{checkout}{name}", spec)


@pytest.mark.parametrize(
    ("steps", "reward"),
    [
        pytest.param([CANCEL, "You get 10 credited."], 1, id="right"),
        pytest.param([CANCEL, "You get 1,0 credited."], 1, id="commas do not count"),
        pytest.param(
            [("get_order_details", {"order_id": "#W9"}, ""), CANCEL, "10"], 1, id="looked around before"
        ),
        pytest.param([CANCEL, CANCEL, "10"], 1, id="a second attempt that is refused changes nothing"),
        pytest.param([CANCEL, "Done."], 0, id="not said"),
        pytest.param(
            [("cancel_order", {"order_id": "#W6", "reason": "ordered twice"}, ""), "10"], 0, id="wrong order"
        ),
        pytest.param(
            [CANCEL, ("move_order", {"order_id": "#W5", "street": "x", "city": "y"}, ""), "10"], 0, id="more"
        ),
        pytest.param(["10"], 0, id="only said"),
    ],
)
def test_recorded_runs_are_judged_by_carrying_their_calls_out(
    checkout: Path, steps: list[Any], reward: int
) -> None:
    assert replay(load_domain(checkout, "bakery"), recorded_run(0, 0, 0, steps)).reward == reward


@pytest.mark.fault("A28")
def test_judging_again_changes_neither_the_data_nor_the_verdict(checkout: Path) -> None:
    domain = load_domain(checkout, "bakery")
    before = json.dumps(domain.data)
    run = recorded_run(0, 0, 1, [CANCEL, "10"])
    assert [replay(domain, run) for _ in range(3)] == [replay(domain, run)] * 3
    assert json.dumps(domain.data) == before


@pytest.mark.fault("A28")
def test_a_tool_that_keeps_its_arguments_and_writes_on_in_them_changes_no_task(checkout: Path) -> None:
    domain = load_domain(checkout, "bakery")
    actions: tuple[tuple[str, dict[str, Any]], ...] = (
        ("note_wishes", {"order_id": "#W3", "wishes": ["dark"]}),
        ("add_wish", {"order_id": "#W3", "wish": "sliced"}),
    )
    task = replace(domain.tasks["task_0"], actions=actions, outputs=())
    before = repr(task)
    assert domain.target(task)["orders", "#W3"]["wishes"] == ["dark", "sliced"]
    assert repr(task) == before


def test_nothing_works_or_counts_after_a_hand_over(checkout: Path) -> None:
    scenario = loaded(checkout).scenarios[0]

    def act(task: Any, session: Any) -> str:
        session.call("bakery.transfer_to_human_agents", summary="I do not know")
        with pytest.raises(ToolError, match="handed over"):
            session.call("bakery.cancel_order", order_id="#W3", reason="ordered twice")
        return "10 are credited"

    (casting,) = cast([scenario], agent=function_agent(act))
    verdict = judge(scenario, casting.world.spec, play(casting.fixture, casting.agent).trace)
    assert [one.check for one in verdict.failures] == ["expected.data_matches", "expected.outputs_said"]


def test_handing_over_where_that_is_right_passes(checkout: Path) -> None:
    scenario = loaded(checkout).scenarios[3]

    def act(task: Any, session: Any) -> str:
        session.call("bakery.transfer_to_human_agents", summary="it is baked")
        return "A colleague will get in touch."

    (casting,) = cast([scenario], agent=function_agent(act))
    assert judge(scenario, casting.world.spec, play(casting.fixture, casting.agent).trace).passed


@pytest.mark.fault("A16")
def test_a_call_of_no_tool_and_arguments_that_are_none_stay_the_agents(checkout: Path) -> None:
    steps = [("fly_away", {}, ""), ("cancel_order", {"number": 3}, ""), CANCEL, "10"]
    assert replay(load_domain(checkout, "bakery"), recorded_run(0, 0, 0, steps)).reward == 1


def test_a_run_that_the_step_limit_ended_has_no_reward(checkout: Path) -> None:
    run = recorded_run(0, 0, 0, [CANCEL, "10"], over=True)
    assert replay(load_domain(checkout, "bakery"), run).reward == 0


def test_an_import_with_a_checkout_says_where_the_recorded_reward_differs(
    checkout: Path, tmp_path: Path
) -> None:
    file = tmp_path / "runs.json"
    runs = [recorded_run(0, 0, 1, [CANCEL, "10"]), recorded_run(0, 1, 1, ["10"])]
    file.write_text(json.dumps(runs))
    with Store(tmp_path / "runs.db") as store:
        text, code = import_file(file, store, width=200, checkout=f"{checkout}#bakery")
        plain, _ = import_file(file, store, width=200)
        assert len(store.runs()) == 2
    assert code == 0
    assert "judged again on the data of bakery: 1 of 2 verdicts are those that were recorded" in text
    assert "task_0 trial 1: recorded 1, 0 when its calls are carried out again" in text
    assert "successful episodes: 1/2" in text
    assert "successful episodes: 2/2" in plain


def test_a_field_that_was_written_and_taken_away_again_is_no_change(checkout: Path) -> None:
    def act(task: Any, session: Any) -> str:
        for wishes in (["dark"], ["dark", "sliced"], []):
            session.call("bakery.note_wishes", order_id="#W6", wishes=wishes)
        session.call("bakery.cancel_order", order_id="#W3", reason="ordered twice")
        return "10 are credited"

    (casting,) = cast(loaded(checkout).scenarios[:1], agent=function_agent(act))
    trace = play(casting.fixture, casting.agent).trace
    changed = {one["id"]: sorted(one["fields"]) for one in trace.records[-1]["changes"]}
    assert "#W6" not in changed
    assert "#W3" in changed
    assert judge(casting.scenario, casting.world.spec, trace).passed
