-- Every report of an answer of version 1, with or without values. country: as the whole answer states it. Unreadable
-- reports have no row.
CREATE TABLE ledger.v1_reports (
  report_id BIGINT NOT NULL,
  report_date DATE NOT NULL,
  country VARCHAR,
  modified_at TIMESTAMPTZ,
  source_processed_on DATE
);

-- What the values loaded before tell. country, and reports without values, come when the parts are read again.
INSERT INTO ledger.v1_reports
SELECT DISTINCT report_id, report_date, NULL, modified_at, source_processed_on FROM ledger.v1_values;

INSERT OR IGNORE INTO ledger.streams_to_read_again
SELECT DISTINCT stream FROM ledger.loaded_parts WHERE stream = 'financials_v1';
