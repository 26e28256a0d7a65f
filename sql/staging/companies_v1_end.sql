-- Runs after both passes of company records of version 1. Writes one row of ledger.company_records_v1 for each distinct
-- record in `company_fields`.
CREATE OR REPLACE TEMP TABLE company_v1_typed AS
WITH typed AS MATERIALIZED (
  SELECT * EXCLUDE (status, address_city, pronet, microblog, socialnet, codes) FROM company_values
)
SELECT
  *,
  company_hash_v1(
    [
      name, country_code, country_name, registration_number, vat_number, legal_form, website, address_street, address_location,
      country_region, zip_code, size_text, CAST(founding_date AS VARCHAR)
    ],
    [phones, emails, faxes, typed.brands]
  ) AS record_hash
FROM typed;

INSERT INTO batch_records SELECT row_id, company_id, record_hash, NULL FROM company_v1_typed;

MERGE INTO ledger.company_records_v1 AS old
USING (
  SELECT * EXCLUDE (row_id)
  FROM company_v1_typed
  QUALIFY row_number() OVER (PARTITION BY company_id, record_hash ORDER BY observed_at DESC, body_hash DESC) = 1
) AS new ON old.company_id = new.company_id AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) > (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

-- Also mark companies whose record is gone.
INSERT INTO ledger.dirty_companies
SELECT company_id, min(observed_at)
FROM (
  SELECT company_id, observed_at FROM company_v1_typed
  UNION ALL
  SELECT text_id(entity_id), observed_at FROM batch WHERE status = 404 AND text_id(entity_id) IS NOT NULL
)
GROUP BY company_id;
