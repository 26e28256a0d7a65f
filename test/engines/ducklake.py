"""Tries what DuckLake does with files that Tidemark published, and with files of another writer.

Arguments: the address of a PostgreSQL database for the catalog, and an empty folder. Prints one JSON object.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

import duckdb

catalog, folder = sys.argv[1], Path(sys.argv[2])
for name in ("postgres_scanner", "ducklake"):
    package = importlib.import_module(f"duckdb_extension_{name}")
    duckdb.connect().install_extension(str(next(Path(package.__file__).parent.rglob("*.duckdb_extension"))))


def connect():
    connection = duckdb.connect()
    connection.load_extension("postgres_scanner")
    connection.load_extension("ducklake")
    connection.execute(f"ATTACH 'ducklake:postgres:{catalog}' AS lake (DATA_PATH '{folder}/data/')")
    return connection


def write(version, text, rows):
    file = folder / "published" / f"v={version}" / "data.parquet"
    os.makedirs(file.parent)
    lake.execute(f"COPY (SELECT range AS id, '{text}' AS v FROM range({rows})) TO '{file}' (FORMAT parquet)")
    return file


def exist(files):
    return [file.exists() for file in files]


def one(query):
    return lake.execute(query).fetchone()[0]


found = {}
lake = connect()
lake.execute("CALL lake.set_option('data_inlining_row_limit', 0)").fetchall()
published = [write(1, "one", 10), write(2, "two", 8)]
lake.execute("CREATE TABLE lake.t (id BIGINT, v VARCHAR)")
for file in published:
    lake.execute("BEGIN")
    lake.execute("DELETE FROM lake.t")
    lake.execute(f"CALL ducklake_add_data_files('lake', 't', '{file}')").fetchall()
    lake.execute("COMMIT")
found["value"] = one("SELECT any_value(v) FROM lake.t")
lake.execute("DROP TABLE lake.t")
found["before"] = exist(published)
lake.execute("CALL ducklake_expire_snapshots('lake', older_than => now())").fetchall()
lake.execute("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)").fetchall()
found["after"] = exist(published)

lake.execute("CREATE TABLE lake.u (id BIGINT)")
other = connect()
other.execute("BEGIN")
other.execute("INSERT INTO lake.u FROM range(100000)")
time.sleep(2)  # The call takes only files that are older than now.
lake.execute("CALL ducklake_delete_orphaned_files('lake', older_than => now())").fetchall()
other.execute("COMMIT")
try:
    found["orphans"] = one("SELECT sum(id) FROM lake.u")
except duckdb.IOException:
    found["orphans"] = "the file is gone"

lake.execute("CREATE TABLE lake.w (id BIGINT, v VARCHAR)")
lake.execute("INSERT INTO lake.w SELECT range, 'x' FROM range(5000)")
lake.execute("UPDATE lake.w SET v = 'y' WHERE id < 2000")
found["table"] = one("SELECT count(*) FROM lake.w")
files = f"{folder}/data/main/w/*.parquet"
found["files"] = one(f"SELECT count(*) FROM read_parquet('{files}', union_by_name = true) WHERE id IS NOT NULL")
print(json.dumps(found))
