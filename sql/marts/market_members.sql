/*
model: marts.market_members
kind: view
version: 1
grain: company in a market on a date
key: [market, date, company_id]
check_key: false
description: "The members of each market on each night: the companies that the night's run found."
incremental:
  by: [market, date]
  changed: SELECT DISTINCT market, date FROM ledger.dirty_nights
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Date of the night
  company_id: BIGINT | Id of the company
*/
SELECT n.market, n.date, s.company_id
FROM ops.nights AS n
JOIN base.market_runs AS r ON r.run = n.run AND r.market = n.market
JOIN base.market_stays AS s ON s.market = r.market AND s.from_no <= r.run_no AND s.to_no >= r.run_no
