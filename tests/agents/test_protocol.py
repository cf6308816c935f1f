"""What an agent is, says it is, and is told."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, get_args

import pytest

from company_lab.agents.functions import function_agent
from company_lab.agents.protocol import (
    EVIDENCE,
    FREE_KINDS,
    LAYER,
    Agent,
    AgentKind,
    ErrorCode,
    Session,
    Task,
    ToolError,
    declare,
)
from company_lab.formats.errors import CompanyLabError, WrongUse
from depot import episode, run, scenario, world


def told(task: Task) -> str:
    return json.dumps(
        {
            **dataclasses.asdict(task),
            "tools": [[tool.name, tool.description, tool.parameters] for tool in task.tools],
        }
    )


def test_every_kind_of_agent_has_its_evidence_and_its_layer() -> None:
    assert set(EVIDENCE) == set(LAYER) == set(get_args(AgentKind))
    assert (EVIDENCE["real_model"], LAYER["real_model"]) == ("real model", "reasoning")
    assert "real model" not in {evidence for kind, evidence in EVIDENCE.items() if kind != "real_model"}
    assert "real_model" not in FREE_KINDS
    assert "undeclared" not in FREE_KINDS


@pytest.mark.parametrize("kind", ["scripted", "test_model", "real_model"])
def test_a_function_can_say_of_what_kind_it_is(kind: Any) -> None:
    @declare(kind=kind)
    def agent(task: Task, session: Session) -> str:
        return "done"

    made = function_agent(agent)
    assert made.kind == kind
    assert made.costs_nothing is (kind != "real_model")
    header = run(made).header
    assert (header["agent"]["kind"], header["evidence"], header["layer"]) == (
        kind,
        EVIDENCE[made.kind],
        LAYER[made.kind],
    )


def test_an_undeclared_function_is_no_real_model_and_its_cost_is_unknown() -> None:
    made = function_agent(lambda task, session: "done")
    assert (made.kind, made.costs_nothing) == ("undeclared", False)


def test_a_function_can_say_that_no_priced_model_is_called() -> None:
    @declare(kind="real_model", model_free=True)
    def local(task: Task, session: Session) -> str:
        return "done"

    assert function_agent(local).costs_nothing


def test_a_kind_nobody_knows_is_refused_with_the_nearest() -> None:
    with pytest.raises(WrongUse, match="no kind of agent 'real_modell'; did you mean real_model"):
        declare(kind="real_modell")  # type: ignore[arg-type]


def test_the_digest_of_an_agent_is_over_its_name_kind_and_settings() -> None:
    def act(task: Task, session: Session) -> str:
        return ""

    made = [
        Agent(name=name, kind=kind, act=act, settings=settings)  # type: ignore[arg-type]
        for name, kind, settings in (
            ("a", "scripted", {}),
            ("b", "scripted", {}),
            ("a", "test_model", {}),
            ("a", "scripted", {"temperature": "0"}),
        )
    ]
    digests = {run(agent).header["digests"]["agent"] for agent in made}
    assert len(digests) == 4


def test_tool_errors_are_of_the_family_and_say_what_was_refused() -> None:
    error = ToolError("held", "heavy", "held for approval: heavy", {"approval": "AP-1"})
    assert isinstance(error, CompanyLabError)
    assert (error.code, error.reason, error.detail, str(error)) == (
        "held",
        "heavy",
        {"approval": "AP-1"},
        "held for approval: heavy",
    )


def test_every_error_code_reaches_an_agent() -> None:
    codes: list[str] = []

    def agent(task: Task, session: Session) -> str:
        for tool, args in (
            ("depot.ship", {"id": "P-3"}),
            ("depot.ship", {"id": "P-2"}),
            ("depot.get", {"id": "P-99"}),
            ("depot.tell", {"id": "P-1", "text": "soon"}),
            ("depot.get", {}),
            ("depot.gett", {"id": "P-1"}),
        ):
            try:
                session.call(tool, **args)
            except ToolError as error:
                codes.append(error.code)
        return "done"

    run(agent, faults=[{"on": "depot.tell", "kind": "lost_ack"}])
    assert codes == list(get_args(ErrorCode))


SECRETS: dict[str, Any] = {
    "id": "secret_id",
    "title": "secret title",
    "failure_class": "secret_class",
    "family": "secret_family",
    "tags": ["secret_tag"],
    "origin": "secret origin",
    "split": "held_out",
    "expected": {"told": {"states": [{"literal": "secret literal"}]}, "facts": {"shipments": 3}},
    "providers": {"carrier": {"ship": [{"answer": "declined", "reason": "secret_reason"}]}},
    "faults": [{"on": "depot.get", "kind": "error", "error": "secret_error", "attempt": 5}],
}


def test_an_agent_is_told_nothing_it_should_find_out() -> None:
    seen: list[str] = []

    def agent(task: Task, session: Session) -> str:
        seen.append(told(task))
        seen.append(json.dumps(session.call("depot.get", id="P-1")))
        return "done"

    episode(agent, seed=987654321, trial=4242, **SECRETS)
    text = " ".join(seen)
    assert "Please see to it." in text
    assert [
        secret for secret in ("secret", "held_out", "987654321", "4242", "shipments") if secret in text
    ] == []


def test_an_agent_sees_the_tools_as_json_schema() -> None:
    offers: list[Any] = []
    run(lambda task, session: offers.extend(task.tools))
    assert [offer.name for offer in offers] == list(world.tools)
    ship = next(offer for offer in offers if offer.name == "depot.ship")
    assert (ship.description, ship.writes) == (
        "Hand a parcel to the carrier. The same key is shipped once.",
        True,
    )
    assert ship.parameters["required"] == ["id"]
    assert ship.parameters["additionalProperties"] is False
    json.dumps([offer.parameters for offer in offers])


def test_what_one_agent_does_to_the_schemas_no_other_agent_sees() -> None:
    def spoiling(task: Task, session: Session) -> str:
        for offer in task.tools:
            offer.parameters.clear()
            offer.parameters["properties"] = {}
        return "done"

    seen: list[Any] = []
    run(spoiling)
    run(lambda task, session: seen.extend(offer.parameters for offer in task.tools))
    assert seen == [tool.signature.json_schema() for tool in world.tools.values()]


def test_a_task_can_not_be_changed_and_its_text_is_the_message() -> None:
    def agent(task: Task, session: Session) -> str:
        with pytest.raises(dataclasses.FrozenInstanceError):
            task.message = "other"  # type: ignore[misc]
        return f"{task}"

    assert next(run(agent).by_kind("reply"))["text"] == "Please see to it."


def test_an_agent_made_for_a_scenario_plays_that_scenario() -> None:
    def bound(made: Any) -> Agent:
        return Agent(name=f"for {made.id}", kind="scripted", act=lambda task, session: "done")

    agent = Agent(name="any", kind="scripted", act=lambda task, session: "never", bound=bound)
    assert agent.for_scenario(scenario()).name == "for parcel_for_ida"
    assert run(agent).header["agent"]["name"] == "for parcel_for_ida"
