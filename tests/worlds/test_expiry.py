"""A table says which field its records expire by, and is refused where there is none."""

from __future__ import annotations

from typing import TypedDict

import pytest

from company_lab.company import company
from company_lab.formats.errors import WrongUse
from company_lab.worlds import Department, Moment, Table, World


class Ticket(TypedDict):
    holder: str
    until: Moment


@pytest.mark.parametrize(("field", "complaint"), [("untl", "did you mean until"), ("holder", "is no moment")])
def test_records_expire_by_a_moment_that_they_have(field: str, complaint: str) -> None:
    World("gate", [_gate("until")])
    with pytest.raises(WrongUse, match=complaint):
        World("gate", [_gate(field)])


def _gate(field: str) -> Department:
    return Department("gate", tables={"tickets": Table(record=Ticket, singular="ticket", expires=field)})


def test_in_the_company_approvals_and_leases_expire() -> None:
    assert {name for name, table in company.tables.items() if table.expires} == {"approvals", "leases"}
