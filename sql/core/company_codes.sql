/*
model: core.company_codes
kind: incremental
version: 1
grain: classification of a company
key: [company_id, scheme, code_id, value]
nullable: [value]
description: Industry and activity classifications in each company's current version.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_companies
  all: SELECT DISTINCT company_id FROM core.companies_history
columns:
  company_id: BIGINT | Id of the company
  scheme: VARCHAR | Classification scheme, as the API names it (industry_focus, sic_code_gb and so on)
  code_id: BIGINT | Id of the class within the scheme
  value: VARCHAR | Code or name of the class; NULL if the API states none
  extra: JSON | Fields of the classification that the API reference does not list, as last received; NULL if there are none
*/
WITH codes AS (
  SELECT company_id, code.scheme AS scheme, code.code_id AS code_id, code.value AS value
  FROM (SELECT company_id, unnest(codes) AS code FROM core.companies_history SEMI JOIN changed USING (company_id) WHERE is_current)
),

-- For each code: the fields that the reference does not list, from the company's latest answer.
extras AS (
  SELECT company_id, code.scheme AS scheme, code.code_id AS code_id, code.value AS value, code.extra AS extra
  FROM (
    SELECT c.company_id, unnest(c.extras) AS code
    FROM ledger.code_extras AS c
    SEMI JOIN changed USING (company_id)
    JOIN ledger.answers AS a
      ON a.stream = 'companies' AND a.entity_id = CAST(c.company_id AS VARCHAR) AND a.read_at = c.observed_at
  )
)

SELECT c.company_id, c.scheme, c.code_id, c.value, e.extra
FROM codes AS c
LEFT JOIN extras AS e
  ON e.company_id = c.company_id AND e.scheme = c.scheme AND e.code_id = c.code_id AND e.value IS NOT DISTINCT FROM c.value
