from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from company_lab.evaluation import Verdict
from company_lab.formats.errors import WrongUse
from company_lab.runs.failures import (
    DamagedEpisode,
    DuplicateEpisode,
    DuplicateRun,
    StoreFailed,
    StoreUnusable,
    UnknownRun,
)
from company_lab.runs.packing import pack
from company_lab.runs.place import store_path, store_words
from company_lab.runs.plan import Cell
from company_lab.runs.store import Store
from company_lab.traces.record import REPLAYED
from stored_samples import FAILED, PASSED, UNSCORED, episode, plan

SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "runs.db") as opened:
        opened.begin(plan())
        yield opened


@pytest.mark.fault("A17")
def test_what_was_stored_is_read_back(store: Store) -> None:
    before = episode("s1", 1, verdict=FAILED)
    store.add("r1", before)
    after = store.episode("r1", "s1", 1)
    assert after.trace.bytes() == before.trace.bytes()
    assert (after.verdict, after.timings, after.grading) == (before.verdict, before.timings, before.grading)
    (summary,) = store.episodes("r1")
    assert summary.failures == FAILED.failures
    assert summary.cost_usd == Decimal("0.0100")
    assert store.plan("r1") == plan()


def test_summaries_come_by_scenario_and_trial_whatever_the_order_of_storing(store: Store) -> None:
    for scenario, trial in (("s2", 2), ("s1", 2), ("s2", 1), ("s1", 1)):
        store.add("r1", episode(scenario, trial))
    assert [(summary.scenario, summary.trial) for summary in store.episodes("r1")] == list(plan().cells)


@pytest.mark.fault("A18")
def test_summaries_are_the_same_before_and_after_storing(store: Store) -> None:
    stored = [
        store.add("r1", episode("s1", 1, verdict=FAILED)),
        store.add("r1", episode("s1", 2, verdict=UNSCORED)),
    ]
    assert list(store.episodes("r1")) == stored


@pytest.mark.fault("A24")
def test_a_cell_counts_once(store: Store) -> None:
    store.add("r1", episode("s1", 1, verdict=FAILED))
    with pytest.raises(DuplicateEpisode, match="s1 trial 1 of run r1 is already stored"):
        store.add("r1", episode("s1", 1))
    assert [summary.outcome for summary in store.episodes("r1")] == ["failed"]


@pytest.mark.fault("A26")
def test_a_finished_failure_is_never_replaced_by_a_later_attempt(store: Store) -> None:
    store.add("r1", episode("s1", 1, verdict=FAILED))
    with pytest.raises(DuplicateEpisode, match="attempt 2 of s1 trial 1 ignored: attempt 1 finished"):
        store.add("r1", episode("s1", 1, attempt=2))
    assert [summary.outcome for summary in store.episodes("r1")] == ["failed"]


@pytest.mark.fault("A24")
def test_an_attempt_after_an_outage_takes_the_place_of_the_earlier_one_which_is_kept(store: Store) -> None:
    store.add("r1", episode("s1", 1, verdict=UNSCORED, stop="infrastructure_error"))
    store.add("r1", episode("s1", 1, verdict=FAILED, attempt=2))
    store.add("r1", episode("s1", 2))
    assert [summary.outcome for summary in store.episodes("r1")] == ["failed", "passed"]
    assert store.entry("r1").outcomes == {"failed": 1, "passed": 1}
    with sqlite3.connect(store.path) as raw:
        rows = raw.execute(
            "select attempt, superseded from episodes where trial = 1 order by attempt"
        ).fetchall()
    raw.close()
    assert rows == [(1, 1), (2, 0)]


def test_attempts_that_were_held_back_are_stored_with_the_one_that_follows_or_not_at_all(
    store: Store,
) -> None:
    held = [
        episode("s1", 1, verdict=UNSCORED, stop="infrastructure_error", attempt=number) for number in (1, 2)
    ]
    store.add("r1", episode("s1", 1, attempt=3), after=held)
    assert store.attempts("r1")[Cell("s1", 1)].attempt == 3
    assert store.superseded("r1") == 2
    with pytest.raises(DuplicateEpisode):
        store.add("r1", episode("s1", 2, attempt=2), after=[episode("s1", 2, verdict=FAILED)])
    assert Cell("s1", 2) in store.missing("r1")


def test_what_was_done_before_an_outage_is_not_retried_away(store: Store) -> None:
    store.add("r1", episode("s1", 1, verdict=FAILED, stop="infrastructure_error"))
    with pytest.raises(DuplicateEpisode, match="failed by what it did before the outage"):
        store.add("r1", episode("s1", 1, attempt=2))


def test_an_attempt_is_stored_once(store: Store) -> None:
    store.add("r1", episode("s1", 1, verdict=UNSCORED, stop="infrastructure_error"))
    store.add("r1", episode("s1", 1, verdict=UNSCORED, stop="infrastructure_error", attempt=2))
    with pytest.raises(DuplicateEpisode):
        store.add("r1", episode("s1", 1, attempt=2))


def test_continuations_are_never_mixed_in(store: Store) -> None:
    store.add("r1", episode("s1", 1))
    store.add("r1", episode("s1", 1, verdict=FAILED, life=2))
    assert [summary.outcome for summary in store.episodes("r1")] == ["passed"]


def test_missing_and_foreign_cells_are_named(store: Store) -> None:
    store.add("r1", episode("s1", 2))
    store.add("r1", episode("s3", 1))
    assert store.missing("r1") == (Cell("s1", 1), Cell("s2", 1), Cell("s2", 2))
    assert store.foreign("r1") == (Cell("s3", 1),)


def test_a_run_has_one_plan(store: Store) -> None:
    with pytest.raises(DuplicateRun, match="r1 is already in the store"):
        store.begin(plan())


def test_an_episode_of_a_run_that_was_not_begun_is_refused(store: Store) -> None:
    with pytest.raises(UnknownRun, match="r2"):
        store.add("r2", episode("s1", 1))


def test_last_means_the_newest_run_and_names_may_be_shortened(store: Store) -> None:
    store.begin(plan("20260305-abc"))
    assert store.resolve("last") == "20260305-abc"
    assert store.resolve("2026") == "20260305-abc"
    assert store.resolve("abc") == "20260305-abc"
    with pytest.raises(WrongUse, match=r"no run 'r11'.*did you mean r1"):
        store.resolve("r11")
    store.begin(plan("20260306-abc"))
    with pytest.raises(WrongUse, match="2 runs"):
        store.resolve("2026")


def test_an_episode_that_is_not_there_is_told_from_one_that_can_not_be(store: Store) -> None:
    with pytest.raises(WrongUse, match="never finished"):
        store.episode("r1", "s1", 1)
    with pytest.raises(WrongUse, match="trials 1 to 2 of s1, no trial 3"):
        store.episode("r1", "s1", 3)
    with pytest.raises(WrongUse, match="no scenario 's11'; did you mean s1"):
        store.episode("r1", "s11", 1)


def test_texts_are_kept_once_under_their_digest(store: Store) -> None:
    digest = store.keep('{"a":1}')
    assert store.keep('{"a":1}') == digest
    assert store.kept(digest) == '{"a":1}'
    assert store.kept("0" * 64) is None


def test_a_changed_trace_is_noticed(store: Store) -> None:
    store.add("r1", episode("s1", 1))
    other = store.add("r1", episode("s1", 2))
    assert other.trace_digest
    with sqlite3.connect(store.path) as raw:
        raw.execute(
            "update episodes set trace = (select trace from episodes order by episode desc limit 1) "
            "where episode = (select min(episode) from episodes)"
        )
    raw.close()
    with pytest.raises(DamagedEpisode, match="s1 trial 1 of run r1"):
        store.episode("r1", "s1", 1)
    assert store.episode("r1", "s1", 2).trial == 2


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("verdict", '{"outcome":"fai'),
        ("verdict", '{"outcome":"failed","failures":[{}]}'),
        ("verdict", "[" * 100_000),
        ("verdict", 7),
        ("timings", '{"stdout":'),
        ("timings", "[]"),
        ("trace", b"no trace"),
    ],
)
def test_an_episode_that_somebody_has_changed_is_told_by_its_name(
    store: Store, column: str, value: object
) -> None:
    store.add("r1", episode("s1", 1, verdict=FAILED))
    with sqlite3.connect(store.path) as raw:
        raw.execute(f"update episodes set {column} = ?", (value,))  # noqa: S608 - names from here
    raw.close()
    with pytest.raises(DamagedEpisode, match="s1 trial 1 of run r1"):
        store.episode("r1", "s1", 1)


@pytest.mark.parametrize(("column", "value"), [("verdict", '{"outcome":"fai'), ("cost_usd", "much")])
def test_figures_are_not_taken_from_an_episode_that_somebody_has_changed(
    store: Store, column: str, value: object
) -> None:
    store.add("r1", episode("s1", 1, verdict=FAILED))
    with sqlite3.connect(store.path) as raw:
        raw.execute(f"update episodes set {column} = ?", (value,))  # noqa: S608 - names from here
    raw.close()
    with pytest.raises(DamagedEpisode, match="s1 trial 1 of run r1"):
        list(store.episodes("r1"))


def test_a_text_that_somebody_has_changed_is_told(store: Store) -> None:
    digest = store.keep("text")
    with sqlite3.connect(store.path) as raw:
        raw.execute("update blobs set data = ?", (pack(b"\xff\xfe"),))
    raw.close()
    with pytest.raises(DamagedEpisode, match=digest):
        store.kept(digest)


def test_new_verdicts_count_and_old_ones_and_traces_stay(store: Store) -> None:
    store.add("r1", episode("s1", 1))
    before = store.episode("r1", "s1", 1)
    assert store.regrade("r1", [(Cell("s1", 1), "g2", FAILED)]) == 1
    after = store.episode("r1", "s1", 1)
    assert (after.verdict, after.grading) == (FAILED, "g2")
    assert after.trace.bytes() == before.trace.bytes()
    assert store.entry("r1").outcomes == {"failed": 1}
    store.regrade("r1", [(Cell("s1", 1), "g1", PASSED)])
    assert [summary.outcome for summary in store.episodes("r1")] == ["passed"]
    with sqlite3.connect(store.path) as raw:
        assert raw.execute("select count(*) from verdicts").fetchone() == (2,)
    raw.close()


def test_a_temporary_store_leaves_nothing_behind() -> None:
    store = Store.temporary()
    store.begin(plan())
    store.add("r1", episode("s1", 1))
    folder = store.path.parent
    store.close()
    assert not folder.exists()


# Opening


def test_the_place_is_what_the_caller_says_else_the_variable_else_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMPANY_LAB_STORE", raising=False)
    assert store_path() == tmp_path / ".company-lab" / "runs.db"
    monkeypatch.setenv("COMPANY_LAB_STORE", "elsewhere.db")
    assert store_path() == tmp_path / "elsewhere.db"
    assert store_path("given.db") == tmp_path / "given.db"
    assert store_path(tmp_path) == tmp_path / "runs.db"


def test_a_command_names_a_store_it_would_not_find(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COMPANY_LAB_STORE", raising=False)
    assert store_words(store_path()) == ""
    assert store_words(folder / "mine.db") == " --store mine.db"
    assert store_words(tmp_path / "a folder.db") == f" --store '{tmp_path / 'a folder.db'}'"
    monkeypatch.setenv("COMPANY_LAB_STORE", str(folder / "mine.db"))
    assert store_words(folder / "mine.db") == ""


def test_reading_a_store_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="there is no store"):
        Store(tmp_path / "new" / "runs.db", create=False)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"hello, this is text" * 400, "no SQLite database"), (b"\0" * 5000, "no SQLite database")],
)
def test_a_file_that_is_something_else_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "runs.db"
    file.write_bytes(content)
    with pytest.raises(StoreUnusable, match=message):
        Store(file)
    assert file.read_bytes() == content


def test_a_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / "runs.db")
    raw.execute("create table customers (id)")
    raw.close()
    with pytest.raises(StoreUnusable, match=r"no store of company-lab \(it holds customers\)"):
        Store(tmp_path / "runs.db")


def test_a_store_of_a_later_format_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "runs.db").close()
    raw = sqlite3.connect(tmp_path / "runs.db")
    raw.execute("update company_lab_store set format = 2")
    raw.commit()
    raw.close()
    with pytest.raises(StoreUnusable, match="format 2"):
        Store(tmp_path / "runs.db", create=False)


def test_a_folder_that_can_not_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match="can not be made"):
        Store(tmp_path / "file" / "runs.db")


# Several processes, and disks that end

WRITER = """
import sys
from dataclasses import replace
sys.path.insert(0, sys.argv[2])
from stored_samples import episode, plan
from company_lab.runs.store import Store
name, trials = sys.argv[3], int(sys.argv[4])
sys.stdin.readline()
with Store(sys.argv[1]) as store:
    store.begin(plan(name, trials=trials))
    for scenario, trial in plan(name, trials=trials).cells:
        store.add(name, episode(scenario, trial))
"""


@pytest.mark.fault("E16")
def test_processes_that_start_at_once_on_an_empty_folder_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.db"
    here = str(SUPPORT)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), here, f"r{number}", "25"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate(timeout=150)
        assert writer.returncode == 0, errors.decode()
    with Store(path, create=False) as store:
        assert [entry.stored for entry in store.runs()] == [50, 50, 50, 50]
        assert all(store.missing(entry.run) == () for entry in store.runs())


FILLER = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from stored_samples import episode, plan
from company_lab.runs.failures import StoreFailed
from company_lab.runs.store import Store
with Store(sys.argv[1]) as store:
    store.begin(plan(trials=2000))
    size = 1_000_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    stored = 0
    try:
        for scenario, trial in plan(trials=2000).cells:
            store.add("r1", episode(scenario, trial))
            stored += 1
    except StoreFailed as error:
        print(stored, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on file sizes")
def test_a_disk_that_ends_is_told_and_takes_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    done = subprocess.run(
        [sys.executable, "-c", FILLER, str(path), str(SUPPORT)],
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=True,
    )
    stored, _, message = done.stdout.partition(" ")
    assert "space" in message
    assert str(path) in message
    assert 10 < int(stored) < 4000
    with Store(path) as store:
        assert len(list(store.episodes("r1"))) == int(stored)
        assert len(store.episode("r1", "s1", 1).trace) == 5
        store.add("r1", episode("s2", 2000))
    assert {file.name for file in tmp_path.iterdir()} == {"runs.db"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_store_that_may_only_be_read_can_be_read(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.db") as store:
        store.begin(plan())
    (tmp_path / "runs.db").chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with Store(tmp_path / "runs.db", create=False) as store:
            assert store.resolve() == "r1"
        with pytest.raises(StoreUnusable, match="permissions"):
            Store(tmp_path / "runs.db")
    finally:
        tmp_path.chmod(0o755)


def test_a_store_held_by_another_process_for_too_long_is_told(
    store: Store,
) -> None:
    store.add("r1", episode("s1", 1))
    holder = sqlite3.connect(store.path, isolation_level=None)
    holder.execute("begin immediate")
    with Store(store.path, patience=0.05) as second:
        with pytest.raises(StoreFailed, match="another process"):
            second.add("r1", episode("s1", 2))
        holder.execute("rollback")
        second.add("r1", episode("s1", 2))
    holder.close()


@pytest.mark.parametrize("verdict", [PASSED, FAILED])
def test_replayed_answers_are_no_trial_of_a_model_also_when_they_are_judged_again(
    store: Store, verdict: Verdict
) -> None:
    replayed = episode("s1", 1)
    replayed.trace.records[0]["evidence"] = REPLAYED
    store.add("r1", replayed)
    store.regrade("r1", [(Cell("s1", 1), "g2", verdict)])
    assert store.episode("r1", "s1", 1).verdict == verdict
    (summary,) = store.episodes("r1")
    assert (summary.outcome, store.entry("r1").outcomes) == ("unscored", {"unscored": 1})


def test_forgotten_runs_are_gone_with_everything_about_them_and_nothing_else(store: Store) -> None:
    other = replace(plan("r2"), scenarios={"s1": "d1", "s2": "d3"})
    store.begin(other)
    for digest in ("d1", "d2", "d3"):
        store.keep("{}", under=digest)
    for run in ("r1", "r2"):
        store.add(run, episode("s1", 1, verdict=FAILED))
        store.regrade(run, [(Cell("s1", 1), "g2", UNSCORED)])
    before = store.episode("r2", "s1", 1)
    store.forget(["r1"])
    assert [entry.run for entry in store.runs()] == ["r2"]
    after = store.episode("r2", "s1", 1)
    assert (after.trace.bytes(), after.verdict) == (before.trace.bytes(), before.verdict)
    assert [store.kept(digest) for digest in ("d1", "d2", "d3")] == ["{}", None, "{}"]
    with sqlite3.connect(store.path) as raw:
        for table, left in (("episodes", 1), ("verdicts", 2)):
            assert raw.execute(f"select count(*) from {table}").fetchone() == (left,)  # noqa: S608 - names from here
    raw.close()


@pytest.mark.parametrize("change", ["verdict = null", "outcome = 'passed'", "outcome = 'unscored'"])
def test_an_outcome_that_its_verdict_does_not_give_is_damage_and_no_pass(store: Store, change: str) -> None:
    store.add("r1", episode("s1", 1, verdict=FAILED))
    assert [counted.summary.outcome for counted in store.counted("r1")] == ["failed"]
    with sqlite3.connect(store.path) as raw:
        raw.execute(f"update episodes set {change}")  # noqa: S608 - words from here
    raw.close()
    with pytest.raises(DamagedEpisode, match="s1 trial 1 of run r1 can not be read: its verdict counts as"):
        store.episode("r1", "s1", 1)
    with pytest.raises(DamagedEpisode, match="s1 trial 1 of run r1 can not be read: its verdict counts as"):
        list(store.counted("r1"))


def test_forgetting_a_run_that_is_not_there_deletes_nothing(store: Store) -> None:
    with pytest.raises(WrongUse, match="r9"):
        store.forget(["r1", "r9"])
    assert [entry.run for entry in store.runs()] == ["r1"]


def test_a_run_whose_plan_is_damaged_can_be_forgotten_and_costs_no_other_run_its_texts(store: Store) -> None:
    store.begin(replace(plan("r2"), scenarios={"s1": "d1"}))
    store.begin(replace(plan("r3"), scenarios={"s1": "d3"}))
    for digest in ("d1", "d3"):
        store.keep("{}", under=digest)
    with sqlite3.connect(store.path) as raw:
        raw.execute("update runs set plan = '[' where run = 'r2'")
    raw.close()
    store.forget(["r3"])
    assert [store.kept(digest) for digest in ("d1", "d3")] == ["{}", "{}"]
    store.forget(["r2"])
    assert [entry.run for entry in store.runs()] == ["r1"]
