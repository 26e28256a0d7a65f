/*
model: meta.models
kind: view
version: 1
grain: version of a model
key: [model, version]
description: The SQL models that this warehouse was built with.
columns:
  model: VARCHAR | Name of the model
  version: INTEGER | Version of the model; a breaking change needs a new one
  kind: VARCHAR | table, incremental or view
  fingerprint: VARCHAR | Hash of the model's SQL and of everything that the model is built from
  applied_at: TIMESTAMPTZ | When this fingerprint was first applied
  state: VARCHAR | current, deprecated or retired
  definition: VARCHAR | Text of the model file
  table_name: VARCHAR | Table that the model makes; a deprecated version's table ends in the version number; NULL if retired
  deprecation_date: DATE | Last day on which a deprecated version is published; NULL if the version has no last day
  held_since: TIMESTAMPTZ | When a rollback restored this set of models; runs use the set until the next models apply; NULL without a rollback
*/
SELECT m.model, m.version, m.kind, m.fingerprint, m.applied_at, m.state, m.definition, m.table_name, m.deprecation_date,
  (SELECT CASE WHEN origin = 'rollback' THEN applied_at END FROM base.model_sets ORDER BY set_id DESC LIMIT 1) AS held_since
FROM base.models AS m
