"""The recipes for ClickHouse, dbt, Flink and Kafka Connect, on the sample."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import sqlglot
from chdb.session import Session

import charts
from conftest import ANALYTICS

DBT = Path(sys.executable).parent / "dbt"


def statements(file: str) -> list[str]:
    return [part.strip() for part in (ANALYTICS / file).read_text().split(";\n") if part.strip()]


@pytest.fixture(scope="module")
def clickhouse() -> Session:
    session = Session()
    session.query("create database settle")
    session.query("use settle")
    for file in ("tables.sql", "export.sql", "export.sql"):
        for statement in statements(f"clickhouse/{file}"):
            session.query(statement.replace("sample/", f"{ANALYTICS}/sample/"))
    return session


def rows(session: Session, statement: str) -> list[list]:
    answer = str(session.query(statement, "JSONCompactEachRow"))
    return [json.loads(line) for line in answer.splitlines()]


def test_clickhouse_has_the_balances_of_duckdb(clickhouse: Session, database: duckdb.DuckDBPyConnection) -> None:
    of_duckdb = database.execute("select account, cents from balances order by account").fetchall()
    of_clickhouse = rows(clickhouse, "select account, toInt64(cents) from balances order by account")
    assert [(account, int(cents)) for account, cents in of_clickhouse] == of_duckdb


def test_clickhouse_has_the_payments_of_duckdb(clickhouse: Session, database: duckdb.DuckDBPyConnection) -> None:
    columns = "payment_id, action, mode, actor_user_id, target_user_id, status, reason"
    of_duckdb = database.execute(f"select {columns} from payments order by payment_id").fetchall()
    assert [tuple(row) for row in rows(clickhouse, f"select {columns} from payments order by payment_id")] == of_duckdb


def test_queries_of_clickhouse_return_the_numbers_of_the_models(
    clickhouse: Session, database: duckdb.DuckDBPyConnection
) -> None:
    trial_balance, daily_volume, time_to_approve = (
        rows(clickhouse, each) for each in statements("clickhouse/queries.sql")
    )
    assert [[int(value) for value in row] for row in trial_balance] == [[0]]
    volume = charts.query(database, "daily_volume")
    expected = zip(
        map(str, volume["day"]), volume["payments"], volume["amount_cents"], volume["fee_cents"], strict=True
    )
    assert [(day, *map(int, counts)) for day, *counts in daily_volume] == list(expected)
    approvals = charts.query(database, "time_to_approve")
    assert [int(row[1]) for row in time_to_approve] == approvals["approved"]
    for column, name in ((2, "median_seconds"), (3, "p90_seconds")):
        assert [row[column] for row in time_to_approve] == pytest.approx(approvals[name])


def test_clickhouse_makes_the_same_records_of_messages(clickhouse: Session) -> None:
    topics, to_records = statements("clickhouse/kafka.sql")
    # chDB has no engine for Kafka: a table in memory with its columns stands in.
    assert isinstance(sqlglot.parse_one(topics, dialect="clickhouse"), sqlglot.exp.Create)
    clickhouse.query("create database kafka")
    clickhouse.query("use kafka")
    for statement in statements("clickhouse/tables.sql"):
        clickhouse.query(statement)
    columns = "value String, _topic String, _key String, _headers Nested(name String, value String)"
    clickhouse.query(f"create table topics ({columns}) engine = Memory")
    clickhouse.query(to_records)
    headers = "['epoch', 'position', 'time', 'type'], [toString(epoch), toString(position), toString(time), type]"
    clickhouse.query(f"insert into topics select data, topic, key, {headers} from settle.records")
    same = "select count() from (select * from kafka.records final intersect select * from settle.records final)"
    assert [int(count) for [count] in rows(clickhouse, same)] == [10_000]
    clickhouse.query("use settle")


def test_dbt_builds_its_models_and_their_tests_pass(file: str, tmp_path: Path) -> None:
    copy = tmp_path / "settle.duckdb"
    copy.write_bytes(Path(file).read_bytes())
    folders = ["--project-dir", str(ANALYTICS / "dbt"), "--profiles-dir", str(ANALYTICS / "dbt")]
    output = ["--target-path", str(tmp_path / "target"), "--log-path", str(tmp_path / "logs")]
    built = subprocess.run(
        [DBT, "build", *folders, *output],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "SETTLE_DUCKDB": str(copy)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    with duckdb.connect(str(copy)) as connection:
        models = connection.execute("select table_name from information_schema.tables where table_schema = 'analytics'")
        assert {name for (name,) in models.fetchall()} == {
            path.stem for path in (ANALYTICS / "dbt/models").glob("*.sql")
        }


def test_flink_sql_is_parsed_and_computes_the_numbers_of_duckdb_when_it_is_translated(
    file: str, database: duckdb.DuckDBPyConnection
) -> None:
    parsed = [sqlglot.parse_one(statement, dialect="spark") for statement in statements("flink/settle.sql")]
    *created, query = [tree.sql("duckdb", unsupported_level=sqlglot.ErrorLevel.IGNORE) for tree in parsed]
    with duckdb.connect() as flink:
        flink.execute(f"attach '{file}' as sample (read_only)")
        for statement in created[:2]:
            flink.execute(statement)
        for table, topic in (("payment_events", "payments.events.v1"), ("ledger_entries", "ledger.entries.v1")):
            names = [column[0] for column in flink.execute(f"from {table}").description]
            values = ", ".join(f"data ->> '{name}'" for name in names)
            # Twice, as records may come.
            for _ in range(2):
                flink.execute(f"insert into {table} select {values} from sample.events where topic = '{topic}'")
            known = f"select unnest(json_keys(data)) from sample.events where topic = '{topic}'"
            assert set(names) <= {name for (name,) in flink.execute(f"select distinct * from ({known})").fetchall()}
        for statement in created[2:]:
            flink.execute(statement)
        volume = sorted(flink.execute(query).fetchall())
        cents = flink.execute("select account, cents from account_cents order by account").fetchall()
    assert cents == database.execute("select account, cents from balances order by account").fetchall()
    expected = charts.query(database, "daily_volume")
    days = zip(map(str, expected["day"]), *(expected[name] for name in list(expected)[1:]), strict=True)
    assert volume == list(days)


@pytest.mark.parametrize("name", ["s3-sink", "jdbc-sink"])
def test_sinks_of_kafka_connect_are_complete(name: str) -> None:
    sink = json.loads((ANALYTICS / f"connect/{name}.json").read_text())
    config = sink["config"]
    assert sink["name"].startswith("analysts-")
    assert all(isinstance(value, str) for value in config.values())
    assert config["topics"].split(",") == ["payments.events.v1", "ledger.entries.v1"]
    for alias in filter(None, config.get("transforms", "").split(",")):
        assert config[f"transforms.{alias}.type"].startswith("org.apache.kafka.connect.transforms.")
