/*
model: marts.market_members
kind: incremental
version: 1
grain: company in a market on a date
key: [market, date, company_id]
description: >-
  Who was in the market that night, as the run that stands for it found them, or a night shortly before it
  (`markets[].remainderNights`).
incremental:
  by: [market, date]
  changed: SELECT DISTINCT market, date FROM ledger.dirty_nights
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Logical date of the night
  company_id: BIGINT | Id of the company
  seen_on: DATE | Night on which a search found it; before `date` for one without a date of incorporation whose turn it was not
*/
SELECT n.market, n.date, m.company_id, max(m.seen_on) AS seen_on
FROM ops.nights AS n
SEMI JOIN changed USING (market, date)
JOIN ledger.run_members AS m ON m.run = n.run AND m.market = n.market
GROUP BY ALL
