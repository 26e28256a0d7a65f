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
*/
SELECT model, version, kind, fingerprint, applied_at, state, definition FROM ledger.models
