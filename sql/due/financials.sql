-- Due: companies whose record in the plan's stream (reports, details of v1, people) was never answered, failed last
-- time, or is stale. Also due: companies that an event names, and companies that returned to the market. Skips
-- companies whose company record is gone, unless the run fetches it again first. A new name or status of a company does
-- not make it due here.
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
ANTI JOIN (
  SELECT entity_id FROM ledger.answers WHERE stream = 'companies' AND gone
  EXCEPT FROM asked_again
) AS d USING (entity_id)
