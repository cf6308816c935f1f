"""Scalars of the scenario format: names, counts, durations, moments, currencies, costs."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, StrictStr, WithJsonSchema

from company_lab.formats.money import UnknownCurrency, exponent
from company_lab.formats.time import BadTime, parse_duration, parse_moment
from company_lab.scenarios.part import unfit

_LONGEST_MS = 100 * 366 * 86_400_000


def _duration(value: object) -> int:
    if type(value) is not str or len(value) > 40:
        raise unfit("a duration is text", expected="a duration such as 20s, 10m, 1h30m, 3d")
    try:
        milliseconds = parse_duration(value)
    except BadTime as error:
        fix = "events are timed from the clock of the scenario" if re.match("[0-9]{4}-", value) else None
        raise unfit(str(error), expected="a duration such as 20s, 10m, 1h30m, 3d", fix=fix) from None
    if milliseconds > _LONGEST_MS:
        raise unfit("the duration is too long", expected="at most 100 years")
    return milliseconds


def _moment(value: str) -> str:
    try:
        parse_moment(value)
    except BadTime as error:
        raise unfit(str(error), expected="a moment with a zone, such as 2026-03-05T08:00:00+01:00") from None
    return value


def _date(value: str) -> str:
    try:
        if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            date.fromisoformat(value)
            return value
    except ValueError:
        pass
    raise unfit("this is no day of the calendar", expected="a date such as 2026-03-05")


def _currency(value: str) -> str:
    try:
        exponent(value)
    except UnknownCurrency as error:
        raise unfit(str(error), expected="an ISO 4217 currency code") from None
    return value


def _dollars(value: object) -> Decimal:
    if type(value) is str and re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{1,12})?", value):
        return Decimal(value)
    fix = f'quote it: "{value}"' if type(value) in (int, float) else None
    raise unfit("a cost is text, so that it stays exact", expected='US dollars such as "0.05"', fix=fix)


def _token(value: str) -> str:
    if not value or value != value.strip() or len(value) > 200 or not value.isprintable():
        raise unfit("a name is one line without spaces around it", expected="1 to 200 printable characters")
    return value


Token: TypeAlias = Annotated[StrictStr, AfterValidator(_token)]
"""A name given by the author: an id, a tag, a family."""
Positive: TypeAlias = Annotated[StrictInt, Field(ge=1)]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0)]
Milliseconds: TypeAlias = Annotated[
    int,
    BeforeValidator(_duration),
    WithJsonSchema(
        {
            "type": "string",
            "pattern": r"^\+?([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$",
            "description": "A duration such as 20s, 10m, 1h30m, 3d.",
        }
    ),
]
"""Written as a duration, kept as milliseconds."""
Moment: TypeAlias = Annotated[
    StrictStr,
    AfterValidator(_moment),
    Field(
        description="A moment with a zone, such as 2026-03-05T08:00:00+01:00.",
        json_schema_extra={
            "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}.*(Z|[+-][0-9]{2}:[0-9]{2})$"
        },
    ),
]
Date: TypeAlias = Annotated[
    StrictStr, AfterValidator(_date), Field(json_schema_extra={"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})
]
Currency: TypeAlias = Annotated[
    StrictStr, AfterValidator(_currency), Field(json_schema_extra={"pattern": "^[A-Z]{3}$"})
]
Dollars: TypeAlias = Annotated[
    Decimal,
    BeforeValidator(_dollars),
    WithJsonSchema(
        {"type": "string", "pattern": r"^[0-9]{1,12}(\.[0-9]{1,12})?$", "description": "US dollars"}
    ),
]
Locale: TypeAlias = Annotated[StrictStr, Field(pattern=r"^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$")]
