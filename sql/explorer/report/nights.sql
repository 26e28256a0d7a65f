-- The latest 90 nights of each market. The oldest comes first.
SELECT d.market, d.date, d.companies, d.active, d.entered, d."left", d.changed,
  n.is_complete, n.is_complete AND r.why IS NULL AS is_whole
FROM marts.market_daily AS d
JOIN ops.nights AS n USING (market, date)
LEFT JOIN ops.runs AS r ON r.run_id = n.run
QUALIFY row_number() OVER (PARTITION BY d.market ORDER BY d.date DESC) <= 90
ORDER BY d.market, d.date
