/*
model: core.company_codes_history
kind: incremental
version: 1
grain: span of time in which a company had a classification
key: [company_id, scheme, code_id, value, valid_from]
nullable: [value]
description: >-
  Industry and activity classifications of each company, and from when to when the API named them. One that was taken away and
  given back has two rows.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM core.companies_history
columns:
  company_id: BIGINT | Id of the company
  scheme: VARCHAR | Classification, as the API names it (industry_focus, sic_code_gb and so on)
  code_id: BIGINT | Id of the class within the scheme
  value: VARCHAR | Code or name of the class
  valid_from: TIMESTAMPTZ | When the company was first observed with it
  valid_to: TIMESTAMPTZ | When it was first observed without it; NULL while it has it
  is_current: BOOLEAN | True while it has it
audits:
  - name: no_overlap
    severity: error
    sql: >-
      SELECT company_id, scheme, code_id, value, valid_from FROM core.company_codes_history SEMI JOIN changed USING (company_id)
      WINDOW same AS (PARTITION BY company_id, scheme, code_id, value ORDER BY valid_from)
      QUALIFY coalesce(valid_to > lead(valid_from) OVER same, valid_to IS NULL AND lead(valid_from) OVER same IS NOT NULL)
*/
WITH given AS (
  SELECT DISTINCT company_id, version, valid_from, valid_to, code.scheme AS scheme, code.code_id AS code_id, code.value AS value
  FROM (
    SELECT company_id, version, valid_from, valid_to, unnest(codes) AS code
    FROM core.companies_history
    SEMI JOIN changed USING (company_id)
  )
),

-- Versions that follow each other without a gap are one span.
spans AS (
  SELECT *, version - row_number() OVER (PARTITION BY company_id, scheme, code_id, value ORDER BY version) AS span
  FROM given
)

SELECT company_id, scheme, code_id, value, min(valid_from) AS valid_from,
  CASE WHEN bool_and(valid_to IS NOT NULL) THEN max(valid_to) END AS valid_to, bool_or(valid_to IS NULL) AS is_current
FROM spans
GROUP BY company_id, scheme, code_id, value, span
