/*
model: ops.nights
kind: table
version: 1
grain: market and date
key: [market, date]
description: >-
  The run that represents each market and date. Of several runs, it is the run whose crawl ended last. The table ignores
  backfills of past dates, because they store no current state. It also ignores runs that were held back, and runs that were
  stopped, failed or cancelled before the end of their crawl. The columns with previous_ describe the market's row of
  the date before.
columns:
  market: VARCHAR | Market
  date: DATE | Date of the night
  run: VARCHAR | Run that represents the market on this date
  as_of: TIMESTAMPTZ | End of the crawl of this run
  is_complete: BOOLEAN | True if coverage proves that nothing is missing (ops.coverage.is_proven)
  previous_date: DATE | Latest earlier date of the market in this table; NULL on the first night
  previous_as_of: TIMESTAMPTZ | as_of of the row for previous_date; NULL on the first night
  previous_is_complete: BOOLEAN | is_complete of the row for previous_date; NULL on the first night
  complete_before: DATE | Latest earlier date of the market with is_complete; NULL if there is none
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
  lag(is_complete) OVER by_market AS previous_is_complete,
  max(CASE WHEN is_complete THEN date END) OVER (by_market ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS complete_before
FROM judged
WINDOW by_market AS (PARTITION BY market ORDER BY date)
