/*
model: core.company_codes_history
kind: incremental
version: 1
grain: period in which a company had a classification
key: [company_id, scheme, code_id, value, valid_from]
nullable: [value]
description: >-
  Industry and activity classifications of each company, with the period in which the API listed them. A classification that
  was removed and added again has two rows.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM core.companies_history
columns:
  company_id: BIGINT | Id of the company
  scheme: VARCHAR | Classification scheme, as the API names it (industry_focus, sic_code_gb and so on)
  code_id: BIGINT | Id of the class within the scheme
  value: VARCHAR | Code or name of the class; NULL if the API states none
  valid_from: TIMESTAMPTZ | When the company was first observed with this classification
  valid_to: TIMESTAMPTZ | When the company was first observed without this classification; NULL while the company has it
  is_current: BOOLEAN | True while the company has this classification
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

-- Consecutive versions of a company with the same code form one span of time.
spans AS (
  SELECT *, version - row_number() OVER (PARTITION BY company_id, scheme, code_id, value ORDER BY version) AS span
  FROM given
)

SELECT company_id, scheme, code_id, value, min(valid_from) AS valid_from,
  CASE WHEN bool_and(valid_to IS NOT NULL) THEN max(valid_to) END AS valid_to, bool_or(valid_to IS NULL) AS is_current
FROM spans
GROUP BY company_id, scheme, code_id, value, span
