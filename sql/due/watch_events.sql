-- Due: every company in this run's listing of watched companies, because each may have new events.
SELECT CAST(company_id AS VARCHAR) AS entity_id, 'watched' AS reason, CAST(NULL AS TIMESTAMPTZ) AS answered_at, company_id
FROM (SELECT DISTINCT company_id FROM ledger.watched_companies WHERE run = (SELECT run FROM plan))
