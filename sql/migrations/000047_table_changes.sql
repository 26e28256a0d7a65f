-- How often each table changed: tables of the ledger, and tables of models. The build of the models compares these
-- numbers with those of the last build, and skips the models for which they are equal.
CREATE TABLE ledger.table_changes (
  table_name VARCHAR NOT NULL, -- with schema: ledger.answers, core.companies
  changes BIGINT NOT NULL
);

-- For each model: hashes of all inputs of its last build and of its last audits.
CREATE TABLE ledger.model_inputs (
  model VARCHAR NOT NULL,
  built_from VARCHAR NOT NULL,
  audited_from VARCHAR -- NULL: run the audits again
);
