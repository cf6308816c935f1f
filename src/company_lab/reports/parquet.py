"""A run as a Parquet file, one row for every planned cell, through pyarrow (the extra `parquet`).

pyarrow is the format's own implementation, needs nothing else installed, and writes row groups as they come,
so that memory holds one group and not the run. Lighter packages bring pandas or a whole database along.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, BinaryIO

from company_lab.formats.errors import WrongUse
from company_lab.runs.rows import COLUMNS, rows
from company_lab.runs.store import Store

ROWS_AT_ONCE = 5_000


def write_parquet(store: Store, run: str, file: BinaryIO) -> None:
    """Write the rows of a run. `cost_usd` stays text, since no number type holds every decimal exactly.

    Raises `WrongUse` with what to install where pyarrow is missing.
    """
    arrow, parquet = _pyarrow()
    kinds = {
        "text": arrow.string(),
        "integer": arrow.int64(),
        "yes_no": arrow.bool_(),
        "texts": arrow.list_(arrow.string()),
    }
    schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
    every = rows(store, run)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := [_plain(row) for row in islice(every, ROWS_AT_ONCE)]:
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))


def require_pyarrow() -> None:
    """Raises `WrongUse` with what to install where pyarrow is missing."""
    _pyarrow()


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise WrongUse(
            f"Parquet needs pyarrow, which can not be loaded ({error}): pip install 'company-lab[parquet]'"
        ) from error
    return pyarrow, pyarrow.parquet


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Lone surrogates, which UTF-8 can not hold, as escapes."""
    return {
        name: value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }
