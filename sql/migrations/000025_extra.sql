-- Fields that the reference does not list, as last received; NULL if there are none. They make no new record or event.
ALTER TABLE ledger.tender_records ADD COLUMN extra JSON;
-- Of each contact, in the order of `contacts`.
ALTER TABLE ledger.tender_records ADD COLUMN contact_extras JSON[];
ALTER TABLE ledger.received_events ADD COLUMN extra JSON;
ALTER TABLE ledger.received_events ADD COLUMN extra_at TIMESTAMPTZ;

-- The latest record of a company with such fields in its industries. Of no account if a later record has none.
CREATE TABLE ledger.code_extras (
  company_id BIGINT NOT NULL,
  observed_at TIMESTAMPTZ NOT NULL,
  body_hash VARCHAR NOT NULL,
  extras STRUCT(scheme VARCHAR, code_id BIGINT, value VARCHAR, extra JSON)[] NOT NULL
);

INSERT OR IGNORE INTO ledger.streams_to_read_again
SELECT DISTINCT stream
FROM ledger.loaded_parts
WHERE stream IN ('tenders', 'tender_details', 'watch_events')
  -- Company records are most of the data: only where such fields were seen.
  OR (stream = 'companies' AND EXISTS (
    SELECT path FROM ledger.shapes
    WHERE stream = 'companies' AND kind = 'new field' AND regexp_matches(path, '^\$\.(industry|sic)\[\]\.')
  ));
