"""A recording stays whole, whoever writes to it and however that ends."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest
from vcr.persisters.filesystem import FilesystemPersister
from vcr.request import Request
from vcr.serializers import yamlserializer

from company_lab.agents.cassette import Cassette
from company_lab.formats.errors import WrongUse


def asked(body: str) -> Any:
    return Request("POST", "http://127.0.0.1:1/v1/chat/completions", body.encode(), {})


def answer(text: str) -> dict[str, Any]:
    return {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": text.encode()}}


def write(file: Path, who: int, count: int) -> None:
    cassette = Cassette(file, option="--record")
    for number in range(count):
        cassette.add(asked(f"{who}.{number}"), answer("- request: x\nversion: 1\n" * 200))


def bodies(file: Path) -> list[str]:
    kept = Cassette(file, option="--replay").exchanges()
    assert kept is not None
    return [request.body.decode() if isinstance(request.body, bytes) else request.body for request, _ in kept]


def test_two_processes_record_into_one_file_and_everything_is_there_once(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "traffic.yaml"
    forking = multiprocessing.get_context("spawn")
    writers = [forking.Process(target=write, args=(file, who, 20)) for who in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    found = bodies(file)
    assert sorted(found) == sorted(f"{who}.{number}" for who in range(2) for number in range(20))
    for who in range(2):  # each writer's own in its own order
        assert [one for one in found if one.startswith(f"{who}.")] == [f"{who}.{n}" for n in range(20)]


def test_what_it_writes_is_a_recording_of_vcrpy(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    write(file, 1, 3)
    requests, responses = FilesystemPersister.load_cassette(file, yamlserializer)
    assert len(requests) == len(responses) == 3
    FilesystemPersister.save_cassette(
        tmp_path / "theirs.yaml", {"requests": requests, "responses": responses}, yamlserializer
    )
    assert (tmp_path / "theirs.yaml").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("left", [0, 1, 5, 10, 40, 200, 900, -8, -12, -40])
def test_an_exchange_cut_off_where_its_writer_was_killed_is_lost_and_no_other(
    tmp_path: Path, left: int
) -> None:
    file = tmp_path / "traffic.yaml"
    write(file, 1, 2)
    before = len(file.read_bytes().removesuffix(b"version: 1\n"))
    write(file, 2, 1)
    text = file.read_bytes()
    file.write_bytes(text[: before + left] if left >= 0 else text[:left])
    kept = bodies(file)
    assert kept == (["1.0", "1.1", "2.0"] if -12 <= left < 0 else ["1.0", "1.1"])
    write(file, 3, 1)
    assert bodies(file) == [*kept, "3.0"]


def test_a_recording_spelled_in_another_way_is_added_to(tmp_path: Path) -> None:
    file = tmp_path / "traffic.yaml"
    write(file, 1, 2)
    file.write_text("# mine\nversion: 1\n" + file.read_text().removesuffix("version: 1\n"), encoding="utf-8")
    write(file, 2, 1)
    assert bodies(file) == ["1.0", "1.1", "2.0"]


@pytest.mark.parametrize("text", [b"{", b"- 1", b"\xff\xfe", b"interactions: [{}]\nversion: 1\n"])
def test_what_is_no_recording_is_refused_and_left_as_it_is(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "traffic.yaml"
    file.write_bytes(text)
    with pytest.raises(WrongUse, match=r"--record .* no recording of model traffic"):
        Cassette(file, option="--record").exchanges()
    assert file.read_bytes() == text
    with pytest.raises(WrongUse, match="--record"):
        Cassette(tmp_path, option="--record").exchanges()


@pytest.mark.parametrize("text", [None, "", "\n"])
def test_a_file_with_nothing_in_it_is_no_recording_yet(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "traffic.yaml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    assert Cassette(file, option="--record").exchanges() is None
    write(file, 1, 1)
    assert bodies(file) == ["1.0"]
