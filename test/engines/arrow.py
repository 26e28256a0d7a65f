"""Reads the Arrow files of test/engines/arrow.test.ts with pyarrow and Polars. Prints one JSON object.

Arguments: a file, a stream, and a stream with ordinary values. The first two have the same rows.
"""

import json
import sys

import duckdb
import polars
import pyarrow

file, stream, ordinary = sys.argv[1:]
duckdb.sql("SET TimeZone = 'UTC'")


def texts(found):
    """The values as DuckDB prints them, by column."""
    rows = duckdb.sql("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM found").fetchall()
    return {name: [row[at] for row in rows] for at, name in enumerate(found.column_names)}


from_file = pyarrow.ipc.open_file(file).read_all()
from_stream = pyarrow.ipc.open_stream(stream).read_all()
for table in (from_file, from_stream):
    table.validate(full=True)
frame = polars.read_ipc_stream(ordinary)
same = frame.equals(polars.from_arrow(pyarrow.ipc.open_stream(ordinary).read_all()))
sums = frame.select(
    polars.col("n").sum(),
    polars.col("t").str.len_chars().sum(),
    polars.col("l").list.sum().sum(),
    polars.col("s").struct.field("a").sum(),
).row(0)
print(
    json.dumps(
        {
            "file": texts(from_file),
            "stream": texts(from_stream),
            "types": {field.name: str(field.type) for field in from_stream.schema},
            "polars": {"rows": frame.height, "same": same, "sums": sums},
        }
    )
)
