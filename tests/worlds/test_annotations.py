"""Tool arguments and record fields are declared as Python types, and only JSON types can be."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any, Literal, NotRequired, Optional, Required, TypedDict

import pytest

from company_lab.formats.errors import WrongUse
from company_lab.formats.shapes import Shape
from company_lab.worlds import (
    TARGET,
    About,
    Between,
    Context,
    CurrencyCode,
    Json,
    Like,
    MinorUnits,
    Moment,
    Prose,
    Ref,
)
from company_lab.worlds.annotations import record_shape, shape_of, signature_of


class Line(TypedDict):
    sku: str
    count: NotRequired[int]


class Loose(TypedDict, total=False):
    id: Required[str]
    anything: Json
    several: list[Json]


@pytest.mark.parametrize(
    ("annotation", "shape"),
    [
        (str, Shape(kind="text")),
        (int, Shape(kind="integer")),
        (float, Shape(kind="number")),
        (bool, Shape(kind="boolean")),
        (list, Shape(kind="list")),
        (dict, Shape(kind="object")),
        (Any, Shape()),
        (object, Shape()),
        (Json, Shape()),
        (str | None, Shape(kind="text", nullable=True)),
        (Optional[int], Shape(kind="integer", nullable=True)),  # noqa: UP045 - the old spelling is understood too
        (Literal["s", "m"], Shape(kind="text", choices=("s", "m"))),
        (Literal[1, 2] | None, Shape(kind="integer", choices=(1, 2), nullable=True)),
        (list[int], Shape(kind="list", items=Shape(kind="integer"))),
        (dict[str, list[str]], Shape(kind="object", values=Shape(kind="list", items=Shape(kind="text")))),
        (Annotated[str, Ref("parcels"), TARGET], Shape(kind="text", references="parcels", target=True)),
        (Annotated[int, Between(1, 5)], Shape(kind="integer", minimum=1, maximum=5)),
        (
            Annotated[str, Like("[A-Z]+"), About("Letters.")],
            Shape(kind="text", pattern="[A-Z]+", description="Letters."),
        ),
        (Annotated[str, "somebody else's mark"], Shape(kind="text")),
        (MinorUnits, Shape(kind="integer", money=True)),
        (CurrencyCode, Shape(kind="text", currency=True)),
        (Moment, Shape(kind="text", moment=True)),
        (Prose | None, Shape(kind="text", prose=True, nullable=True)),
    ],
)
def test_annotations_become_shapes(annotation: object, shape: Shape) -> None:
    assert shape_of(annotation) == shape


@pytest.mark.parametrize(
    "annotation",
    [
        int | str,
        int | str | None,
        tuple[int, ...],
        set[str],
        bytes,
        complex,
        dict[int, str],
        Literal["a", 1],
        Literal[True],
        Context,
    ],
)
def test_what_can_not_cross_the_boundary_is_refused(annotation: object) -> None:
    with pytest.raises(WrongUse):
        shape_of(annotation)


def test_a_typed_dict_becomes_an_object_with_its_required_keys() -> None:
    assert record_shape(Line) == Shape(
        kind="object",
        fields={"sku": Shape(kind="text"), "count": Shape(kind="integer")},
        required=frozenset({"sku"}),
    )
    loose = record_shape(Loose)
    assert loose.required == {"id"}
    assert loose.fields == {
        "id": Shape(kind="text"),
        "anything": Shape(),
        "several": Shape(kind="list", items=Shape()),
    }


def order(context: Context, id: str, lines: list[Line], note: Json = None, *, count: int = 1) -> Json:
    return None


def test_a_signature_is_what_follows_the_context() -> None:
    parameters = signature_of(order).parameters
    assert list(parameters) == ["id", "lines", "note", "count"]
    assert [parameter.required for parameter in parameters.values()] == [True, True, False, False]
    assert parameters["count"].default == 1
    assert parameters["note"].shape == Shape()
    assert parameters["lines"].shape.items == record_shape(Line)


def starred(context: Context, *ids: str) -> Json:
    return None


def keyed(context: Context, **rest: str) -> Json:
    return None


def bare(context: Context, id) -> Json:  # type: ignore[no-untyped-def]
    return None


@pytest.mark.parametrize(
    ("function", "message"),
    [(starred, "can not be an argument"), (keyed, "can not be an argument"), (bare, "id has no annotation")],
)
def test_a_tool_says_what_it_takes(function: Any, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        signature_of(function)


def test_an_annotation_that_leads_nowhere_is_told_as_such() -> None:
    class Hidden(TypedDict):
        id: str

    def tool(context: Context, hidden: Hidden) -> Json:
        return None

    with pytest.raises(WrongUse, match=r"Hidden.*must stand at the top of its module"):
        signature_of(tool)


WITHOUT_IMPORTING_JSON = '''
from company_lab import worlds

depot = worlds.Department("depot")

@depot.tool()
def echo(context: worlds.Context, value: worlds.Json, several: list[worlds.Json]) -> worlds.Json:
    """Give it back."""
    return value

world = worlds.World("depot", [depot])
print(world.tools["depot.echo"].signature.json_schema()["properties"])
print(world.digest)
'''


def test_a_world_typed_into_a_shell_works_and_keeps_its_digest() -> None:
    printed = [
        subprocess.run(
            [sys.executable, "-c", WITHOUT_IMPORTING_JSON], check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    ]
    assert printed[0] == printed[1]
    assert printed[0].startswith("{'value': {}, 'several': {'type': 'array', 'items': {}}}\n")
