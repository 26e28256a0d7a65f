"""Registers the current version of a copied build in an Iceberg catalog.

    python register.py s3://my-bucket/tidemark --catalog NAME

The catalog comes from the configuration of PyIceberg, for example PYICEBERG_CATALOG__NAME__URI. Run this after each
publication, and within 7 days. A second run of the same version changes nothing.

Each table gets one new snapshot, which has exactly the files of the manifest. The files stay where they are, and Tidemark
removes them. So each table has the property gc.enabled = false, and snapshots of removed versions are expired.
"""

import argparse
import hashlib
import json
import os
import random
import sys
import time

import pyarrow.parquet as parquet
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NamespaceAlreadyExistsError,
    NoSuchTableError,
    ResolveError,
    TableAlreadyExistsError,
    ValidationError,
)
from pyiceberg.io import FileIO, load_file_io
from pyiceberg.io.pyarrow import parquet_files_to_data_files
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot

VERSION = "tidemark.version"
PLACE = "tidemark.place"
TRIES = 20
# Another process changed a table or created it, or the answer of the catalog was lost.
CONFLICTS = (CommitFailedException, CommitStateUnknownException, TableAlreadyExistsError)


class Copy:
    """A copied build: `current.json` and the manifest of its current version."""

    def __init__(self, io: FileIO, place: str):
        self.io = io
        self.place = place.rstrip("/")
        self.current = json.loads(self.read("current.json"))
        manifest = self.read(self.current["manifest"]["key"])
        if hashlib.sha256(manifest).hexdigest() != self.current["manifest"]["sha256"]:
            raise SystemExit("The manifest does not match the hash in current.json.")
        self.tables = json.loads(manifest)["tables"]
        self.version = self.current["version"]
        # The files of other versions may be gone.
        self.kept = {self.version, *(earlier["version"] for earlier in self.current["earlier"])}

    def read(self, key: str) -> bytes:
        with self.io.new_input(f"{self.place}/{key}").open() as file:
            return file.read()

    def files(self, name: str) -> list[str]:
        return [f"{self.place}/{file['key']}" for file in self.tables[name]["files"]]

    def schema(self, name: str):
        with self.io.new_input(self.files(name)[0]).open() as file:
            return parquet.read_schema(file)


def register(catalog: Catalog, place: str, names: list[str] | None = None) -> Copy:
    """Registers tables of the current version, by default all. Starts again if another process was faster."""
    io = load_file_io({**file_settings(), **catalog.properties})
    for attempt in range(TRIES):
        try:
            return register_once(catalog, io, place, names)
        except CONFLICTS as error:
            if attempt == TRIES - 1:
                raise
            print(f"Another process changed the catalog: {error}", file=sys.stderr)
            time.sleep(random.uniform(0, min(5, 0.1 * 2**attempt)))


def register_once(catalog: Catalog, io: FileIO, place: str, names: list[str] | None) -> Copy:
    # The tables come first. If a process registers a newer version after this, the commits below fail.
    known = load_tables(catalog, names or list(Copy(io, place).tables))
    copy = Copy(io, place)
    for name in names or copy.tables:
        table = known.get(name) or create(catalog, copy, name)
        replace_files(table, copy, name)
        expire_snapshots(table, copy)
    return copy


def load_tables(catalog: Catalog, names: list[str]) -> dict[str, Table]:
    tables = {}
    for name in names:
        try:
            tables[name] = catalog.load_table(name)
        except NoSuchTableError:
            pass
    return tables


def create(catalog: Catalog, copy: Copy, name: str) -> Table:
    try:
        catalog.create_namespace(name.split(".")[0])
    except NamespaceAlreadyExistsError:
        pass
    return catalog.create_table(name, schema=copy.schema(name), properties={PLACE: copy.place, **properties_of(copy, name)})


def replace_files(table: Table, copy: Copy, name: str) -> None:
    """Commits a snapshot that has only the files of the version. Does nothing if the table already has this version."""
    if table.properties.get(PLACE) != copy.place:
        raise SystemExit(f"{name} is not a table of {copy.place}. Use another catalog, or drop the table.")
    snapshot = table.current_snapshot()
    if snapshot is not None and version_of(snapshot) == copy.version:
        return
    with table.transaction() as change:
        properties = properties_of(copy, name)
        if any(table.properties.get(key) != value for key, value in properties.items()):
            change.set_properties(properties)
        # Columns of earlier versions stay, and are NULL. So the name of a column always means the same column.
        try:
            with change.update_schema() as update:
                update.union_by_name(copy.schema(name))
        except (ValidationError, ResolveError) as error:
            raise SystemExit(f"{name}: a column has another type: {error}. Drop the table, and register it again.")
        if change.table_metadata.name_mapping() is None:
            mapping = change.table_metadata.schema().name_mapping.model_dump_json()
            change.set_properties({"schema.name-mapping.default": mapping})
        with change.update_snapshot(snapshot_properties={VERSION: copy.version}).overwrite() as snapshot:
            for task in table.scan().plan_files():
                snapshot.delete_data_file(task.file)
            for file in parquet_files_to_data_files(table.io, change.table_metadata, iter(copy.files(name))):
                snapshot.append_data_file(file)


def expire_snapshots(table: Table, copy: Copy) -> None:
    """Removes snapshots of versions whose files may be gone, but no files."""
    protected = {ref.snapshot_id for ref in table.refs().values()}
    old = [one.snapshot_id for one in table.snapshots() if version_of(one) not in copy.kept]
    old = [one for one in old if one not in protected]
    if old:
        table.maintenance.expire_snapshots().by_ids(old).commit()


def version_of(snapshot: Snapshot) -> str | None:
    """Returns the registered version. None if another program wrote the snapshot."""
    return snapshot.summary.additional_properties.get(VERSION) if snapshot.summary else None


def properties_of(copy: Copy, name: str) -> dict[str, str]:
    # PyIceberg cannot read the smallest and largest values of JSON in Parquet files.
    json_columns = {
        f"write.metadata.metrics.column.{one['name']}{'.list.element' if one['type'].endswith('[]') else ''}": "counts"
        for one in copy.tables[name]["columns"]
        if one["type"].startswith("JSON")
    }
    return {
        # Otherwise, expire_snapshots of other engines deletes published files.
        "gc.enabled": "false",
        # Otherwise, PyIceberg repeats a commit on top of a newer version, and an old version replaces it.
        "commit.retry.num-retries": "0",
        **json_columns,
    }


def file_settings() -> dict[str, str]:
    names = {
        "s3.endpoint": "AWS_ENDPOINT_URL",
        "s3.region": "AWS_REGION",
        "s3.access-key-id": "AWS_ACCESS_KEY_ID",
        "s3.secret-access-key": "AWS_SECRET_ACCESS_KEY",
        "s3.session-token": "AWS_SESSION_TOKEN",
    }
    return {key: os.environ[name] for key, name in names.items() if name in os.environ}


def main() -> None:
    parser = argparse.ArgumentParser(description="Registers the current version of a copied build in an Iceberg catalog.")
    parser.add_argument("place", help="value of publish.to, such as s3://my-bucket/tidemark")
    parser.add_argument("tables", nargs="*", help="tables such as core.companies; default: all")
    parser.add_argument("--catalog", required=True, help="name of a catalog in the configuration of PyIceberg")
    options = parser.parse_args()
    catalog = load_catalog(options.catalog, **file_settings())
    copy = register(catalog, options.place, options.tables or None)
    print(f"{len(options.tables or copy.tables)} tables have the version {copy.version}.")


if __name__ == "__main__":
    main()
