from __future__ import annotations

from typing import Any

import pytest

from company_desk import work


@pytest.mark.parametrize(
    ("decided", "accepted", "rejected"),
    [
        ([None], None, None),
        (["accepted"], True, False),
        (["rejected"], False, True),
        ([None, "rejected", "accepted"], True, True),
    ],
)
def test_nobody_is_at_fault_until_a_person_has_decided(
    decided: list[str | None], accepted: bool | None, rejected: bool | None
) -> None:
    case: dict[str, Any] = {"contact": "C-90", "subject": "The stand fell over", "status": "open"}
    cases = {
        f"K-{number}": case | ({} if liability is None else {"liability": liability})
        for number, liability in enumerate(decided)
    }
    facts = work(lambda session: None, tables={"contacts": {"C-90": {"name": "Tam"}}, "cases": cases}).facts()
    assert (facts["liability_accepted"], facts["liability_rejected"]) == (accepted, rejected)
