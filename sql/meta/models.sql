/*
model: meta.models
kind: view
version: 1
grain: version of a model
key: [model, version]
description: The SQL models this warehouse was built with.
columns:
  model: VARCHAR | Table it makes
  version: INTEGER | Version; a breaking change needs a new one
  kind: VARCHAR | table, incremental or view
  fingerprint: VARCHAR | Hash of its SQL and of all it is built from
  applied_at: TIMESTAMPTZ | When this fingerprint was first applied
  state: VARCHAR | current, deprecated or retired
  definition: VARCHAR | Text of the model file it was built from; NULL where it was built before these were kept
  table_name: VARCHAR | Table it makes; a deprecated version has its number behind the name; NULL when it is retired
  deprecation_date: DATE | Last day a deprecated version is served
  held_since: TIMESTAMPTZ | When a rollback brought these models back, to which runs keep until others are applied; NULL otherwise
*/
SELECT m.model, m.version, m.kind, m.fingerprint, m.applied_at, m.state, m.definition, m.table_name, m.deprecation_date,
  (SELECT CASE WHEN origin = 'rollback' THEN applied_at END FROM ledger.model_sets ORDER BY set_id DESC LIMIT 1) AS held_since
FROM ledger.models AS m
