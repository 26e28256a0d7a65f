/*
model: meta.model_changes
kind: view
version: 1
grain: change of a model
key: [change_id]
description: >-
  What each change of a model did to its table. Changes by versions of Tidemark without this table are not recorded.
columns:
  change_id: BIGINT | Number of the change, from 1
  table_name: VARCHAR | Table that the model makes
  version: INTEGER | Version after the change; NULL if the table was removed
  previous_version: INTEGER | Version before the change; NULL if the table was added
  change: VARCHAR | added, removed, directly modified (its file changed) or indirectly modified (a parent, a macro or a seed changed)
  because: VARCHAR[] | If indirectly modified, the changed models that it reads, or the text macros or seeds
  effects: VARCHAR[] | Differences of columns, key and grain, one phrase each; empty if they are the same
  rows_before: BIGINT | Rows of the table before the change; NULL if the table was added, or for a view
  rows_after: BIGINT | Rows of the table after the change; NULL if the table was removed, or for a view
  origin: VARCHAR | What applied the change (run, replay, apply or rollback). A run and a replay also load records, so rows may differ for this reason, too
  applied_at: TIMESTAMPTZ | When the change was applied
*/
SELECT change_id, table_name, version, previous_version, change, because, effects, rows_before, rows_after, origin, applied_at
FROM base.model_changes
