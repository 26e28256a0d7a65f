-- Runs after companies_v1.sql. Writes one row of ledger.company_records_v1 for each distinct record in `company_v1_typed`.
INSERT INTO batch_records SELECT row_id, company_id, record_hash, NULL FROM company_v1_typed;

MERGE INTO ledger.company_records_v1 AS old
USING (
  SELECT * EXCLUDE (row_id)
  FROM company_v1_typed
  QUALIFY row_number() OVER (PARTITION BY company_id, record_hash ORDER BY observed_at DESC, body_hash DESC) = 1
) AS new ON old.company_id = new.company_id AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO ledger.dirty_companies SELECT company_id, min(observed_at) FROM company_v1_typed GROUP BY company_id;
