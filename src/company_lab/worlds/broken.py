"""What a department's own mistakes are: the world's failure, never the agent's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from company_lab.formats.errors import CompanyLabError


class WorldBroken(CompanyLabError):
    """A department's own code raised something it should not; the episode is not evidence about the agent."""


@contextmanager
def blaming(what: str) -> Iterator[None]:
    """Turns whatever a department's code raises inside the block into `WorldBroken`, which names `what`."""
    try:
        yield
    except WorldBroken:
        raise
    except Exception as error:
        raise WorldBroken(f"{what}: {type(error).__name__}: {error}") from error
