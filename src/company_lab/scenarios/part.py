"""Part: what every mapping of the scenario format has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import BaseModel, ConfigDict
from pydantic_core import CoreSchema, PydanticCustomError

from company_lab.formats.canonical import Json

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler

    JsonValue: TypeAlias = Json
    JsonObject: TypeAlias = dict[str, Json]
else:
    # The reader has made sure that these are JSON; looking again would cost more than everything else.
    JsonValue = Any
    JsonObject = dict[str, Any]


class Part(BaseModel):
    """A mapping with declared keys. Unknown keys are errors, and nothing changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def unfit(message: str, *, expected: str, fix: str | None = None) -> PydanticCustomError:
    """A value that its place in the scenario can not take, for validators to raise."""
    return PydanticCustomError("unfit", "{message}", {"message": message, "expected": expected, "fix": fix})


class Given:
    """Marks an optional key: it may be left out, but where it stands it needs a value; null is none.

    An empty `permissions:` must not quietly mean "every permission".
    """

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema: Any = handler(source)
        while schema["type"] == "nullable":
            schema = schema["schema"]
        return schema  # type: ignore[no-any-return]


class Named:
    """Marks a place of the format that depends on the world; `json_schema` fills in its names."""

    __slots__ = ("kind",)

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(schema)
        described["x-names"] = self.kind
        return described
