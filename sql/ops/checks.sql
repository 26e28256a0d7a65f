/*
model: ops.checks
kind: view
version: 1
grain: check of a model
key: [model, check]
description: Last result of every check of every model; audits select offending rows, so 0 is good.
columns:
  model: VARCHAR | Model
  check: VARCHAR | Name of the check
  failing_rows: BIGINT | Offending rows
  severity: VARCHAR | error (stops publication) or warn
  at: TIMESTAMPTZ | When it ran
*/
SELECT model, "check", failing_rows, severity, "at" FROM ledger.checks
