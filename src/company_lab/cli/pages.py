"""Pages that are made: written, or compared with what would be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from company_lab.cli.say import say


def refuse_check_alone(check: bool, markdown: Path | None) -> None:
    """Raise `UsageError` for --check without a page to compare: nothing would have been checked."""
    if check and markdown is None:
        raise click.UsageError("--check compares a page: give --markdown FILE too")


def keep_page(file: Path, page: str, *, check: bool, tell: Callable[[str], None] = say) -> bool:
    """Write a page to `file`; with `check` write nothing and say whether the file has just this content."""
    from company_lab.formats.whole_files import write_whole

    if not check:
        write_whole(file, page.encode())
        tell(f"written to {file}")
        return True
    current = file.is_file() and file.read_bytes() == page.encode()
    tell(f"{file} is current" if current else f"{file} is not current: make it anew without --check")
    return current
