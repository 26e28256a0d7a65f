-- The latest search of each market on each night, the latest night first.
SELECT c.market, r.date, c.run, c.reported_total, c.distinct_companies, c.missing, c.share
FROM ops.coverage AS c
JOIN ops.runs AS r ON r.run_id = c.run
QUALIFY row_number() OVER (PARTITION BY c.market, r.date ORDER BY r.started_at DESC, r.run_id DESC) = 1
ORDER BY r.date DESC, c.market
LIMIT 400
