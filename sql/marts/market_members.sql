/*
model: marts.market_members
kind: incremental
version: 1
grain: company in a market on a date
key: [market, date, company_id]
description: >-
  The members of each market on each night: the companies that the night's run found. date - seen_on is the age of a
  membership in days.
incremental:
  by: [market, date]
  changed: SELECT DISTINCT market, date FROM ledger.dirty_nights
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Date of the night
  company_id: BIGINT | Id of the company
  seen_on: DATE | Night on which a search last found the company; earlier than date if the company was carried over and its membership on date is not proven
*/
SELECT n.market, n.date, m.company_id, max(m.seen_on) AS seen_on
FROM ops.nights AS n
SEMI JOIN changed USING (market, date)
JOIN ledger.run_members AS m ON m.run = n.run AND m.market = n.market
GROUP BY ALL
