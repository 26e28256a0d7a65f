"""Reads all companies and their reports with Airbyte's CDK, and loads them into DuckDB.

A declarative source, as the documentation of the CDK shows it: a manifest with a stream of pages and two substreams, and
a concurrency level. The CDK has no destination, so this program writes the records as NDJSON, and loads them with
`read_json`. Like the plain script, it checks nothing.

Environment: API_URL, API_KEY, FOLDER (for the results), IN_FLIGHT (threads).
"""

import json
import logging
import os
import resource

import duckdb
import orjson
from airbyte_cdk.models import (
    ConfiguredAirbyteCatalog,
    ConfiguredAirbyteStream,
    DestinationSyncMode,
    SyncMode,
    Type,
)
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource

URL = os.environ["API_URL"]
FOLDER = os.environ["FOLDER"]
SCHEMA = {"type": "InlineSchemaLoader", "schema": {"type": "object", "additionalProperties": True}}


def requester(path, method="GET", body=None):
    return {
        "type": "HttpRequester",
        "url_base": URL,
        "path": path,
        "http_method": method,
        "authenticator": {
            "type": "ApiKeyAuthenticator",
            "inject_into": {"type": "RequestOption", "inject_into": "header", "field_name": "Authorization"},
            "api_token": "Token {{ config['key'] }}",
        },
        **({"request_body_json": body} if body else {}),
    }


def stream(name, retriever, key):
    return {
        "type": "DeclarativeStream",
        "name": name,
        "primary_key": key,
        "schema_loader": SCHEMA,
        "retriever": {"type": "SimpleRetriever", **retriever},
    }


def selector(*path):
    return {"type": "RecordSelector", "extractor": {"type": "DpathExtractor", "field_path": list(path)}}


LISTED = stream(
    "listed",
    {
        "requester": requester("/v1/finder/companies", "POST", {"per_page": 100, "filters": {}}),
        "record_selector": selector("data"),
        "paginator": {
            "type": "DefaultPaginator",
            "page_token_option": {"type": "RequestOption", "inject_into": "body_json", "field_name": "page"},
            "pagination_strategy": {
                "type": "PageIncrement",
                "page_size": 100,
                "start_from_page": 1,
                "inject_on_first_request": True,
            },
        },
    },
    "id",
)


def of_company(name, path):
    parent = {"type": "ParentStreamConfig", "stream": LISTED, "parent_key": "id", "partition_field": "company"}
    return {
        **stream(
            name,
            {
                "requester": requester(f"{path}/{{{{ stream_partition.company }}}}"),
                "record_selector": selector(),
                "partition_router": {"type": "SubstreamPartitionRouter", "parent_stream_configs": [parent]},
            },
            "company_id",
        ),
        "transformations": [
            {
                "type": "AddFields",
                "fields": [
                    {"type": "AddedFieldDefinition", "path": ["company_id"], "value": "{{ stream_partition.company }}"}
                ],
            }
        ],
    }


STREAMS = [of_company("companies", "/v2/companies"), of_company("financials", "/v2/financial")]
MANIFEST = {
    "version": "7.0.0",
    "type": "DeclarativeSource",
    "check": {"type": "CheckStream", "stream_names": ["companies"]},
    "streams": STREAMS,
    "concurrency_level": {"type": "ConcurrencyLevel", "default_concurrency": int(os.environ["IN_FLIGHT"])},
}

logging.getLogger("airbyte").setLevel(logging.ERROR)
config = {"key": os.environ["API_KEY"]}
source = ConcurrentDeclarativeSource(config=config, source_config=MANIFEST)
catalog = ConfiguredAirbyteCatalog(
    streams=[
        ConfiguredAirbyteStream(found, SyncMode.full_refresh, DestinationSyncMode.overwrite)
        for found in source.discover(logging.getLogger("airbyte"), config).streams
    ]
)
files = {one["name"]: open(os.path.join(FOLDER, f"{one['name']}.ndjson"), "wb") for one in STREAMS}
for message in source.read(logging.getLogger("airbyte"), config, catalog, []):
    if message.type == Type.RECORD:
        files[message.record.stream].write(orjson.dumps(message.record.data) + b"\n")
for file in files.values():
    file.close()

db = duckdb.connect(os.path.join(FOLDER, "airbyte.duckdb"))
db.execute(f"CREATE TABLE companies AS FROM read_json('{FOLDER}/companies.ndjson', format = 'newline_delimited')")
# Each record is a report, with the id of its company as a further field.
db.execute(f"""CREATE TABLE financials AS
    SELECT company_id, CAST(y.key AS INTEGER) AS fiscal_year, v.key AS indicator, v.value
    FROM (
      SELECT company_id, y, unnest(map_entries(CAST(y.value AS MAP(VARCHAR, VARCHAR)))) AS v
      FROM (
        SELECT CAST(report ->> 'company_id' AS BIGINT) AS company_id,
          unnest(map_entries(CAST(json_merge_patch(report, '{{"company_id":null}}') AS MAP(VARCHAR, JSON)))) AS y
        FROM read_json('{FOLDER}/financials.ndjson', format = 'newline_delimited', columns = {{report: 'JSON'}}, records = false)
      )
    )
    WHERE v.value IS NOT NULL""")
db.close()

own = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"cpu": own.ru_utime + own.ru_stime, "peakMiB": own.ru_maxrss / 1024}))
