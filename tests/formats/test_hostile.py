from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.formats.hostile import cut, one_line, printable


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("FAIL\x1b[2K\x1b[1G PASS", "FAIL\\x1b[2K\\x1b[1G PASS"),
        ("\x1b]0;gate passed\x07", "\\x1b]0;gate passed\\x07"),
        ("total \u202e00.08\u202c EUR", "total \\u202e00.08\\u202c EUR"),
        ("c1 \x9b31m", "c1 \\x9b31m"),
        ("one\rtwo", "one\\x0dtwo"),
        ("hidden \U000e0041", "hidden \\U000e0041"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("lone \ud800", "lone \\ud800"),
    ],
)
def test_what_steers_a_terminal_is_spelled_out(hostile: str, shown: str) -> None:
    assert printable(hostile) == shown


@pytest.mark.parametrize("text", ["Müller 80 €", "two\nlines", "家", "👩\u200d👩\u200d👧", "plain"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_windows_line_ends_and_tabs_become_plain() -> None:
    assert printable("a\r\n\tb\u00a0c") == "a\n    b c"


@given(st.text())
def test_no_control_but_the_line_end_survives(text: str) -> None:
    shown = printable(text)
    codes = [ord(character) for character in shown.replace("\n", "")]
    assert all(code >= 0x20 and not 0x7F <= code <= 0x9F for code in codes)
    assert "\n" not in one_line(text)


@given(st.text())
def test_making_text_harmless_twice_changes_nothing_more(text: str) -> None:
    assert printable(printable(text)) == printable(text)


def test_a_long_text_says_how_much_was_cut() -> None:
    assert cut("x" * 1200, 200) == "x" * 200 + "… (1,000 more characters)"
    assert cut("short", 200) == "short"
