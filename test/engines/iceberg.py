"""Reads tables of an Iceberg catalog with PyIceberg, and compares them with a DuckDB file.

Requests are JSON, one a line, on standard input. Each one has one JSON answer on standard output.
"""

import json
import os
import sys

import duckdb
from pyiceberg.catalog import load_catalog

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # Other output must not mix with the answers.
held = {}


def tables_of(catalog):
    loaded = load_catalog(catalog)
    return {".".join(name): loaded.load_table(name) for (space,) in loaded.list_namespaces() for name in loaded.list_tables(space)}


def differences(found, database, tables):
    """Compares all rows. Returns the tables that differ."""
    wrong = []
    with duckdb.connect(database, read_only=True) as build:
        build.sql("SET TimeZone = 'UTC'")
        for name in tables:
            rows = found[name].scan().to_arrow().select(build.sql(f"FROM {name}").columns)
            build.register("found", rows)
            query = "SELECT count(*) FROM (FROM {a} EXCEPT ALL FROM {b})"
            counts = [build.sql(query.format(a=a, b=b)).fetchone()[0] for a, b in ((name, "found"), ("found", name))]
            if counts != [0, 0]:
                wrong.append([name, *counts])
    return wrong


def compare(catalog, database, tables):
    return differences(tables_of(catalog), database, tables)


def hold(catalog):
    held.update(tables_of(catalog))


def compare_held(database, tables):
    return differences(held, database, tables)


def snapshots(catalog):
    """Returns for each table the versions of its snapshots, and all files that they name."""
    versions, files = {}, set()
    for name, table in tables_of(catalog).items():
        versions[name] = [one.summary["tidemark.version"] for one in table.snapshots()]
        for one in table.snapshots():
            files.update(task.file.file_path for task in table.scan(snapshot_id=one.snapshot_id).plan_files())
    return {"versions": versions, "files": sorted(files)}


def rows(catalog, name):
    return load_catalog(catalog).load_table(name).scan().to_arrow().to_pylist()


def foreign(catalog, name):
    """Deletes and adds rows, as another program could."""
    table = load_catalog(catalog).load_table(name)
    rows = table.scan().to_arrow()
    table.overwrite(rows.slice(0, 3))
    table.append(rows.slice(0, 1))


def purge(catalog, name):
    load_catalog(catalog).purge_table(name)


commands = {one.__name__: one for one in (compare, hold, compare_held, snapshots, rows, foreign, purge)}
print(json.dumps("ready"), file=answers, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    try:
        reply = {"result": commands[request.pop("do")](**request)}
    except Exception as error:
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), file=answers, flush=True)
