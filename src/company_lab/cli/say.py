"""Plain lines on standard output and standard error, safe whatever they quote and wherever they go."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from company_lab.formats.hostile import printable


def prepare_streams() -> None:
    """Let no encoding of the console make output fail: what it lacks is spelled out.

    A stream that was closed before the command began is replaced by one that leads nowhere.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere(number))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def say(text: str = "") -> None:
    """A line of the result, on standard output."""
    sys.stdout.write(printable(text) + "\n")


def note(text: str) -> None:
    """A line about what is going on, on standard error."""
    sys.stdout.flush()
    sys.stderr.write(printable(text) + "\n")
    sys.stderr.flush()


def counted(number: int, thing: str) -> str:
    """Such as `1 scenario` or `1,200 scenarios`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def forget_reader() -> None:
    """Whoever read standard output has gone: what is still written to it goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """An error, on standard error."""
    note(f"company-lab: {text}")


def _nowhere(number: int) -> TextIO:
    descriptor = os.open(os.devnull, os.O_RDWR)
    if descriptor != number:
        try:
            os.fstat(number)
        except (
            OSError
        ):  # nobody has it: left free, it would be the number of the next file, such as the store
            os.dup2(descriptor, number)
            os.close(descriptor)
            descriptor = number
    return open(descriptor, "w" if number else "r", encoding="utf-8")
