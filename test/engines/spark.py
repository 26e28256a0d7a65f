"""Compares answers of Spark with answers of DuckDB.

The first argument is a file with the code of docs/spark.md that opens a Spark session. Requests are JSON, one a line, on
standard input. Each one has one JSON answer on standard output.
"""

import json
import math
import os
import re
import sys
from datetime import datetime, timezone
from decimal import Decimal

import duckdb

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # Other output must not mix with the answers.
page = {}
exec(open(sys.argv[1]).read(), page)
spark = page["spark"]
SPARK_TYPES = {
    "UTINYINT": "smallint",
    "USMALLINT": "int",
    "UINTEGER": "bigint",
    "UBIGINT": "decimal(20,0)",
    "VARCHAR": "string",
    "JSON": "string",
    "BIT": "string",
    "BLOB": "binary",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
    "TIMESTAMP": "timestamp_ntz",
    "INTEGER": "int",
}


def spark_type(duck):
    """Returns the Spark type that docs/spark.md promises for a type of DuckDB."""
    if duck.endswith("[]"):
        return f"array<{spark_type(duck[:-2])}>"
    if duck.startswith("STRUCT("):
        fields = [part.replace('"', "").split(" ", 1) for part in duck[7:-1].split(", ")]
        return f"struct<{','.join(f'{name}:{spark_type(of)}' for name, of in fields)}>"
    if duck.startswith("MAP("):
        return f"map<{','.join(spark_type(part) for part in duck[4:-1].split(', '))}>"
    if duck.startswith("ENUM("):
        return "string"
    return SPARK_TYPES.get(duck, duck.lower())


def plain(value):
    """Makes values of both engines comparable. Times with a zone become UTC; those of Spark are in the zone of Python."""
    if hasattr(value, "asDict"):
        return plain(value.asDict())
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, bytearray):
        return bytes(value)
    return value


def rows_of_spark(frame):
    """Returns types and rows. The zone of a time depends on its column."""
    kinds = [field.dataType.simpleString() for field in frame.schema]
    rows = [list(row) for row in frame.collect()]
    for row in rows:
        for i, kind in enumerate(kinds):
            if kind == "timestamp" and row[i] is not None:
                row[i] = row[i].astimezone(timezone.utc)
    return kinds, [plain(row) for row in rows]


def rows_of_duckdb(database, query):
    result = database.sql(query)
    kinds = [str(kind) for kind in result.types]
    rows = [plain(list(row)) for row in result.fetchall()]
    for row in rows:
        for i, value in enumerate(row):
            if isinstance(value, datetime) and value.tzinfo is not None:
                row[i] = value.astimezone(timezone.utc)
    return kinds, rows


def same(a, b):
    """Whether two values are equal. The last digits of sums depend on the order of the rows."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b and (type(a) is type(b) or isinstance(a, (int, Decimal)))


def difference(title, ours, theirs, check_types):
    (kinds, rows), (spark_kinds, spark_rows) = ours, theirs
    wanted = [spark_type(kind) for kind in kinds]
    if check_types and wanted != spark_kinds:
        return f"{title}: types {wanted}, Spark {spark_kinds}"
    if len(rows) != len(spark_rows):
        return f"{title}: {len(rows)} rows, Spark {len(spark_rows)}"
    for i, (row, other) in enumerate(zip(rows, spark_rows)):
        if not same(row, other):
            return f"{title}: row {i + 1} {row}, Spark {other}"
    return None


def compare(database, queries, step=False, types=True, filled=False):
    """Compares each pair of queries. With `step`, waits for a line after each one. With `filled`, reports empty answers."""
    with duckdb.connect(database, read_only=True) as connection:
        connection.sql("SET TimeZone = 'UTC'")
        found = []
        for number, (query, in_spark) in enumerate(queries):
            ours = rows_of_duckdb(connection, query)
            if filled and not ours[1]:
                found.append(f"{query}: no rows")
            theirs = rows_of_spark(spark.sql(in_spark) if in_spark else page["ask"](query))
            found.append(difference(query, ours, theirs, types))
            if step:
                answer({"done": number + 1})
                sys.stdin.readline()
        return [one for one in found if one]


def tables(database):
    """Compares all rows of all tables."""
    with duckdb.connect(database, read_only=True) as connection:
        connection.sql("SET TimeZone = 'UTC'")
        names = connection.sql("SELECT schema_name || '.' || table_name FROM duckdb_tables() ORDER BY 1").fetchall()
        found = []
        for (name,) in names:
            ours, theirs = rows_of_duckdb(connection, f"FROM {name}"), rows_of_spark(spark.table(name.replace(".", "_")))
            for _, rows in (ours, theirs):
                rows.sort(key=repr)
            found.append(difference(name, ours, theirs, True))
        return {"tables": len(names), "differences": [one for one in found if one]}


def answer(content):
    print(json.dumps(content, default=str), file=answers, flush=True)


def read(place):
    page["statements"] = page["read_views"](place)
    return re.findall(r"VIEW `(\w+)`", page["statements"])


def create():
    page["create_views"](page["statements"])


commands = {"read": read, "create": create, "compare": compare, "tables": tables}
answer("ready")
for line in sys.stdin:
    request = json.loads(line)
    try:
        answer({"result": commands[request.pop("do")](**request)})
    except Exception as error:
        answer({"error": str(error)})
