/*
model: marts.market_moves
kind: incremental
version: 1
grain: company that entered or left a market between two nights
key: [market, date, company_id]
description: >-
  Who entered and who left since the night before. Nothing is said to have entered after an incomplete night, nor to have
  left in one.
incremental:
  by: [market, date]
  changed: >-
    SELECT DISTINCT market, date FROM ledger.dirty_nights
    UNION SELECT n.market, n.date FROM ops.nights AS n JOIN ledger.dirty_nights AS d ON d.market = n.market AND d.date = n.previous_date
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Night by which it had entered or left
  company_id: BIGINT | Id of the company
  kind: VARCHAR | entered or left
  as_of: TIMESTAMPTZ | End of that night's crawl
*/
WITH nights AS (
  SELECT * FROM ops.nights SEMI JOIN changed USING (market, date) WHERE previous_date IS NOT NULL
)

SELECT n.market, n.date, m.company_id, 'entered' AS kind, n.as_of
FROM nights AS n
JOIN marts.market_members AS m ON m.market = n.market AND m.date = n.date
ANTI JOIN marts.market_members AS p ON p.market = n.market AND p.date = n.previous_date AND p.company_id = m.company_id
WHERE n.previous_is_complete
UNION ALL
SELECT n.market, n.date, p.company_id, 'left', n.as_of
FROM nights AS n
JOIN marts.market_members AS p ON p.market = n.market AND p.date = n.previous_date
ANTI JOIN marts.market_members AS m ON m.market = n.market AND m.date = n.date AND m.company_id = p.company_id
WHERE n.is_complete
