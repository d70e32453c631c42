"""The committed sample, and its tables in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import to_duckdb

ANALYTICS = Path(__file__).parent.parent
SAMPLE = str(ANALYTICS / "sample/events.ndjson.gz")


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A DuckDB file with the tables of the sample."""
    path = str(tmp_path_factory.mktemp("duckdb") / "settle.duckdb")
    to_duckdb.fill(path, [SAMPLE]).close()
    return path


@pytest.fixture
def database(file: str) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(file, read_only=True) as connection:
        yield connection
