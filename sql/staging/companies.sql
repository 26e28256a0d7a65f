-- Loads answers of GET /v2/companies/{id}: company records. _company_records.sql reads the records themselves.
CREATE OR REPLACE TEMP VIEW company_docs AS
SELECT row_id, text_id(entity_id) AS company_id, observed_at, body_hash, doc
FROM batch
WHERE doc IS NOT NULL;
