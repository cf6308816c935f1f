"""Plain lines on standard output and standard error, safe whatever they quote and wherever they go."""

from __future__ import annotations

import io
import os
import shlex
import sys
from typing import TYPE_CHECKING, TextIO

from company_lab.formats.hostile import printable

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Unminded(io.FileIO):
    """A descriptor that is written to whether or not anybody takes it: what nobody takes goes nowhere.

    So a reader that leaves early (`| head`) or a full disk stops no run, and turns no failure into an exit code of 0.
    """

    lost: OSError | None = None
    """Why what was written last did not arrive; nothing does from then on."""

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            self.lost = error
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def prepare_streams() -> None:
    """Let neither the encoding of the console nor a reader that leaves make output fail.

    What the encoding lacks is spelled out. A stream that was closed before the command began is replaced by one that
    leads nowhere.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere(number))
        elif number and getattr(sys, name) is getattr(sys, f"__{name}__"):
            setattr(sys, name, _unminded(getattr(sys, name)))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def output_lost() -> OSError | None:
    """Why standard output does not arrive any more, as far as that has shown; None where it does."""
    buffer: object = getattr(sys.stdout, "buffer", None)
    raw = getattr(buffer, "raw", buffer)
    return raw.lost if isinstance(raw, Unminded) else None


def say(text: str = "") -> None:
    """A line of the result, on standard output."""
    sys.stdout.write(printable(text) + "\n")


def note(text: str) -> None:
    """A line about what is going on, on standard error."""
    sys.stdout.flush()
    sys.stderr.write(printable(text) + "\n")
    sys.stderr.flush()


def command_line(*words: object) -> str:
    """A line of this command that can be typed again as it stands."""
    return shlex.join(["company-lab", *map(str, words)])


def counted(number: int, thing: str) -> str:
    """Such as `1 scenario` or `1,200 scenarios`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def complain(text: str) -> None:
    """An error, on standard error."""
    note(f"company-lab: {text}")


def _unminded(stream: io.TextIOWrapper) -> TextIO:
    """A stream to the same place, as eager as the given one."""
    stream.flush()
    raw = Unminded(stream.fileno(), "w", closefd=False)
    # Without a buffer of its own (`python -u`) the stream is not to get one here.
    buffered = isinstance(stream.buffer, io.BufferedWriter)
    return io.TextIOWrapper(
        io.BufferedWriter(raw) if buffered else raw,
        encoding=stream.encoding,
        newline="\n",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


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
