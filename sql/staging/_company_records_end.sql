-- Runs after both passes of company records. Writes one row of ledger.company_records for each distinct record in
-- `company_fields`.
CREATE OR REPLACE TEMP TABLE company_typed AS
WITH typed AS MATERIALIZED (
  SELECT * EXCLUDE (phone_text, email_text, fax_text, brands_text) FROM company_values
)
SELECT
  *,
  company_hash(
    [
      name, country_code, country_name, registration_number, vat_number, status, legal_form, website, address_street,
      address_location, address_city, country_region, zip_code, size_text, CAST(founding_date AS VARCHAR), pronet, microblog,
      socialnet
    ],
    [phones, emails, faxes, brands],
    codes
  ) AS record_hash
FROM typed;

INSERT INTO batch_records SELECT row_id, company_id, record_hash, NULL FROM company_typed;

MERGE INTO ledger.company_records AS old
USING (
  SELECT * EXCLUDE (row_id, extra)
  FROM company_typed
  QUALIFY row_number() OVER (PARTITION BY company_id, record_hash ORDER BY observed_at, body_hash) = 1
) AS new ON old.company_id = new.company_id AND old.record_hash = new.record_hash
WHEN MATCHED AND (new.observed_at, new.body_hash) < (old.observed_at, old.body_hash) THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

-- A change of a field that the reference does not list starts no new version of a record. Only the latest value of such
-- a field is kept.
UPDATE ledger.company_records AS old
SET extra = new.extra, extra_at = new.observed_at
FROM (
  SELECT company_id, record_hash, observed_at, extra
  FROM company_typed
  QUALIFY row_number() OVER (PARTITION BY company_id, record_hash ORDER BY observed_at DESC, CAST(extra AS VARCHAR) DESC) = 1
) AS new
WHERE old.company_id = new.company_id
  AND old.record_hash = new.record_hash
  AND (old.extra_at IS NULL OR (new.observed_at, coalesce(CAST(new.extra AS VARCHAR), '')) > (old.extra_at, coalesce(CAST(old.extra AS VARCHAR), '')));

INSERT INTO ledger.dirty_companies SELECT company_id, min(observed_at) FROM company_typed GROUP BY company_id;

MERGE INTO base.company_seen AS old
USING (
  SELECT
    company_id,
    min(observed_at) AS first_at,
    max(observed_at) AS last_at,
    max(observed_at) FILTER (getvariable('stream') = 'companies') AS read_at,
    max(observed_at) FILTER (getvariable('stream') = 'matches') AS matched_at
  FROM company_typed
  GROUP BY company_id
) AS new ON old.company_id = new.company_id
WHEN MATCHED THEN UPDATE SET
  first_seen_at = least(old.first_seen_at, new.first_at),
  last_seen_at = greatest(old.last_seen_at, new.last_at),
  read_at = greatest(old.read_at, new.read_at),
  matched_at = greatest(old.matched_at, new.matched_at)
WHEN NOT MATCHED THEN INSERT (company_id, first_seen_at, last_seen_at, read_at, matched_at)
  VALUES (new.company_id, new.first_at, new.last_at, new.read_at, new.matched_at);
