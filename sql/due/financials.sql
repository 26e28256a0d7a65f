-- Of reports, of either version of the API.
-- Due: never answered, named by an event, back in the market, failed last time, or stale. A company whose details are gone
-- has no report to ask for; a new name or status makes no new report.
SELECT
  entity_id,
  CASE
    WHEN is_new AND never_asked THEN 'new'
    WHEN never_asked THEN 'unfetched'
    WHEN has_event THEN 'event'
    WHEN has_entered THEN 'entered'
    WHEN is_failed THEN 'failed'
    WHEN is_stale THEN 'stale'
  END AS reason,
  answered_at,
  company_id
FROM asked_companies
ANTI JOIN (SELECT * FROM ledger.answers WHERE stream = 'companies' AND gone) AS d USING (entity_id)
