-- Answers to the questions of `tidemark resolve`, one row per answer: one question may need several requests. doc is NULL
-- for "not found". The model core.matches scores the candidates, so that a better score needs no new request.
DROP TABLE ledger.matches;
CREATE TABLE ledger.match_answers (
  question VARCHAR NOT NULL,
  run VARCHAR NOT NULL,
  request_key VARCHAR NOT NULL,
  kind VARCHAR,
  doc JSON,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

-- Decisions of people about ambiguous questions. company_id NULL: none of the candidates.
CREATE TABLE ledger.match_decisions (
  question VARCHAR NOT NULL,
  company_id BIGINT,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);

INSERT OR IGNORE INTO ledger.streams_to_read_again
SELECT DISTINCT stream FROM ledger.loaded_parts WHERE stream = 'matches';
