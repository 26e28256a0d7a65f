/*
model: ops.checks
kind: view
version: 1
grain: audit of a model
key: [model, check]
description: >-
  Last result of every audit of every model. An audit selects wrong rows. If it finds none, failing_rows is 0.
columns:
  model: VARCHAR | Model
  check: VARCHAR | Name of the audit
  failing_rows: BIGINT | Number of wrong rows
  severity: VARCHAR | error (stops the publication) or warn
  at: TIMESTAMPTZ | When the audit last ran
*/
SELECT model, "check", failing_rows, severity, "at" FROM ledger.checks
