-- Answers to payee checks, one row each; question is the payee's canonical JSON, without account numbers.
CREATE TABLE ledger.payee_checks (
  question VARCHAR NOT NULL,
  -- new: checked by its account; again: checked by the id of an earlier check.
  kind VARCHAR NOT NULL,
  request JSON,
  check_id VARCHAR,
  decision VARCHAR,
  calls INTEGER NOT NULL,
  payload JSON NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Reports of payee checks, one row for each answer.
CREATE TABLE ledger.payee_reports (
  check_id VARCHAR NOT NULL,
  decision VARCHAR,
  payload JSON NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);
