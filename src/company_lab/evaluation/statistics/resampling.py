"""Resampling with replacement, the same for the same seed on every machine and every version of numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from company_lab.formats.randomness import stream

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

_AT_ONCE = 2_000_000
"""Draws held in memory at a time."""


def resamples(*, items: int, times: int, seed: int, purpose: str) -> Iterator[NDArray[int64]]:
    """Tables of indices, a row for each resample of `items` out of `items`, `times` rows in all."""
    import numpy

    for uniform in _uniform(rows=times, columns=items, seed=seed, purpose=purpose):
        yield (uniform * items).astype(numpy.int64)


def signs(*, items: int, times: int, seed: int, purpose: str) -> Iterator[NDArray[float64]]:
    """Tables of -1 and 1, a row for each of `times` patterns."""
    import numpy

    for uniform in _uniform(rows=times, columns=items, seed=seed, purpose=purpose):
        yield numpy.where(uniform < 0.5, -1.0, 1.0)


def _uniform(*, rows: int, columns: int, seed: int, purpose: str) -> Iterator[NDArray[float64]]:
    # bytes of a stream of ours, since numpy promises no stable sequence across versions
    import numpy

    source = stream(seed, "", 0, purpose)
    at_once = max(1, _AT_ONCE // columns)
    for first in range(0, rows, at_once):
        count = min(at_once, rows - first)
        words = numpy.frombuffer(source.randbytes(8 * count * columns), dtype="<u8")
        whole = (words >> numpy.uint64(11)).astype(numpy.float64)
        yield whole.reshape(count, columns) * numpy.float64(2.0**-53)
