from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from company_lab.formats.whole_files import whole_file, write_whole


def test_a_file_is_written_with_the_permissions_any_other_file_gets(tmp_path: Path) -> None:
    write_whole(tmp_path / "new.txt", b"hello")
    (tmp_path / "plain.txt").write_bytes(b"")
    assert (tmp_path / "new.txt").read_bytes() == b"hello"
    assert (tmp_path / "new.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "run.csv"
    target.write_bytes(b"old")
    target.chmod(0o640)
    write_whole(target, b"new")
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o640)


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_whatever_breaks_off_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: BaseException
) -> None:
    target = tmp_path / "run.csv"
    target.write_bytes(b"old")

    def breaks_off() -> None:
        with whole_file(target) as file:
            file.write(b"half")
            assert target.read_bytes() == b"old"
            raise error

    with pytest.raises(type(error)):
        breaks_off()
    assert target.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.csv"]


def test_a_link_is_followed_and_a_device_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_whole(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as refused:
        write_whole(tmp_path / "no" / "run.csv", b"")
    assert refused.value.filename == str(tmp_path / "no" / "run.csv")


FULL = """
import resource, sys
from pathlib import Path
from company_lab.formats.whole_files import write_whole
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
try:
    write_whole(Path(sys.argv[1]), b"x" * 100_000)
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on file sizes")
@pytest.mark.fault("E14")
def test_a_disk_that_ends_leaves_the_old_file_and_is_told_with_its_name(tmp_path: Path) -> None:
    target = tmp_path / "results.jsonl"
    target.write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(target)], capture_output=True, encoding="utf-8", check=True
    )
    assert "too large" in done.stdout
    assert str(target) in done.stdout
    assert target.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.jsonl"]
