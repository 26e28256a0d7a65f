-- Due: never answered (a record or "not found"), answered too long ago, or named by an event since. A company whose
-- details are gone has no report to ask for.
SELECT
  CAST(k.company_id AS VARCHAR) AS entity_id,
  a.answered_at IS NULL
  OR p.refresh_seconds = 0
  OR a.answered_at <= p.now - to_seconds(p.refresh_seconds)
  OR a.answered_at < e.occurred_at AS due
FROM known_companies AS k
CROSS JOIN plan AS p
LEFT JOIN ledger.answers AS a ON a.stream = 'financials' AND a.entity_id = CAST(k.company_id AS VARCHAR)
LEFT JOIN (SELECT company_id, max(occurred_at) AS occurred_at FROM ledger.watch_events GROUP BY company_id) AS e USING (company_id)
ANTI JOIN (SELECT * FROM ledger.answers WHERE gone) AS d
  ON d.stream = 'companies' AND d.entity_id = CAST(k.company_id AS VARCHAR)
ORDER BY k.company_id
