/*
model: ops.checks
kind: view
version: 1
grain: audit of a model
key: [model, check]
description: >-
  Last result of every audit of every model. An audit selects wrong rows. If it finds none, failing_rows is 0. The audits whose names
  end in _not_parsed count values that stay as text, because their meaning is not certain.
columns:
  model: VARCHAR | Model
  check: VARCHAR | Name of the audit
  failing_rows: BIGINT | Number of wrong rows
  severity: VARCHAR | error (stops the publication) or warn
  at: TIMESTAMPTZ | When the audit last ran
  examples: VARCHAR[] | The most frequent values that the audit counts, at most five; NULL if it counts no values
*/
SELECT model, "check", failing_rows, severity, "at", examples FROM base.checks
