"""Exit codes. The first that applies: interrupted, wrong use, a failure, something incomplete, all well."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum


class ExitCode(IntEnum):
    """What the command tells its caller."""

    GOOD = 0
    FAILURE = 1
    """An episode failed, or a gate blocks."""
    WRONG_USE = 2
    """The command line, a scenario, an agent or a file can not be used."""
    INCOMPLETE = 3
    """Something is missing, unscored, invalid or held, or the lab itself could not go on."""
    INTERRUPTED = 130


def exit_code(outcomes: Mapping[str, int], planned: int, *, interrupted: bool = False) -> ExitCode:
    """The code for a run with these numbers of episodes by outcome, of `planned` cells."""
    if interrupted:
        return ExitCode.INTERRUPTED
    if outcomes.get("failed", 0):
        return ExitCode.FAILURE
    if planned == 0 or outcomes.get("passed", 0) < planned:
        return ExitCode.INCOMPLETE
    return ExitCode.GOOD
