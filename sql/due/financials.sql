-- Financial reports of v1 or v2.
-- Due: never answered, named by an event, back in the market, failed last time, or stale. Skips companies whose record is
-- gone. A new name or status makes no report due.
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
