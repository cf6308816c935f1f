"""Reading the metadata of a GGUF file, and writing the same file with more of it.

The layout is llama.cpp's: magic, version, the number of tensors, the number of key-values, the key-values, one entry
for each tensor, and the tensors' bytes from the next multiple of the alignment. Tensors are addressed relative to that
place, so metadata can grow without touching them.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_MAGIC = b"GGUF"
_HEAD = struct.Struct("<IQQ")
_TEXT, _LIST, _FLOAT, _U32 = 8, 9, 6, 4
_WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of a plain value, by the number of its type."""
_ALIGNMENT = "general.alignment"
_COPIED_AT_ONCE = 1 << 22


class NotGguf(ValueError):
    """The file is not laid out as a GGUF file is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    version: int
    tensors: int
    keys: int
    texts: Mapping[str, str]
    metadata: tuple[int, int]
    """Where the key-values begin and end."""
    entries_end: int
    """Where the entries of the tensors end."""
    alignment: int

    @property
    def data(self) -> int:
        """Where the bytes of the tensors begin."""
        return _aligned(self.entries_end, self.alignment)


def metadata_text(path: Path, key: str) -> str:
    """A text of the metadata. Raises `NotGguf` where the file is none, or has no such text."""
    with path.open("rb") as file:
        texts = _read(file).texts
    if key not in texts:
        raise NotGguf(f"{path.name} has no text {key} in its metadata")
    return texts[key]


def write_with_metadata(
    source: Path, target: Path, *, texts: Mapping[str, str], numbers: Mapping[str, float]
) -> None:
    """Write `source` again as `target`, with these texts and 32-bit floats added to its metadata."""
    with source.open("rb") as read, target.open("wb") as write:
        layout = _read(read)
        added = b"".join(
            _spelled(key) + struct.pack("<I", _TEXT) + _spelled(text) for key, text in texts.items()
        )
        added += b"".join(
            _spelled(key) + struct.pack("<If", _FLOAT, number) for key, number in numbers.items()
        )
        write.write(_MAGIC)
        write.write(_HEAD.pack(layout.version, layout.tensors, layout.keys + len(texts) + len(numbers)))
        begin, end = layout.metadata
        read.seek(begin)
        write.write(read.read(end - begin))
        write.write(added)
        write.write(read.read(layout.entries_end - end))
        write.write(bytes(_aligned(write.tell(), layout.alignment) - write.tell()))
        read.seek(layout.data)
        shutil.copyfileobj(read, write, _COPIED_AT_ONCE)


def _read(file: BinaryIO) -> _Layout:
    if file.read(len(_MAGIC)) != _MAGIC:
        raise NotGguf("it does not begin as a GGUF file does")
    version, tensors, keys = _HEAD.unpack(_exactly(file, _HEAD.size))
    texts: dict[str, str] = {}
    alignment, begin = 32, file.tell()
    for _ in range(keys):
        key, kind = _text(file), _number(file)
        if kind == _TEXT:
            texts[key] = _text(file)
        elif key == _ALIGNMENT and kind == _U32:
            alignment = _number(file)
        else:
            _skip(file, kind)
    end = file.tell()
    for _ in range(tensors):
        _text(file)
        dimensions = _number(file)
        file.seek(8 * dimensions + 4 + 8, 1)  # the sizes, the type, the place
    return _Layout(
        version=version,
        tensors=tensors,
        keys=keys,
        texts=texts,
        metadata=(begin, end),
        entries_end=file.tell(),
        alignment=alignment,
    )


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == _TEXT:
        _text(file)
    elif kind == _LIST:
        of, length = _number(file), _long(file)
        if of in _WIDTHS:
            file.seek(_WIDTHS[of] * length, 1)
        else:
            for _ in range(length):
                _skip(file, of)
    elif kind in _WIDTHS:
        file.seek(_WIDTHS[kind], 1)
    else:
        raise NotGguf(f"its metadata holds a value of the unknown type {kind}")


def _number(file: BinaryIO) -> int:
    return int.from_bytes(_exactly(file, 4), "little")


def _long(file: BinaryIO) -> int:
    return int.from_bytes(_exactly(file, 8), "little")


def _text(file: BinaryIO) -> str:
    return _exactly(file, _long(file)).decode("utf-8", "replace")


def _exactly(file: BinaryIO, length: int) -> bytes:
    found = file.read(length)
    if len(found) != length:
        raise NotGguf("it ends in the middle of its metadata")
    return found


def _spelled(text: str) -> bytes:
    content = text.encode("utf-8")
    return len(content).to_bytes(8, "little") + content


def _aligned(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment
