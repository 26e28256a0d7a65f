-- Latest answer to each question of `tidemark resolve`; question is its canonical JSON. Nothing found: company_id NULL.
CREATE TABLE ledger.matches (
  question VARCHAR NOT NULL,
  kind VARCHAR,
  company_id BIGINT,
  payload JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);
