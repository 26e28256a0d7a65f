/*
model: marts.market_members
kind: incremental
version: 1
grain: company in a market on a date
key: [market, date, company_id]
description: Who was in the market that night, as the run that stands for it found them.
incremental:
  by: [market, date]
  changed: SELECT DISTINCT market, date FROM ledger.dirty_nights
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Logical date of the night
  company_id: BIGINT | Id of the company
*/
SELECT DISTINCT n.market, n.date, s.company_id
FROM ops.nights AS n
SEMI JOIN changed USING (market, date)
JOIN ledger.market_sightings AS s ON s.run = n.run AND s.market = n.market
