"""What is special to SQLite: its file, its faults, its migrations, and that its indices are used."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from knowledge.errors import StoreUnavailableError
from knowledge.kinds import CASES, PROBLEMS, STRATEGIES
from knowledge.plan import plan_query
from knowledge.sqlite import SqliteStore
from knowledge.sqlite.database import Database
from knowledge.sqlite.selection import condition_of, segments
from knowledge.sqlite.table import Table
from knowledge.store import Query
from tests.knowledge.making import NOW, case, cases, problem, strategy

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "errata 库.db"


@pytest.fixture
def prepared(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    store.prepare()
    yield store
    store.close()


def test_it_says_what_it_is(prepared: SqliteStore) -> None:
    assert prepared.ping() == f"SQLite {sqlite3.sqlite_version}"


def test_the_file_is_in_write_ahead_mode(prepared: SqliteStore, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_store_that_was_not_prepared_says_so_and_makes_no_file(path: Path) -> None:
    store = SqliteStore(path)
    with pytest.raises(StoreUnavailableError, match="prepare"):
        store.ping()
    assert not path.exists()
    path.parent.mkdir()
    path.touch()
    with pytest.raises(StoreUnavailableError, match="prepare"):
        store.collection("p", CASES).find(Query())
    store.close()


def test_a_file_that_is_no_database_is_said_to_be_none(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("these are my notes, not a database" * 100)
    with pytest.raises(StoreUnavailableError, match="no SQLite database"):
        SqliteStore(path).prepare()
    assert path.read_text().startswith("these are my notes")


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError, match="cannot be opened"):
        SqliteStore(tmp_path).prepare()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailableError, match=r"file/errata\.db: cannot be made"):
        SqliteStore(tmp_path / "file" / "errata.db").prepare()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written_can_still_be_read(prepared: SqliteStore, path: Path) -> None:
    prepared.collection("p", CASES).add_many(cases(1))
    prepared.close()
    path.chmod(0o444)
    store = SqliteStore(path)
    assert store.collection("p", CASES).get("c0000") is not None
    with pytest.raises(StoreUnavailableError, match="cannot be written"):
        store.collection("p", CASES).add_many(cases(2))
    store.close()


def test_a_full_disk_is_named_and_nothing_is_half_written(path: Path) -> None:
    database = Database(path)
    database.create()
    with database.writing() as connection:
        connection.execute("CREATE TABLE t (x)")
    with database.reading() as connection:
        connection.execute("PRAGMA max_page_count = 20")
    with pytest.raises(StoreUnavailableError, match="the disk is full"), database.writing() as connection:
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 4096,) for _ in range(100)])
    with database.writing() as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
    database.close()


LIMITED_WRITER = """
import resource, sys
from pathlib import Path
from knowledge.errors import StoreUnavailableError
from knowledge.kinds import CASES
from knowledge.sqlite import SqliteStore
from tests.knowledge.making import cases
store = SqliteStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
try:
    store.collection("p", CASES).add_many(cases(5000))
except StoreUnavailableError as error:
    print(error)
"""


def test_a_disk_that_fails_amid_a_write_loses_nothing_that_was_there(
    prepared: SqliteStore, path: Path
) -> None:
    prepared.collection("p", CASES).add_many([case("before")])
    prepared.close()
    done = subprocess.run(
        [sys.executable, "-c", LIMITED_WRITER, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "the disk answers with errors" in done.stdout
    again = SqliteStore(path)
    again.prepare()
    assert again.collection("p", CASES).get("before") is not None
    assert len(list(again.collection("p", CASES).scan(Query()))) % 500 == 1
    again.close()


def test_a_writer_that_does_not_let_go_is_waited_for_and_then_named(
    prepared: SqliteStore, path: Path
) -> None:
    impatient = Database(path, busy_seconds=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="another process"), impatient.writing():
            pytest.fail("it must not get in")
        assert prepared.collection("p", CASES).find(Query()).items == ()
        other.execute("ROLLBACK")
    with impatient.writing():
        pass
    impatient.close()


def test_a_closed_store_is_said_to_be_closed(prepared: SqliteStore) -> None:
    prepared.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        prepared.collection("p", CASES).get("c1")


def test_an_item_that_this_version_cannot_read_is_named(prepared: SqliteStore, path: Path) -> None:
    prepared.collection("p", CASES).add_many(cases(1))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE cases SET body = '{\"case_id\": 5}'")
    with pytest.raises(StoreUnavailableError, match=r"cases c0000: .*version of Errata"):
        prepared.collection("p", CASES).get("c0000")


def test_many_threads_prepare_one_file(path: Path) -> None:
    stores = [SqliteStore(path) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(SqliteStore.prepare, stores))
    assert stores[0].collection("p", CASES).add_many(cases(1)).created == ("c0000",)
    for store in stores:
        store.close()


def test_a_kind_with_other_fields_is_migrated_with_all_its_items(path: Path) -> None:
    before = replace(PROBLEMS, fields={"tool": "keyword", "error_message": "text"})
    old = SqliteStore(path, kinds=[before, CASES])
    old.prepare()
    old.collection("p", before).add_many(
        problem(f"f{n:03}", count=n, agents=("desk", "shop"), error_message="查不到") for n in range(700)
    )
    old.collection("q", before).add_many([problem("other")])
    old.collection("p", CASES).add_many(cases(2))
    old.close()
    new = SqliteStore(path)
    for _ in range(2):
        new.prepare()
        problems = new.collection("p", PROBLEMS)
        assert len(list(problems.scan(Query()))) == 700
        assert len(problems.find(Query(where={"agents": "shop", "count": 699}, text="查不到")).items) == 1
        assert len(new.collection("q", PROBLEMS).find(Query()).items) == 1
        assert len(new.collection("p", CASES).find(Query(text="not-found")).items) == 2
    new.close()
    back = SqliteStore(path, kinds=[before, CASES])
    back.prepare()
    assert len(list(back.collection("p", before).scan(Query(where={"tool": "get_order"})))) == 700
    back.close()


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    before = replace(PROBLEMS, fields={"tool": "keyword"})
    old = SqliteStore(path, kinds=[before])
    old.prepare()
    old.collection("p", before).add_many([problem("a"), problem("b")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE problems SET body = '{}' WHERE key = 'b'")
    with pytest.raises(StoreUnavailableError, match="problems b"):
        SqliteStore(path).prepare()
    assert old.collection("p", before).get("a") is not None
    assert old.collection("p", before).add_many([problem("c")]).created == ("c",)
    old.close()


def test_replaced_and_removed_items_leave_nothing_behind(prepared: SqliteStore, path: Path) -> None:
    collection = prepared.collection("p", PROBLEMS)
    for turn in range(3):
        collection.put_many([problem("a", agents=("x", f"y{turn}"), error_message=f"word{turn}")])
    collection.remove_many(["a"])
    with closing(sqlite3.connect(path)) as connection:
        left = [
            connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
            for name in ("problems", "problems.values", "problems.text")
        ]
    assert left == [0, 0, 0]


@pytest.mark.parametrize(
    "query",
    [
        Query(),
        Query(descending=True),
        Query(sort="occurred_at"),
        Query(sort="occurred_at", descending=True),
        Query(where={"fingerprint": "f1"}),
        Query(where={"run_id": "r", "task_id": None}),
    ],
    ids=str,
)
def test_pages_are_read_through_an_index_and_not_sorted(
    prepared: SqliteStore, path: Path, query: Query
) -> None:
    plan, table = plan_query("p", CASES, query), Table.of(CASES)
    after = [int(timedelta(days=1).total_seconds()), "c5"] if query.sort else ["c5"]
    with closing(sqlite3.connect(path)) as connection:
        for position in (None, after):
            for segment in segments(condition_of(table, "p", plan), plan, position):
                statement = table.select("key", segment.condition.sql, "ORDER BY", segment.order, "LIMIT 5")
                steps = connection.execute(f"EXPLAIN QUERY PLAN {statement}", segment.condition.parameters)
                told = " / ".join(step[3] for step in steps)
                assert "SEARCH" in told
                assert "INDEX" in told
                assert "TEMP B-TREE" not in told


def test_what_narrows_most_is_looked_up_once_there_is_much(prepared: SqliteStore, path: Path) -> None:
    items = cases(6000)
    few = (item.model_copy(update={"fingerprint": f"f{n % 1000}"}) for n, item in enumerate(items))
    prepared.collection("p", CASES).add_many(few)
    query = Query(where={"fingerprint": "f7", "error_code": "tool.error"}, sort="occurred_at")
    plan, table = plan_query("p", CASES, query), Table.of(CASES)
    segment = next(segments(condition_of(table, "p", plan), plan, None))
    statement = table.select("key", segment.condition.sql, "ORDER BY", segment.order, "LIMIT 50")
    with closing(sqlite3.connect(path)) as connection:
        steps = connection.execute(f"EXPLAIN QUERY PLAN {statement}", segment.condition.parameters)
        assert "cases.by.fingerprint" in next(iter(steps))[3]


def test_a_history_survives_a_copy_of_the_file(prepared: SqliteStore, path: Path, tmp_path: Path) -> None:
    """The backup that docs/stores.md tells of: VACUUM INTO while the store is in use."""
    prepared.collection("p", STRATEGIES).put(strategy("ST-1", ("filed",)), None)
    prepared.leases.acquire("n", "ann", 60, NOW)
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))
    restored = SqliteStore(copy)
    restored.prepare()
    assert restored.collection("p", STRATEGIES).get("ST-1") is not None
    assert restored.leases.holder("n") is not None
    restored.close()
