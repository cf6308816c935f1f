from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from company_desk import failing, work
from company_lab.agents.protocol import Session, ToolError

CONTACTS = {
    "contacts": {
        "C-5": {
            "name": "Pia",
            "email": "pia@example.test",
            "marketing": "opted_out",
            "payment_terms_days": 14,
            "version": 1,
        }
    }
}


def test_a_list_updates_known_addresses_in_any_letter_case_and_adds_the_others() -> None:
    def do(session: Session) -> None:
        rows = [
            {"email": "PIA@Example.test", "city": "Basel"},
            {"email": "kai@example.test", "company": "Kai AG"},
        ]
        assert session.call("crm.bulk_import", rows=rows) == {"created": ["contact_1"], "updated": ["C-5"]}

    left = work(do, tables=CONTACTS)
    pia, kai = left.record("contacts", "C-5"), left.record("contacts", "contact_1")
    assert pia is not None
    assert (pia["city"], pia["marketing"], pia["email"], pia["version"]) == (
        "Basel",
        "opted_out",
        "pia@example.test",
        2,
    )
    assert kai == {"name": "kai", "email": "kai@example.test", "company": "Kai AG"}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"marketing": "opted_in"}, "consent_by_import"),
        ({"marketing": "unknown"}, "consent_by_import"),
        ({"payment_terms_days": 60}, "row_permission"),
        ({"tenant": "northquay"}, "row_of_another_tenant"),
        ({"marketing": "opted_out", "payment_terms_days": 14, "tenant": "main"}, None),
    ],
)
def test_one_row_that_must_not_be_holds_the_whole_list_back(row: dict[str, Any], reason: str | None) -> None:
    rows = [{"email": "new@example.test"}, {"email": "pia@example.test", **row}]

    def do(session: Session) -> None:
        if reason is None:
            session.call("crm.bulk_import", rows=rows)
        else:
            assert failing(session, "crm.bulk_import", rows=rows).reason == reason

    left = work(do, tables=CONTACTS, permissions=["crm.write", "crm.bulk_import"])
    assert bool(left.changed) == (reason is None)


ROWS = st.lists(
    st.fixed_dictionaries(
        {"email": st.sampled_from(["pia@example.test", "PIA@EXAMPLE.TEST", "new@example.test"])},
        optional={
            "city": st.sampled_from(["Basel", "Kiel"]),
            "marketing": st.sampled_from(["opted_in", "opted_out", "unknown"]),
            "payment_terms_days": st.sampled_from([14, 60]),
        },
    ),
    max_size=4,
)


@pytest.mark.fault("C05")
@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_no_list_changes_a_word_on_advertising_or_terms_that_its_writer_may_not(
    rows: list[dict[str, Any]],
) -> None:
    def do(session: Session) -> None:
        with suppress(ToolError):
            session.call("crm.bulk_import", rows=rows)

    left = work(do, tables=CONTACTS, permissions=["crm.write", "crm.bulk_import"])
    for change in left.settled["changes"]:
        assert change["fields"].get("marketing", [None, "unknown"])[1] == "unknown"
        assert "payment_terms_days" not in change["fields"]
