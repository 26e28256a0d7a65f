-- Readings of the contact metrics, one row per answer.
CREATE TABLE ledger.contact_metrics (
  date DATE NOT NULL,
  email_count BIGINT,
  phone_count BIGINT,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL
);
