"""Compares what an example shows with what it printed."""

from __future__ import annotations

import doctest

_CHECKER = doctest.OutputChecker()


def difference(shown: str, printed: str) -> str | None:
    """A readable difference, or None; `...` stands for anything, blanks at line ends do not count."""
    want, got = _normal(shown), _normal(printed)
    if _CHECKER.check_output(want, got, doctest.ELLIPSIS | doctest.DONT_ACCEPT_BLANKLINE):
        return None
    return f"shown:\n{want}\nprinted:\n{got}"


def _normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"
