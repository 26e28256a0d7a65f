/*
model: marts.market_moves
kind: incremental
version: 1
grain: company that entered or left a market between two nights
key: [market, date, company_id]
description: >-
  Companies that entered or left a market since the night before. After an incomplete night, the table lists no company as
  entered. In an incomplete night, it lists no company as left. A night with members carried over from earlier nights is
  incomplete.
incremental:
  by: [market, date]
  changed: >-
    SELECT DISTINCT market, date FROM ledger.dirty_nights
    UNION SELECT n.market, n.date FROM ops.nights AS n JOIN ledger.dirty_nights AS d ON d.market = n.market AND d.date = n.previous_date
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Night on which the company was first found in the market, or first missing
  company_id: BIGINT | Id of the company
  kind: VARCHAR | Direction (entered or left)
  as_of: TIMESTAMPTZ | End of the crawl of the night in column date
*/
WITH nights AS (
  SELECT * FROM ops.nights SEMI JOIN changed USING (market, date) WHERE previous_date IS NOT NULL
),

-- Read only the changed nights and the night before each. The table market_members is large: it has one row for each
-- member and night.
members AS (
  SELECT m.market, m.date, m.company_id, coalesce(m.seen_on < m.date, false) AS is_carried
  FROM marts.market_members AS m
  SEMI JOIN (SELECT market, date FROM nights UNION SELECT market, previous_date FROM nights) AS near USING (market, date)
)

SELECT n.market, n.date, m.company_id, 'entered' AS kind, n.as_of
FROM nights AS n
JOIN members AS m ON m.market = n.market AND m.date = n.date
ANTI JOIN members AS p ON p.market = n.market AND p.date = n.previous_date AND p.company_id = m.company_id
WHERE n.previous_is_complete AND NOT m.is_carried
UNION ALL
SELECT n.market, n.date, p.company_id, 'left', n.as_of
FROM nights AS n
JOIN members AS p ON p.market = n.market AND p.date = n.previous_date
ANTI JOIN members AS m ON m.market = n.market AND m.date = n.date AND m.company_id = p.company_id
WHERE n.is_complete
