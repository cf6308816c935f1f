from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from company_lab.evaluation.texts.identifiers import mentions_identifier


@pytest.mark.parametrize(
    ("text", "identifier", "found"),
    [
        ("about I-4.", "I-4", True),
        ("about (I-4)", "I-4", True),
        ("**I-4** is open", "I-4", True),
        ("I-4, I-5 and I-6", "I-5", True),
        ("I-40 is open", "I-4", False),
        ("I-4-2 is open", "I-4", False),
        ("X-I-4 is open", "I-4", False),
        ("I-4.2 is open", "I-4", False),
        ("see I-4.pdf", "I-4", True),
        ("INV\u20112041 is open", "INV-2041", True),
        ("INV\u20132041 is open", "INV-2041", True),
        ("I-4\u2013I-9 are open", "I-4", True),
        ("inv-2041 is open", "INV-2041", False),
        ("\u0421-1 is open", "C-1", False),
        ("ticket 10 is closed", "10", True),
        ("ticket #10", "10", True),
        ("ticket 100 is closed", "10", False),
        ("it costs 10.50", "10", False),
        ("it costs 10 EUR", "10", False),
        ("it costs €10", "10", False),
        ("it costs EUR 10", "10", False),
        ("10 % of it", "10", False),
        ("at 10:30", "10", False),
        ("write to ida@holm.example.test.", "ida@holm.example.test", True),
        ("write to frida@holm.example.test", "ida@holm.example.test", False),
        ("write to x.ida@holm.example.test", "ida@holm.example.test", False),
        ("write to ida@holm.example.test.evil.test", "ida@holm.example.test", False),
        ("pay_1 arrived", "pay_1", True),
        ("pay_12 arrived", "pay_1", False),
        ("anything", "", False),
        ("a\u0301C-1\u0301", "C-1", False),
    ],
)
def test_an_identifier_is_a_whole_token(text: str, identifier: str, found: bool) -> None:
    assert mentions_identifier(text, identifier) is found


_PLAIN_ID = st.from_regex(r"[A-Z]{1,3}-[0-9]{1,4}", fullmatch=True)


@given(_PLAIN_ID, st.sampled_from(["{}", "see {}.", "({})", '"{}"', "a\n{}\nb", "- {}: open"]))
def test_an_identifier_between_other_marks_is_found(identifier: str, frame: str) -> None:
    assert mentions_identifier(frame.format(identifier), identifier)


@given(_PLAIN_ID, st.sampled_from(["{}0", "{}-1", "x{}", "{}b", "9-{}", "{}@a.test"]))
def test_an_identifier_glued_to_more_is_another_one(identifier: str, frame: str) -> None:
    assert not mentions_identifier(frame.format(identifier), identifier)
