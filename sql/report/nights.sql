-- The latest 90 nights of each market, oldest first.
SELECT d.market, d.date, d.companies, d.active, d.entered, d."left", d.changed, n.is_complete
FROM marts.market_daily AS d
JOIN ops.nights AS n USING (market, date)
QUALIFY row_number() OVER (PARTITION BY d.market ORDER BY d.date DESC) <= 90
ORDER BY d.market, d.date
