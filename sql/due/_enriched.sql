-- Due: companies whose enrichment job ended with a result in this run. Their owners are read again.
SELECT DISTINCT
  CAST(company_id AS VARCHAR) AS entity_id,
  'changed' AS reason,
  CAST(NULL AS TIMESTAMPTZ) AS answered_at,
  company_id
FROM ledger.owner_jobs
WHERE run = (SELECT run FROM plan) AND state = 'done'
