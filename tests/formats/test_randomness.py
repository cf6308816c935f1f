"""Random streams depend on what is being done, never on who does it or in which order."""

from __future__ import annotations

import random
from itertools import product

import pytest

from company_lab.formats.randomness import stream


def test_the_same_purpose_gives_the_same_numbers() -> None:
    assert [stream(7, "refund", 1, "ids").random() for _ in range(3)] == [
        stream(7, "refund", 1, "ids").random()
    ] * 3


def test_each_part_of_the_name_makes_another_stream() -> None:
    names = list(product((0, 7), ("refund", "refund_2"), (1, 2), ("ids", "jitter")))
    assert len({stream(*name).random() for name in names}) == len(names)


def test_streams_neither_use_nor_disturb_the_common_generator() -> None:
    random.seed(1)
    expected = random.random()
    random.seed(1)
    first = stream(7, "refund", 1, "ids")
    first.random()
    assert random.random() == expected
    random.seed(99)
    assert stream(7, "refund", 1, "ids").random() == stream(7, "refund", 1, "ids").random()


@pytest.mark.fault("A35")
def test_order_and_interleaving_do_not_matter() -> None:
    alone = [stream(7, "refund", 1, "ids").random(), stream(7, "refund", 2, "ids").random()]
    second, first = stream(7, "refund", 2, "ids"), stream(7, "refund", 1, "ids")
    assert [first.random(), second.random()] == alone


def test_the_numbers_are_the_same_on_every_machine_and_in_every_release() -> None:
    assert stream(7, "refund", 1, "ids").getrandbits(64) == 0x16CD8402667C40FA


def test_any_scenario_id_names_a_stream() -> None:
    assert stream(0, "zahlung_\ud800_ü", 1, "ids").random() != stream(0, "zahlung", 1, "ids").random()
