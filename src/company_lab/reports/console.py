"""Writing a report to a terminal, a pipe or a text, whatever its encoding can show."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from typing import TextIO

from rich.console import Console, RenderableType

NARROW = 80
"""Columns assumed where nothing says how wide the output is."""

_SPELLED = {"→": "->", "✗": "x", "✓": "ok", "…": "...", "·": "-", "─": "-", "│": "|", "“": '"', "”": '"'}
_DEGRADE = "company_lab.degrade"
_COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)


def _degrade(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    if missing[0] in _SPELLED:
        return _SPELLED[missing[0]], error.start + 1
    replaced, _ = codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, error.start + 1, error.reason)
    )
    return replaced, error.start + 1


codecs.register_error(_DEGRADE, _degrade)


def degraded(text: str, encoding: str) -> str:
    """`text` as far as `encoding` can show it; what it can not show is spelled out (`->`, `\\u20ac`)."""
    return text.encode(encoding, _DEGRADE).decode(encoding)


def to_text(report: RenderableType, *, width: int = NARROW, encoding: str = "utf-8") -> str:
    """A report as plain text of `width` columns, without colours."""
    return _render(report, width=width, encoding=encoding, terminal=False)


def show(report: RenderableType, stream: TextIO | None = None) -> None:
    """Print a report on `stream` (standard output): coloured on a terminal unless NO_COLOR is set.

    The width is the terminal's, or COLUMNS, or 80. An encoding that lacks a character never makes it fail.
    """
    stream = sys.stdout if stream is None else stream
    terminal = stream.isatty()
    encoding = stream.encoding or "utf-8"
    text = _render(report, width=None, encoding=encoding, terminal=terminal)
    stream.write(without_commands(text) if os.environ.get("GITHUB_ACTIONS") else text)
    stream.flush()


def without_commands(text: str) -> str:
    """`text` in which GitHub Actions sees no workflow command: it takes lines that begin with `::` for one."""
    return _COMMAND.sub(r"\1: :", text).replace("##[", "# #[")


def _render(report: RenderableType, *, width: int | None, encoding: str, terminal: bool) -> str:
    buffer = io.BytesIO()
    target = io.TextIOWrapper(buffer, encoding=encoding, errors=_DEGRADE, newline="\n", write_through=True)
    console = Console(
        file=target,
        width=width,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    if width is None and not terminal:
        console.width = _columns()
    console.print(report)
    return "\n".join(line.rstrip() for line in buffer.getvalue().decode(encoding).split("\n"))


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    return max(int(given), 40) if given.isascii() and given.isdigit() and len(given) < 5 else NARROW
