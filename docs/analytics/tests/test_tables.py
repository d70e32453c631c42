"""The tables of the sample in DuckDB and in Polars."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import polars as pl
import pytest

import charts
import settle_records
import to_duckdb
import to_polars
from conftest import ANALYTICS, SAMPLE
from settle_records import Extent, Record, read_export

TABLES = ("events", "payments", "entries", "balances")
SAMPLE_BYTES = 2_000_000


def rows_of(database: duckdb.DuckDBPyConnection, table: str) -> list[tuple]:
    return database.execute(f"select * from {table}").fetchall()


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return list(read_export([SAMPLE]))


@pytest.fixture(scope="module")
def frames(records: list[Record]) -> dict[str, pl.DataFrame]:
    return to_polars.frames_of(records, settle_records.extents_of(records))


def test_the_sample_has_ten_thousand_records_of_both_topics_in_two_megabytes(records: list[Record]) -> None:
    assert len(records) == 10_000
    assert {record.topic for record in records} == {"payments.events.v1", "ledger.entries.v1"}
    assert sum(path.stat().st_size for path in (ANALYTICS / "sample").iterdir()) < SAMPLE_BYTES


def test_the_parquet_file_has_the_records_of_the_lines(database: duckdb.DuckDBPyConnection) -> None:
    parquet = f"read_parquet('{ANALYTICS}/sample/events.parquet')"
    assert rows_of(database, parquet) == rows_of(database, "events")


def test_books_are_closed(database: duckdb.DuckDBPyConnection) -> None:
    assert database.execute("select sum(cents) from balances").fetchone() == (0,)
    assert database.execute("select count(*) from balances where account like 'wallet:%' and cents < 0").fetchone() == (
        0,
    )
    transit = "select split_part(account, ':', 2) from balances where account like 'transit:%' and cents <> 0"
    open_holds = f"select count(*) from payments where status = 'pending' and payment_id in ({transit})"
    assert database.execute(open_holds).fetchone() == database.execute(f"select count(*) from ({transit})").fetchone()


def test_every_kind_of_payment_and_end_is_in_the_sample(database: duckdb.DuckDBPyConnection) -> None:
    def values(column: str) -> set[str]:
        return {value for (value,) in database.execute(f"select distinct {column} from payments").fetchall()}

    assert values("mode") == {"transfer", "hold", "request", "trusted", "refund"}
    assert values("status") == {"pending", "settled", "failed", "expired", "cancelled"}


@pytest.mark.parametrize("table", TABLES)
def test_polars_has_the_rows_of_duckdb(
    table: str, database: duckdb.DuckDBPyConnection, frames: dict[str, pl.DataFrame]
) -> None:
    names = [column[0] for column in database.execute(f"select * from {table}").description]
    assert frames[table].columns == names
    assert frames[table].rows() == rows_of(database, table)


def test_records_that_come_again_in_any_order_change_no_table(
    tmp_path: Path, records: list[Record], database: duckdb.DuckDBPyConnection, frames: dict[str, pl.DataFrame]
) -> None:
    shuffled = [*records, *records[2_000:5_000]]
    random.Random(7).shuffle(shuffled)
    extents = settle_records.extents_of(records)
    again = to_duckdb.open_database(str(tmp_path / "again.duckdb"))
    for part in (shuffled[:6_000], shuffled[4_000:], shuffled):
        to_duckdb.store(again, part, extents)
    again.execute((to_duckdb.TABLES / "tables.sql").read_text())
    replayed = to_polars.frames_of(shuffled, extents)
    for table in TABLES:
        assert rows_of(again, table) == rows_of(database, table)
        assert replayed[table].equals(frames[table])


def test_records_above_the_extent_or_of_an_earlier_epoch_are_in_no_table(tmp_path: Path, records: list[Record]) -> None:
    first, second, third = [record for record in records if record.topic == "ledger.entries.v1"][:3]
    kept = second._replace(epoch=2)
    read = [first, kept, third._replace(epoch=2)]
    extents = [Extent(first.topic, 1, third.position), Extent(first.topic, 2, second.position)]
    database = to_duckdb.open_database(str(tmp_path / "epochs.duckdb"))
    to_duckdb.store(database, read, extents)
    database.execute((to_duckdb.TABLES / "tables.sql").read_text())
    assert [row[1] for row in rows_of(database, "events")] == [second.position]
    assert to_polars.frames_of(read, extents)["events"]["position"].to_list() == [second.position]


def test_charts_are_those_of_the_page(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["charts.py", file, str(tmp_path)])
    charts.main()
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    committed = {path.name: path.read_text() for path in (ANALYTICS / "charts").iterdir()}
    assert made == committed, "make them again: node tools/analytics-sample/make.mjs"
