#!/bin/sh
# Creates the databases of a Temporal server in PostgreSQL, or migrates them to the schema of this version. Changes
# nothing if they are up to date. Runs in the image temporalio/admin-tools. `temporal-sql-tool` reads the variables
# SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu
SQL_PASSWORD="$(cat "$SQL_PASSWORD_FILE")"
export SQL_PASSWORD

migrate() { # Arguments: the database, and the name of its schema.
  temporal-sql-tool --database "$1" create-database
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}
migrate temporal temporal
migrate temporal_visibility visibility
