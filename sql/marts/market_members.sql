/*
model: marts.market_members
kind: incremental
version: 1
grain: company in a market on a date
key: [market, date, company_id]
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
SELECT DISTINCT n.market, n.date, m.company_id
FROM ops.nights AS n
SEMI JOIN changed USING (market, date)
JOIN ledger.market_sightings AS m ON m.run = n.run AND m.market = n.market
