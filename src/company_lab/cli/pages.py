"""Pages that are made: written, or compared with what would be written."""

from __future__ import annotations

from pathlib import Path


def keep_page(file: Path, page: str, *, check: bool) -> bool:
    """Write a page to `file`; with `check` write nothing and say whether the file has just this content."""
    from company_lab.cli.say import say
    from company_lab.formats.whole_files import write_whole

    if not check:
        write_whole(file, page.encode())
        say(f"written to {file}")
        return True
    current = file.is_file() and file.read_bytes() == page.encode()
    say(f"{file} is current" if current else f"{file} is not current: make it anew without --check")
    return current
