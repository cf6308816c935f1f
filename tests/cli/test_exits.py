from __future__ import annotations

import pytest

from company_lab.cli.exits import exit_code


@pytest.mark.parametrize(
    ("outcomes", "planned", "interrupted", "code"),
    [
        ({"passed": 10}, 10, False, 0),
        ({"passed": 9, "failed": 1}, 10, False, 1),
        ({"passed": 4, "failed": 1, "unscored": 5}, 10, False, 1),
        ({"passed": 4, "unscored": 6}, 10, False, 3),
        ({"passed": 9, "invalid": 1}, 10, False, 3),
        ({"passed": 4}, 10, False, 3),
        ({}, 0, False, 3),
        ({"passed": 4}, 10, True, 130),
        ({"passed": 4, "failed": 1}, 10, True, 130),
        ({"passed": 10}, 10, True, 130),
    ],
)
@pytest.mark.fault("A21", "E17")
def test_the_first_that_applies(outcomes: dict[str, int], planned: int, interrupted: bool, code: int) -> None:
    assert exit_code(outcomes, planned, interrupted=interrupted) == code
