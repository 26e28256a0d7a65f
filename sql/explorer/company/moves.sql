-- When one company entered and left markets, newest first. For a departure, adds the latest change of its record in the seven
-- days before, and of these a change of the status first.
WITH moves AS (
  SELECT market, date, kind, as_of, reason FROM marts.market_moves WHERE company_id = $id
),

reasons AS (
  SELECT m.market, m.date, c.field, c.old_value, c.new_value
  FROM moves AS m
  JOIN marts.changes AS c ON c.changed_at <= m.as_of AND c.changed_at > m.as_of - INTERVAL 7 DAY
  WHERE m.kind = 'left' AND c.kind = 'changed' AND c.company_id = $id
  QUALIFY row_number() OVER (PARTITION BY m.market, m.date ORDER BY c.field = 'status' DESC, c.changed_at DESC, c.field) = 1
)

SELECT m.*, r.field, r.old_value, r.new_value
FROM moves AS m
LEFT JOIN reasons AS r USING (market, date)
ORDER BY m.date DESC, m.kind
