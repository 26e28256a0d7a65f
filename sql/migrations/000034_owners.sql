-- Answers about owners, one row for each company, threshold and distinct answer. The payload is the answer as landed.
CREATE TABLE ledger.owner_records (
  company_id BIGINT NOT NULL,
  threshold DOUBLE NOT NULL,
  record_hash VARCHAR NOT NULL,
  conclusive BOOLEAN,
  job_id VARCHAR,
  payload JSON NOT NULL,
  without_personal_data BOOLEAN NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Each time the API answered a threshold of a company. Equal rows repeat where an answer was read twice.
CREATE TABLE ledger.owner_answers (
  company_id BIGINT NOT NULL,
  threshold DOUBLE NOT NULL,
  record_hash VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  market VARCHAR,
  observed_at TIMESTAMPTZ NOT NULL
);
