-- Answers to the questions of `tidemark enrich --people`. Personal data: exists only with `personalData: contacts`.
-- doc is NULL for "not found".
CREATE TABLE ledger.enrichment_answers (
  question VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  request_key VARCHAR NOT NULL,
  doc JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);
