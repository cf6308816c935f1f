from __future__ import annotations

from decimal import Decimal

import pytest

from company_lab.formats.dollars import usd


@pytest.mark.parametrize(
    ("paid", "shown"),
    [
        ("0", "0.00 USD"),
        ("0.00003", "below 0.0001 USD"),
        ("0.0001", "0.0001 USD"),
        ("0.00042", "0.0004 USD"),
        ("12345.678", "12,345.68 USD"),
    ],
)
def test_what_was_paid_is_exact_and_never_reads_as_zero(paid: str, shown: str) -> None:
    assert usd(Decimal(paid)) == shown
