"""Reads all companies and their reports with dlt, and loads them into DuckDB.

Tuned as the documentation of dlt says: transformers run in parallel threads, resources yield pages instead of rows,
values are Arrow tables (which the step "normalize" does not rewrite row by row), files are Parquet, and each step has
several workers. Like the plain script, it checks nothing.

Environment: API_URL, API_KEY, FOLDER (for the results). The caller sets the workers with dlt's own variables.
"""

import json
import os
import resource

import dlt
import pyarrow as pa
from dlt.sources.helpers.requests import Client

URL = os.environ["API_URL"]
FOLDER = os.environ["FOLDER"]
# Companies per item of a transformer. Each item runs in one thread.
ITEM = 10

# Keeps one session per thread.
client = Client(raise_for_status=True)
HEADERS = {"authorization": f"Token {os.environ['API_KEY']}"}


def list_page(number):
    body = {"page": number, "per_page": 100, "filters": {}}
    return client.post(f"{URL}/v1/finder/companies", json=body, headers=HEADERS).json()


@dlt.resource(selected=False)
def pages():
    first = list_page(1)
    yield [first]
    yield from ([number] for number in range(2, first["pages"] + 1))


@dlt.transformer(data_from=pages, selected=False, parallelized=True)
def ids(items):
    for item in items:
        page = item if isinstance(item, dict) else list_page(item)
        found = [row["id"] for row in page["data"]]
        for at in range(0, len(found), ITEM):
            yield found[at : at + ITEM]


@dlt.transformer(data_from=ids, parallelized=True, write_disposition="replace", max_table_nesting=0)
def companies(some):
    yield [json.loads(client.get(f"{URL}/v2/companies/{id}", headers=HEADERS).content) for id in some]


@dlt.transformer(data_from=ids, parallelized=True, write_disposition="replace")
def financials(some):
    company, year, indicator, value = [], [], [], []
    for id in some:
        report = json.loads(client.get(f"{URL}/v2/financial/{id}", headers=HEADERS).content)
        for fiscal_year, values in report.items():
            for name, found in values.items():
                if found is not None:
                    company.append(int(id))
                    year.append(int(fiscal_year))
                    indicator.append(name)
                    value.append(str(found))
    yield pa.table({"company_id": company, "fiscal_year": pa.array(year, pa.int32()), "indicator": indicator, "value": value})


pipeline = dlt.pipeline(
    pipeline_name="compare",
    pipelines_dir=os.path.join(FOLDER, "pipelines"),
    destination=dlt.destinations.duckdb(os.path.join(FOLDER, "dlt.duckdb")),
    dataset_name="market",
)
pipeline.run([companies, financials], loader_file_format="parquet").raise_on_failed_jobs()

own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
print(json.dumps({"cpu": cpu, "peakMiB": (own.ru_maxrss + children.ru_maxrss) / 1024}))
