/*
model: core.market_moves
kind: incremental
version: 1
grain: company that entered or left a market on a night
key: [market, date, company_id]
description: >-
  Companies that entered or left a market; marts.market_moves adds names, reasons and figures. A company entered if a night found it, but neither the latest complete night before nor
  any night in between. A company left if a complete night did not find it, but the complete night before or any night in between
  did. So an incomplete night lists no company as left; the next complete night lists it. Before the first complete night, no company
  is listed as entered.
incremental:
  by: [market, date]
  changed: >-
    SELECT DISTINCT market, date FROM ledger.dirty_nights
    UNION SELECT n.market, n.date FROM ops.nights AS n JOIN ledger.dirty_nights AS d
      ON d.market = n.market AND d.date < n.date AND coalesce(n.complete_before <= d.date, true)
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Night on which the company was first found in the market, or the first complete night that did not find it
  company_id: BIGINT | Id of the company
  kind: VARCHAR | Direction (entered or left)
  last_found_on: DATE | If kind is left, the latest night before on which a search found the company; otherwise NULL
  as_of: TIMESTAMPTZ | End of the crawl of the night in column date
*/
WITH nights AS (
  SELECT * FROM ops.nights SEMI JOIN changed USING (market, date) WHERE previous_date IS NOT NULL
),

-- For each changed night: the nights to compare it with, from the latest complete night before. Without a complete
-- night before, all earlier nights. An incomplete night before the first complete night lists nothing.
compared AS (
  SELECT n.market, n.date, e.date AS earlier
  FROM nights AS n
  JOIN ops.nights AS e ON e.market = n.market AND e.date < n.date AND coalesce(e.date >= n.complete_before, true)
  WHERE n.is_complete OR n.complete_before IS NOT NULL
),

-- Read only the nights that are needed. Without MATERIALIZED, DuckDB may compute the members of all nights first.
runs AS MATERIALIZED (
  SELECT n.market, n.date, r.run_no
  FROM ops.nights AS n
  SEMI JOIN (SELECT market, date FROM nights UNION SELECT market, earlier FROM compared) AS near ON near.market = n.market AND near.date = n.date
  JOIN base.market_runs AS r ON r.run = n.run AND r.market = n.market
),

members AS (
  SELECT r.market, r.date, s.company_id
  FROM runs AS r
  JOIN base.market_stays AS s ON s.market = r.market AND s.from_no <= r.run_no AND s.to_no >= r.run_no
),

earlier AS (
  SELECT c.market, c.date, m.company_id, max(m.date) AS last_found_on
  FROM compared AS c
  JOIN members AS m ON m.market = c.market AND m.date = c.earlier
  GROUP BY ALL
)

SELECT n.market, n.date, m.company_id, 'entered' AS kind, CAST(NULL AS DATE) AS last_found_on, n.as_of
FROM nights AS n
JOIN members AS m ON m.market = n.market AND m.date = n.date
ANTI JOIN earlier AS e ON e.market = m.market AND e.date = m.date AND e.company_id = m.company_id
WHERE n.complete_before IS NOT NULL
UNION ALL
SELECT n.market, n.date, e.company_id, 'left', e.last_found_on, n.as_of
FROM nights AS n
JOIN earlier AS e ON e.market = n.market AND e.date = n.date
ANTI JOIN members AS m ON m.market = e.market AND m.date = e.date AND m.company_id = e.company_id
WHERE n.is_complete
