/*
model: core.owners_history
kind: table
version: 1
grain: version of an answer about owners
key: [company_id, threshold, valid_from]
description: >-
  Versions of each answer about a company's beneficial owners (SCD type 2). A new version starts with the first answer that
  differs. Differences in key order, null values or the type of a value (number or text) are ignored. A change of
  personalData changes the answers that are kept, and so starts a version, too.
columns:
  company_id: BIGINT | Company
  threshold: DOUBLE | Smallest share that the request asked for, in percent
  valid_from: TIMESTAMPTZ | When this version was first observed
  valid_to: TIMESTAMPTZ | When the next version was first observed; NULL for the latest version
  is_current: BOOLEAN | True for the latest version
  version: INTEGER | Version number, from 1
  conclusive: BOOLEAN | Whether the API calls the answer conclusive; NULL if it does not say so clearly
  job_id: VARCHAR | Enrichment job that the answer names; NULL if none
  payload: JSON | The whole answer. Landed without what identifies people, unless personalData was contacts. NULL if it names people and personalData is none when the table is built
audits:
  - name: one_current_version
    severity: error
    sql: SELECT company_id FROM core.owners_history GROUP BY company_id, threshold HAVING count(*) FILTER (is_current) <> 1
*/
WITH observed AS (
  -- Answers with the same time have no order. Choose the same one in every build.
  SELECT company_id, threshold, observed_at, max(record_hash) AS record_hash
  FROM ledger.owner_answers
  GROUP BY ALL
),

changes AS (
  SELECT *
  FROM observed
  QUALIFY record_hash IS DISTINCT FROM lag(record_hash) OVER (PARTITION BY company_id, threshold ORDER BY observed_at)
)

SELECT
  c.company_id,
  c.threshold,
  c.observed_at AS valid_from,
  lead(c.observed_at) OVER versions AS valid_to,
  lead(c.observed_at) OVER versions IS NULL AS is_current,
  CAST(row_number() OVER versions AS INTEGER) AS version,
  r.conclusive,
  r.job_id,
  CASE WHEN s.personal_data OR r.without_personal_data THEN r.payload END AS payload
FROM changes AS c
CROSS JOIN settings AS s
JOIN ledger.owner_records AS r USING (company_id, threshold, record_hash)
WINDOW versions AS (PARTITION BY c.company_id, c.threshold ORDER BY c.observed_at)
