-- Each landed row about an enrichment job of owners: its start, each changed state, and its end.
CREATE TABLE ledger.owner_jobs (
  company_id BIGINT NOT NULL,
  run VARCHAR NOT NULL,
  market VARCHAR,
  state VARCHAR NOT NULL,
  job_id VARCHAR,
  payload JSON,
  without_personal_data BOOLEAN NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);
