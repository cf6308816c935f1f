"""The clock that another program's modules are given."""

from __future__ import annotations

import datetime as real
from types import ModuleType

from company_lab.interop.hosting.frozen_clock import frozen, give_clock

NOON = real.datetime.fromisoformat("2024-05-15T12:00:00+02:00")


def test_every_way_to_ask_for_the_time_gives_the_frozen_moment() -> None:
    module = ModuleType("theirs")
    module.datetime = real.datetime  # type: ignore[attr-defined]
    give_clock(module)
    asked = module.datetime
    with frozen(NOON):
        assert asked.now() == asked.today() == NOON.replace(tzinfo=None)
        assert asked.now(real.UTC) == NOON
        assert asked.utcnow() == real.datetime.fromisoformat("2024-05-15T10:00:00")
    assert asked.now(real.UTC) > NOON
    assert isinstance(real.datetime.now(real.UTC), asked)
