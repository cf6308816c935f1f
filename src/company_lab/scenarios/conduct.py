"""Conducts: scripted ways of working through a scenario."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, StrictBool, StrictStr, model_validator
from pydantic_core import CoreSchema

from company_lab.scenarios.codes import Code
from company_lab.scenarios.part import Given, JsonObject, Named, Part, unfit
from company_lab.scenarios.scalars import Token


class Step(Part):
    """One call of a conduct."""

    tool: StrictStr
    args: JsonObject = Field(default_factory=dict)
    malformed: StrictBool = False
    """Wrong on purpose: an unknown tool, or arguments the tool does not take. Only in wrong conducts."""


class ConductTurn(Part):
    """What is done in one turn, and the reply that ends it; no reply is silence."""

    do: tuple[Annotated[Step, Named("step")], ...] = ()
    reply: Annotated[StrictStr | None, Given] = None


class WrongConduct(Part):
    """A conduct that must fail with at least these codes. In YAML one turn is written as `do` and `reply`."""

    id: Token
    codes: Annotated[tuple[Code, ...], Field(min_length=1)]
    turns: Annotated[tuple[ConductTurn, ...], Field(min_length=1)]

    @model_validator(mode="before")
    @classmethod
    def _one_turn(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not ("do" in value or "reply" in value):
            return value
        if "turns" in value:
            raise unfit("one turn and several", expected="do and reply, or turns")
        turn = {key: value[key] for key in ("do", "reply") if key in value}
        rest = {key: item for key, item in value.items() if key not in turn}
        return {**rest, "turns": [turn]}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler.resolve_ref_schema(handler(schema))
        turns = described["properties"]["turns"]
        turn = handler.resolve_ref_schema(turns["items"])
        described["properties"] |= {key: turn["properties"][key] for key in ("do", "reply")}
        described["required"] = [key for key in described["required"] if key != "turns"]
        described["oneOf"] = [
            {"required": ["turns"]},
            {"anyOf": [{"required": ["do"]}, {"required": ["reply"]}]},
        ]
        return described
