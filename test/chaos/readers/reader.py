"""Looks at the published file and the lake once for each line of its standard input. Prints one JSON line for each look.

The arguments are the data folder and a JSON object: `all` is one query with all markers, `markers` has one query for each
table.
"""

import json
import os
import sys

import duckdb

published = os.path.join(sys.argv[1], "published")
queries = json.loads(sys.argv[2])
LAKE = ["core.companies", "core.companies_history", "core.financials", "core.financials_history", "core.report_years", "ops.runs", "meta.receipt"]


def nights_of_file(file):
    """Asks one query, and then one for each table, of one connection."""
    with duckdb.connect(file, read_only=True) as db:
        together = list(db.execute(queries["all"]).fetchone())
        apart = [db.execute(sql).fetchone()[0] for sql in queries["markers"].values()]
    return together + apart


def nights_of_lake(build):
    """Asks the markers of the Parquet files of a build."""
    nights = []
    with duckdb.connect() as db:
        for table in LAKE:
            schema, name = table.split(".")
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
            db.execute(f"CREATE VIEW {table} AS FROM read_parquet('{build}/lake/{schema}/{name}/*.parquet')")
        for marker, sql in queries["markers"].items():
            if marker.split(",")[0] in LAKE:
                nights.append(db.execute(sql).fetchone()[0])
    return nights


print(json.dumps({"ready": f"duckdb {duckdb.__version__}"}), flush=True)
held = None
looks = 0
for _ in sys.stdin:
    answer = {}
    try:
        answer["nights"] = nights_of_file(os.path.join(published, "market.duckdb"))
        # Resolves the link again: the lake may be newer than the file before, but not older.
        build = os.path.realpath(os.path.join(published, "current"))
        answer["lake"] = nights_of_lake(build)
        answer["same"] = nights_of_file(os.path.join(build, "market.duckdb"))
        # A connection that stays open over several publications keeps its night.
        if looks % 10 == 0:
            if held is not None:
                held[0].close()
            file = duckdb.connect(os.path.join(published, "market.duckdb"), read_only=True)
            held = (file, file.execute(queries["all"]).fetchone())
        answer["held"] = held[0].execute(queries["all"]).fetchone() == held[1]
    except Exception as error:
        answer["error"] = f"{type(error).__name__}: {error}"
    looks += 1
    print(json.dumps(answer), flush=True)
