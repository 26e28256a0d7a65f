-- What each change of a model did to its table. Rows are only ever added.
CREATE TABLE ledger.model_changes (
  change_id BIGINT NOT NULL,
  table_name VARCHAR NOT NULL,
  version INTEGER, -- NULL: the table was removed
  previous_version INTEGER, -- NULL: the table was added
  change VARCHAR NOT NULL,
  because VARCHAR[] NOT NULL,
  effects VARCHAR[] NOT NULL,
  rows_before BIGINT,
  rows_after BIGINT,
  origin VARCHAR NOT NULL,
  applied_at TIMESTAMPTZ NOT NULL
);
