"""Stores that are taken away, cut off, filled up or held while somebody works with them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from company_lab.formats.errors import CompanyLabError
from company_lab.runs import Store, begin, execute
from company_lab.runs.failures import DamagedEpisode, StoreFailed, StoreUnusable
from company_lab.runs.holding import RunHeld, holding, is_held
from company_lab.runs.playing import Todo
from played_run import prepared
from stored_samples import FAILED, episode, plan

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        opened.begin(plan())
        yield opened


# Taken away


def test_a_store_that_is_deleted_while_it_is_used_takes_nothing_more(store: Store) -> None:
    store.add("r1", episode("s1", 1))
    store.path.unlink()
    for attempt in (
        lambda: store.add("r1", episode("s1", 2)),
        lambda: store.finish("r1", "finished"),
        lambda: store.keep("text"),
    ):
        with pytest.raises(StoreFailed, match="deleted or replaced"):
            attempt()


def test_a_store_in_whose_place_another_lies_takes_nothing_more(store: Store, tmp_path: Path) -> None:
    with Store(tmp_path / "other.db") as other:
        other.begin(plan("r2"))
    os.replace(tmp_path / "other.db", store.path)
    with pytest.raises(StoreFailed, match="deleted or replaced"):
        store.add("r1", episode("s1", 1))


# Cut off


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A closed store of some size."""
    path = tmp_path / "filled.db"
    with Store(path) as made:
        made.begin(plan(trials=60))
        for scenario, trial in plan(trials=60).cells:
            made.add("r1", episode(scenario, trial, verdict=FAILED))
    return path


def read_whole(path: Path, *, create: bool = False) -> None:
    """Read everything; with `create` add something after the first look."""
    with Store(path, create=create) as opened:
        opened.entry(opened.resolve())
        if create:
            opened.begin(plan("r2"))
            opened.add("r2", episode("s1", 1))
        for stored in opened.stored("r1"):
            assert stored.trace.stop == "finished"


@pytest.mark.fault("E13", "E14")
@pytest.mark.parametrize("share", [0.002, 0.03, 0.2, 0.5, 0.8, 0.97])
def test_a_store_that_was_cut_off_is_told_and_left_as_it_is(filled: Path, share: float) -> None:
    whole = filled.read_bytes()
    cut = whole[: int(len(whole) * share)]
    filled.write_bytes(cut)
    with pytest.raises(CompanyLabError) as told:
        read_whole(filled)
    assert str(filled) in str(told.value)
    assert any(word in str(told.value) for word in ("damaged", "no SQLite database", "no store"))
    assert filled.read_bytes() == cut


@pytest.mark.fault("E13")
@pytest.mark.parametrize("share", [0.03, 0.5, 0.97])
def test_nothing_is_added_to_a_store_that_was_cut_off_as_if_it_were_whole(filled: Path, share: float) -> None:
    whole = filled.read_bytes()
    filled.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(CompanyLabError):
        read_whole(filled, create=True)


def test_a_damaged_plan_is_told(store: Store) -> None:
    with sqlite3.connect(store.path) as raw:
        raw.execute("update runs set plan = substr(plan, 1, 40)")
    raw.close()
    with pytest.raises(DamagedEpisode, match="plan of run r1"):
        store.plan("r1")
    with pytest.raises(DamagedEpisode, match="plan of run r1"):
        store.runs()


# Full


@pytest.fixture
def small_disk() -> Iterator[list[int]]:
    """From the moment a number is put into the list, databases opened here may have so many pages."""
    pages: list[int] = []

    def limit(connection: sqlite3.Connection, _: object) -> None:
        if pages:
            connection.execute(f"pragma max_page_count={pages[0]}")

    event.listen(Engine, "connect", limit)
    yield pages
    event.remove(Engine, "connect", limit)


@pytest.mark.fault("E14")
def test_a_full_disk_breaks_the_run_keeps_what_there_is_and_the_rest_is_played_later(
    tmp_path: Path, small_disk: list[int]
) -> None:
    plan, castings = prepared(None, trials=200)
    with Store(tmp_path / "runs.db") as store:
        begin(plan, castings, store)
    raw = sqlite3.connect(tmp_path / "runs.db")
    small_disk.append(int(raw.execute("pragma page_count").fetchone()[0]) + 20)
    raw.close()
    with Store(tmp_path / "runs.db") as store, pytest.raises(StoreFailed, match=r"no space.*make room"):
        execute(plan, castings, store)
    small_disk.clear()
    with Store(tmp_path / "runs.db") as store:
        entry = store.entry(plan.run)
        assert entry.status in ("broken", "running")  # that it broke may have found no room either
        assert 10 < entry.stored < 400
        assert all(stored.trace.stop == "finished" for stored in store.stored(plan.run))
        missing = [Todo(cell) for cell in store.missing(plan.run)]
        assert execute(plan, castings, store, cells=missing).status == "finished"
        assert store.entry(plan.run).outcomes == {"passed": 400}


# Read only

READER = """
import os, sys
sys.path.insert(0, sys.argv[2])
from stored_samples import plan
from company_lab.runs.store import Store
with Store.temporary() as warm:  # imports what is imported late, while it still can be
    warm.begin(plan())
    warm.runs()
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with Store(sys.argv[1], create=False) as store:
        print(store.resolve(), [summary.trial for summary in store.episodes("r1")])
        store.begin(plan("r2"))
except Exception as error:
    print(type(error).__name__, error)
"""

KILLED = """
import os, sys
sys.path.insert(0, sys.argv[2])
from stored_samples import episode, plan
from company_lab.runs.store import Store
store = Store(sys.argv[1])
store.begin(plan())
store.add("r1", episode("s1", 1))
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def foreign_folder() -> Iterator[Path]:
    """A folder with a store that was not closed, which others may read and not write."""
    folder = Path(tempfile.mkdtemp())
    subprocess.run([sys.executable, "-c", KILLED, str(folder / "runs.db"), str(SUPPORT)], check=False)
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def read_by_somebody_else(path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", READER, str(path), str(SUPPORT)],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="drops root's rights")
def test_who_may_only_read_a_store_sees_also_what_a_killed_run_left_and_writes_nothing(
    foreign_folder: Path,
) -> None:
    assert {file.name for file in foreign_folder.iterdir()} == {"runs.db", "runs.db-wal", "runs.db-shm"}
    lines = read_by_somebody_else(foreign_folder / "runs.db").splitlines()
    assert lines[0] == "r1 [1]"
    assert lines[1].startswith("StoreFailed")
    assert "permissions" in lines[1]


@pytest.mark.skipif(sys.platform != "linux", reason="drops root's rights")
def test_episodes_that_can_not_be_seen_without_writing_are_not_passed_over(foreign_folder: Path) -> None:
    foreign_folder.chmod(0o755)
    (foreign_folder / "runs.db-shm").unlink()
    foreign_folder.chmod(0o555)
    told = read_by_somebody_else(foreign_folder / "runs.db")
    assert told.startswith("StoreUnusable")
    assert "runs.db-wal" in told


# Held


def test_a_run_is_played_by_one_at_a_time(store: Store) -> None:
    with holding(store.path, "r1"):
        assert is_held(store.path, "r1")
        assert not is_held(store.path, "r2")
        with pytest.raises(RunHeld, match="being played right now"), holding(store.path, "r1"):
            raise AssertionError
        with holding(store.path, "r2"):
            pass
    assert not is_held(store.path, "r1")
    with holding(store.path, "r1"):
        pass
    assert not list(store.path.parent.glob("*.lock"))


HOLDER = """
import sys, time
from pathlib import Path
from company_lab.runs.holding import holding
with holding(Path(sys.argv[1]), sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_process_holds_nothing_any_more(store: Store) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.path), "r1"], stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    assert is_held(store.path, "r1")
    with pytest.raises(RunHeld), holding(store.path, "r1"):
        raise AssertionError
    holder.kill()
    holder.wait()
    holder.stdout.close()
    assert not is_held(store.path, "r1")
    assert len(list(store.path.parent.glob("*.lock"))) == 1
    store.forget(["r1"])
    assert not list(store.path.parent.glob("*.lock"))
    with holding(store.path, "r1"):
        pass


def test_two_ways_to_one_store_are_one_lock(store: Store) -> None:
    link = store.path.with_name("link.db")
    link.symlink_to(store.path.name)
    with holding(store.path, "r1"):
        assert is_held(link, "r1")
        with pytest.raises(RunHeld), holding(link, "r1"):
            raise AssertionError


@pytest.mark.fault("E16")
def test_the_same_run_twice_at_once_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    plan, castings = prepared(None, trials=2)
    with Store(tmp_path / "runs.db") as store:
        begin(plan, castings, store)
        with holding(store.path, plan.run), pytest.raises(RunHeld):
            execute(plan, castings, store)
        assert store.entry(plan.run).status == "running"
        execute(plan, castings, store)
        assert store.entry(plan.run).outcomes == {"passed": 4}


def test_cells_that_somebody_else_finished_meanwhile_are_not_played_again(tmp_path: Path) -> None:
    plan, castings = prepared(None, trials=2)
    with Store(tmp_path / "runs.db") as store:
        begin(plan, castings, store)
        everything = [Todo(cell) for cell in plan.cells]
        execute(plan, castings, store, cells=everything[:2])
        assert execute(plan, castings, store, cells=everything).status == "finished"
        assert store.entry(plan.run).outcomes == {"passed": 4}


def test_a_second_opener_of_a_store_of_a_later_format_is_told_what_to_do(tmp_path: Path) -> None:
    Store(tmp_path / "runs.db").close()
    raw = sqlite3.connect(tmp_path / "runs.db")
    raw.execute("update company_lab_store set format = 9")
    raw.commit()
    raw.close()
    for create in (True, False):
        with pytest.raises(StoreUnusable, match=r"format 9.*use a newer company-lab"):
            Store(tmp_path / "runs.db", create=create)


@pytest.mark.parametrize(
    ("times", "harm"),
    [
        (0, "delete from company_lab_store"),
        (2, "insert into company_lab_store select format, written_by from company_lab_store"),
    ],
)
def test_a_store_that_does_not_say_its_format_once_is_damaged(tmp_path: Path, times: int, harm: str) -> None:
    Store(tmp_path / "runs.db").close()
    raw = sqlite3.connect(tmp_path / "runs.db")
    raw.execute(harm)
    raw.commit()
    raw.close()
    for create in (True, False):
        with pytest.raises(StoreUnusable, match=rf"is damaged: it says {times} times.*keep a copy"):
            Store(tmp_path / "runs.db", create=create)


@pytest.mark.fault("E11")
def test_no_id_becomes_the_name_of_a_file(tmp_path: Path) -> None:
    ids = [
        "refund:eur/usd",
        "Refund",
        "refund",
        "con",
        "a.",
        "..",
        "../../out",
        "quote 50%",
        "\u00e4",
        "a\u0308",
        "\0",
    ]
    folder = tmp_path / "inner" / "store"
    with Store(folder / "runs.db") as store:
        locks: set[str] = set()
        for id in ids:
            store.begin(plan(id))
            with holding(store.path, id):
                (lock,) = folder.glob("*.lock")
                locks.add(lock.name.casefold())
            store.add(id, episode("s1", 1))
        assert [entry.run for entry in store.runs()] == ids
        assert len(locks) == len(ids)
        assert not any(set(name) & set('<>:"/\\|?*') for name in locks)
    assert [file.name for file in folder.iterdir()] == ["runs.db"]
    assert [file.name for file in tmp_path.iterdir()] == ["inner"]
