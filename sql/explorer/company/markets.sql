-- Nights on which one company was in each market.
WITH latest AS (
  SELECT market, max(date) AS date FROM ops.nights GROUP BY market
)

SELECT m.market, min(m.date) AS first_on, max(m.date) AS last_on, count(*) AS nights,
  coalesce(bool_or(m.date = l.date), false) AS in_market
FROM marts.market_members AS m
LEFT JOIN latest AS l USING (market)
WHERE m.company_id = $id
GROUP BY m.market
ORDER BY m.market
