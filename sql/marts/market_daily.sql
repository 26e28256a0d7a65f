/*
model: marts.market_daily
kind: incremental
version: 1
grain: market and date
key: [market, date]
description: Numbers of each market's nights. A number that the night's searches cannot prove is NULL.
incremental:
  by: [market, date]
  changed: >-
    SELECT DISTINCT market, date FROM ledger.dirty_nights
    UNION SELECT n.market, n.date FROM ops.nights AS n JOIN ledger.dirty_nights AS d
      ON d.market = n.market AND d.date < n.date AND coalesce(n.complete_before <= d.date, true)
    UNION SELECT market, date FROM ops.nights WHERE as_of >= (SELECT min(since) FROM ledger.dirty_companies)
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Date of the night
  companies: BIGINT | Companies in the market that the night's searches found
  active: BIGINT | How many of these companies had the status Active at the end of the night's crawl
  entered: BIGINT | Companies that core.market_moves lists as entered on this date; NULL up to and including the first complete night
  left: BIGINT | Companies that core.market_moves lists as left on this date; NULL on the first night, or if this night was incomplete
  changed: BIGINT | Members whose record changed since the end of the night before; NULL on the first night
*/
WITH nights AS (
  SELECT * FROM ops.nights SEMI JOIN changed USING (market, date)
),

-- Without MATERIALIZED, DuckDB may compute the members of all nights first.
runs AS MATERIALIZED (
  SELECT n.market, n.date, n.as_of, n.previous_as_of, r.run_no
  FROM nights AS n
  JOIN base.market_runs AS r ON r.run = n.run AND r.market = n.market
),

members AS (
  SELECT n.market, n.date, n.as_of, n.previous_as_of, m.company_id
  FROM runs AS n
  JOIN base.market_stays AS m ON m.market = n.market AND m.from_no <= n.run_no AND m.to_no >= n.run_no
),

counts AS (
  SELECT
    m.market,
    m.date,
    count(DISTINCT m.company_id) AS companies,
    count(DISTINCT m.company_id) FILTER (
      lower(h.status) = 'active' AND h.valid_from <= m.as_of AND (h.valid_to IS NULL OR h.valid_to > m.as_of)
    ) AS active,
    count(DISTINCT m.company_id) FILTER (h.version > 1 AND h.valid_from > m.previous_as_of AND h.valid_from <= m.as_of) AS changed
  FROM members AS m
  LEFT JOIN core.companies_history AS h USING (company_id)
  GROUP BY ALL
),

moves AS (
  SELECT market, date, count(*) FILTER (kind = 'entered') AS entered, count(*) FILTER (kind = 'left') AS gone
  FROM core.market_moves
  SEMI JOIN changed USING (market, date)
  GROUP BY ALL
)

SELECT
  n.market,
  n.date,
  coalesce(c.companies, 0) AS companies,
  coalesce(c.active, 0) AS active,
  CASE WHEN n.complete_before IS NOT NULL THEN coalesce(m.entered, 0) END AS entered,
  CASE WHEN n.previous_date IS NOT NULL AND n.is_complete THEN coalesce(m.gone, 0) END AS "left",
  CASE WHEN n.previous_date IS NOT NULL THEN coalesce(c.changed, 0) END AS changed
FROM nights AS n
LEFT JOIN counts AS c USING (market, date)
LEFT JOIN moves AS m USING (market, date)
