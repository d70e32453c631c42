"""Fills a DuckDB file from the public topics: `python to_duckdb.py <file> [<export> ...]`.

Without exports it reads Kafka (`KAFKA_BROKERS`, by default localhost:9092) up to the newest watermark, and the next run continues
there. A run can be repeated, or begin anew with an empty file: the tables are the same.
"""

import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import duckdb

import settle_records
from settle_records import Extent, Record, read_export

TABLES = Path(__file__).parent / "sql"
ROWS_AT_ONCE = 20_000


def open_database(path: str) -> duckdb.DuckDBPyConnection:
    """Opens the file, or makes it, with the tables of what was read."""
    database = duckdb.connect(path)
    database.execute((TABLES / "records.sql").read_text())
    return database


def store(database: duckdb.DuckDBPyConnection, records: Iterable[Record], extents: Iterable[Extent]) -> None:
    """Stores each record once, and how far their topics are complete."""
    remaining = iter(records)
    while rows := list(islice(remaining, ROWS_AT_ONCE)):
        columns = [list(column) for column in zip(*rows, strict=True)]
        values = ", ".join(f"unnest(${number})" for number in range(1, len(columns) + 1))
        database.execute(f"insert or ignore into records select {values}", columns)
    for extent in extents:
        database.execute(
            "insert into extents values (?, ?, ?) on conflict do update set until_position = greatest(until_position, excluded.until_position)",
            extent,
        )


def read_kafka(database: duckdb.DuckDBPyConnection) -> None:
    """Stores the records from the places where the last run ended up to the newest watermark."""
    # Exports need no client of Kafka.
    from settle_topics import Place, Topics, extents_of

    topics = Topics()
    try:
        marks = topics.read_marks()
        rows = database.execute("select topic, partition, epoch, next_offset from places").fetchall()
        places = {(topic, partition): Place(epoch, offset) for topic, partition, epoch, offset in rows}
        store(database, topics.read(marks, places), extents_of(marks))
    finally:
        topics.close()
    for mark in marks:
        place = places.get((mark.topic, mark.partition), Place(mark.epoch, 0))
        # An instance that takes over may write a mark a little below the one before.
        next_offset = max(mark.offset, place.offset) if place.epoch == mark.epoch else mark.offset
        row = (mark.topic, mark.partition, mark.epoch, next_offset)
        database.execute("insert or replace into places values (?, ?, ?, ?)", row)


def fill(path: str, exports: list[str]) -> duckdb.DuckDBPyConnection:
    """Brings the file up to date in one transaction, and returns it with its tables made from the records."""
    database = open_database(path)
    database.begin()
    if exports:
        records = list(read_export(exports))
        store(database, records, settle_records.extents_of(records))
    else:
        read_kafka(database)
    database.execute((TABLES / "tables.sql").read_text())
    database.commit()
    return database


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    database = fill(sys.argv[1], sys.argv[2:])
    for table in ("events", "payments", "entries", "balances"):
        [(count,)] = database.execute(f"select count(*) from {table}").fetchall()
        print(f"{table}: {count} rows")
    [(cents,)] = database.execute("select coalesce(sum(cents), 0) from balances").fetchall()
    print(f"trial balance: {cents} cents")


if __name__ == "__main__":
    main()
