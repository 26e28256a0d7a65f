/*
model: ops.nights
kind: table
version: 1
grain: market and date
key: [market, date]
description: >-
  Which run stands for a market on a date (the latest whose crawl of the market as of now ended; one that was stopped, failed
  or cancelled before that, or was held back, stands for nothing), and the night before it.
columns:
  market: VARCHAR | Market
  date: DATE | Logical date
  run: VARCHAR | Run that stands for it
  as_of: TIMESTAMPTZ | End of that run's crawl
  is_complete: BOOLEAN | True when its coverage proves that nothing is missing; never with members carried over (ops.coverage.is_proven)
  previous_date: DATE | Date of the market's night before
  previous_as_of: TIMESTAMPTZ | as_of of the night before
  previous_is_complete: BOOLEAN | is_complete of the night before
*/
WITH standing AS (
  SELECT market, date, run_id AS run, finished_at AS as_of
  FROM ops.runs
  WHERE as_of_now AND finished_at IS NOT NULL AND crawled IN ('complete', 'partial') AND held_back IS NULL
    AND market IS NOT NULL AND date IS NOT NULL
    AND run_id IN (SELECT run FROM ledger.observations WHERE stream = 'prospecting' AND readable)
  QUALIFY row_number() OVER (PARTITION BY market, date ORDER BY finished_at DESC, run_id DESC) = 1
),

judged AS (
  SELECT s.*, coalesce(c.is_proven, false) AS is_complete
  FROM standing AS s
  LEFT JOIN ops.coverage AS c ON c.run = s.run AND c.market = s.market
)

SELECT market, date, run, as_of, is_complete,
  lag(date) OVER by_market AS previous_date,
  lag(as_of) OVER by_market AS previous_as_of,
  lag(is_complete) OVER by_market AS previous_is_complete
FROM judged
WINDOW by_market AS (PARTITION BY market ORDER BY date)
