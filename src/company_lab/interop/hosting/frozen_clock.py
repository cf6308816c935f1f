"""A clock of our own for modules that ask the machine for the time.

Such a module gets a stand-in for its `datetime`; the rest of the process keeps the real one. Asked outside a hosted
call, the stand-in gives the real time too.
"""

from __future__ import annotations

import datetime as real
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any

_now: ContextVar[real.datetime | None] = ContextVar("frozen_now", default=None)


@contextmanager
def frozen(moment: real.datetime) -> Iterator[None]:
    """Let every module that `give_clock` was called for see this moment, in this thread and task alone."""
    before = _now.set(moment)
    try:
        yield
    finally:
        _now.reset(before)


class _Moments(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, real.datetime)


class FrozenMoment(real.datetime, metaclass=_Moments):
    """`datetime.datetime` whose `now` is the frozen moment; whatever it makes is an ordinary datetime."""

    @classmethod
    def now(cls, tz: real.tzinfo | None = None) -> Any:
        """The frozen moment without a zone, or in the zone that is asked for."""
        moment = _now.get()
        if moment is None:
            return real.datetime.now(tz)
        return moment.astimezone(tz) if tz is not None else moment.replace(tzinfo=None)

    @classmethod
    def today(cls) -> Any:
        """The frozen moment without a zone."""
        return cls.now()

    @classmethod
    def utcnow(cls) -> Any:
        """The frozen moment in UTC, without a zone."""
        return cls.now(real.UTC).replace(tzinfo=None)

    @classmethod
    def fromisoformat(cls, date_string: str, /) -> Any:
        """An ordinary datetime."""
        return real.datetime.fromisoformat(date_string)

    @classmethod
    def strptime(cls, date_string: str, format: str, /) -> Any:
        """An ordinary datetime."""
        return real.datetime.strptime(date_string, format)  # noqa: DTZ007  (the other program's own format)

    @classmethod
    def combine(cls, date: real.date, time: real.time, tzinfo: Any = True) -> Any:
        """An ordinary datetime."""
        return real.datetime.combine(date, time, time.tzinfo if tzinfo is True else tzinfo)

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return real.datetime(*args, **kwargs)  # noqa: DTZ001  (the other program's own zone)


class _FrozenModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(real, name)


_module = _FrozenModule("datetime")
_module.datetime = FrozenMoment  # type: ignore[attr-defined]


def give_clock(module: ModuleType) -> None:
    """Let a module that did `import datetime` or `from datetime import datetime` ask this clock from now on."""
    if getattr(module, "datetime", None) is real:
        module.datetime = _module  # type: ignore[attr-defined]
    elif getattr(module, "datetime", None) is real.datetime:
        module.datetime = FrozenMoment  # type: ignore[attr-defined]
