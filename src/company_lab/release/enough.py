"""How much has to pass, if all of it does, until the lower bound of pass^k reaches a floor."""

from __future__ import annotations

from math import ceil, log

from company_lab.evaluation.statistics import wilson


def least_trials(*, k: int, floor: float, confidence: float) -> int:
    """The fewest trials of a scenario, all of which passed, whose Wilson bound to the power k reaches the floor."""
    fewest, most = 0, 1
    while wilson(successes=most, trials=most, confidence=confidence)[0] ** k < floor:
        fewest, most = most, 2 * most
    while most - fewest > 1:
        middle = (fewest + most) // 2
        if wilson(successes=middle, trials=middle, confidence=confidence)[0] ** k < floor:
            fewest = middle
        else:
            most = middle
    return max(most, k)


def least_episodes(*, k: int, floor: float, confidence: float) -> int:
    """The fewest episodes, all of which passed, whose exact bound on the mean of pass^k reaches a floor below 1."""
    return ceil(k * log(1 - confidence) / log(floor)) if floor > 0 else 1
