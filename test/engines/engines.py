"""Reads all tables of a copied build with Polars, DuckDB's httpfs and ClickHouse, as docs/object-storage.md says.

The first argument is a file with the Python code of the page, the second one the DuckDB file of the build. Prints one JSON object.
"""

import json
import sys
from datetime import datetime, timezone
from pathlib import Path

import chdb
import duckdb
import duckdb_extension_httpfs

# The page downloads the extension, which a machine without access to DuckDB's server cannot.
file = next(Path(duckdb_extension_httpfs.__file__).parent.rglob("*.duckdb_extension"))
duckdb.connect().install_extension(str(file))
page = {}
exec(open(sys.argv[1]).read(), page)
build = duckdb.connect(sys.argv[2], read_only=True)
build.sql("SET TimeZone = 'UTC'")
tables = page["manifest"]["tables"]


def plain(value):
    """Makes values comparable: all times without a zone, in UTC."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(timezone.utc).replace(tzinfo=None)
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def sorted_rows(rows):
    return sorted((plain(list(row)) for row in rows), key=repr)


def as_in_clickhouse(value, kind):
    """ClickHouse has no NULL lists."""
    if kind.endswith("[]"):
        return [as_in_clickhouse(one, kind[:-2]) for one in value or []]
    return value


def rows_of_clickhouse(name, kinds):
    found = chdb.query(page["clickhouse_query"](name), "ArrowTable")
    columns = [[as_in_clickhouse(value, kind) for value in column.to_pylist()] for kind, column in zip(kinds, found.columns)]
    return sorted_rows(zip(*columns))


def rows_for_clickhouse(rows, kinds):
    return sorted_rows([as_in_clickhouse(value, kind) for value, kind in zip(row, kinds)] for row in rows)


def check(engine, name, rows, expected):
    if rows != expected:
        pairs = [(a, b) for a, b in zip(rows, expected) if a != b][:1]
        wrong[engine].append(f"{name}: {len(rows)} rows of {len(expected)}; {pairs}")


wrong = {"polars": [], "httpfs": [], "clickhouse": []}
for name in sorted(tables):
    kinds = [str(kind) for kind in build.sql(f"FROM {name}").types]
    rows = build.sql(f"FROM {name}").fetchall()
    expected = sorted_rows(rows)
    check("polars", name, sorted_rows(page["polars_table"](name).collect().rows()), expected)
    check("httpfs", name, sorted_rows(page["duckdb_table"](name).fetchall()), expected)
    try:
        check("clickhouse", name, rows_of_clickhouse(name, kinds), rows_for_clickhouse(rows, kinds))
    except Exception as error:
        wrong["clickhouse"].append(f"{name}: {str(error)[:300]}")
print(json.dumps({"tables": len(tables), "wrong": wrong}))
