/*
model: marts.market_members
kind: incremental
version: 1
grain: company in a market on a date
key: [market, date, company_id]
description: >-
  The market's members that night: those its run found, and those it carried over, since an earlier night found them and it
  did not ask for them (`markets[].remainderNights`). The age of a member is `date` less `seen_on`.
incremental:
  by: [market, date]
  changed: SELECT DISTINCT market, date FROM ledger.dirty_nights
  all: SELECT market, date FROM ops.nights
columns:
  market: VARCHAR | Market
  date: DATE | Logical date of the night
  company_id: BIGINT | Id of the company
  seen_on: DATE | Night on which a search last found it; before `date` for one that was carried over, which nobody has proven to be there
*/
SELECT n.market, n.date, m.company_id, max(m.seen_on) AS seen_on
FROM ops.nights AS n
SEMI JOIN changed USING (market, date)
JOIN ledger.run_members AS m ON m.run = n.run AND m.market = n.market
GROUP BY ALL
