"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write to. It takes its name when the block ends well, and is gone when it does not.

    What lay there before stays untouched until then, and its permissions are kept. A link is followed; a
    device or a pipe is written to directly. Errors of the system name `path`.
    """
    target = path.resolve()
    ours = f".{target.name}.{os.getpid()}-"
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as device:
                yield device
        else:
            beside, handle = _beside(target, ours)
            try:
                with open(handle, "wb") as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                if target.exists():
                    with suppress(PermissionError):
                        beside.chmod(target.stat().st_mode & 0o777)
                os.replace(beside, target)
            except BaseException:
                with suppress(OSError):
                    beside.unlink()
                raise
    except OSError as error:
        if error.filename is None or Path(error.filename).name.startswith(ours):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def _beside(target: Path, prefix: str) -> tuple[Path, int]:
    """A new file in the folder of `target`, and a descriptor to write to it."""
    for number in count():
        path = target.with_name(f"{prefix}{number}")
        try:
            return path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            continue
    raise AssertionError("numbers do not end")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that appears whole or not at all."""
    with whole_file(path) as file:
        file.write(data)
