-- What the watch list states of a company besides its id: also of companies outside all markets.
ALTER TABLE ledger.watched_companies ADD COLUMN name VARCHAR;
ALTER TABLE ledger.watched_companies ADD COLUMN country_code VARCHAR;
ALTER TABLE ledger.watched_companies ADD COLUMN registration_number VARCHAR;

-- What webhook deliveries last stated of their company, field by field.
CREATE TABLE ledger.delivered_values (
  company_id BIGINT NOT NULL,
  field VARCHAR NOT NULL,
  value VARCHAR NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL
);

INSERT OR IGNORE INTO ledger.streams_to_read_again
SELECT DISTINCT stream FROM ledger.loaded_parts WHERE stream IN ('watched_companies', 'watch_events');
