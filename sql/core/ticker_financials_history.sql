/*
model: core.ticker_financials_history
kind: table
needs: [ledger.ticker_values]
version: 1
grain: version of a financial value that was requested by ticker
key: [ticker, fiscal_year, indicator, valid_from]
description: >-
  Versions of each financial value requested by ticker (restatements). A new version starts with the first answer that
  states another value. If a later answer lacks a value, the value ends without a successor. A malformed value is
  ignored, and the version before it stays current. The rows do not depend on the order in which observations were
  loaded.
columns:
  ticker: VARCHAR | Ticker, as requested
  fiscal_year: INTEGER | Fiscal year of the report
  indicator: VARCHAR | Name of the indicator, as the API writes it
  valid_from: TIMESTAMPTZ | When this value was first observed
  valid_to: TIMESTAMPTZ | When a later answer first had another value or lacked the value; NULL while the value is current
  is_current: BOOLEAN | True while no later answer has another value or lacks the value
  value_double: DOUBLE | Value as a number; NULL if it is not a number
  value_text: VARCHAR | Value as text, if the API sent text or the indicator is a text; otherwise NULL
audits:
  - name: has_a_value
    severity: error
    sql: FROM core.ticker_financials_history WHERE value_double IS NULL AND value_text IS NULL
  - name: versions_do_not_overlap
    severity: error
    sql: FROM core.ticker_financials_history WHERE valid_to <= valid_from
*/
-- Answers with the same time have no order. Choose one by its hash, so that every build chooses the same answer.
WITH answers AS (
  SELECT entity_id AS ticker, observed_at, max(record_hash) AS body_hash
  FROM ledger.observations
  WHERE stream = 'financials_ticker' AND readable
  GROUP BY ALL
),

-- Each value that occurs in any answer, paired with each answer that could contain it.
cells AS (
  SELECT k.ticker, k.fiscal_year, k.indicator, a.observed_at, v.value_double, v.value_text, v.ticker IS NOT NULL AS present
  FROM (SELECT DISTINCT ticker, fiscal_year, indicator FROM ledger.ticker_values WHERE indicator IS NOT NULL) AS k
  JOIN answers AS a USING (ticker)
  ANTI JOIN (SELECT ticker, body_hash, fiscal_year FROM ledger.ticker_values WHERE indicator IS NULL) AS unreadable
    ON unreadable.ticker = k.ticker AND unreadable.body_hash = a.body_hash AND unreadable.fiscal_year = k.fiscal_year
  LEFT JOIN ledger.ticker_values AS v
    ON v.ticker = k.ticker AND v.body_hash = a.body_hash AND v.fiscal_year = k.fiscal_year AND v.indicator = k.indicator
  WHERE v.ticker IS NULL OR v.value_double IS NOT NULL OR v.value_text IS NOT NULL
),

-- The number 1.5 and the text "1.5" are the same value.
changes AS (
  SELECT *, CASE WHEN present THEN coalesce(CAST(value_double AS VARCHAR), value_text) END AS said
  FROM cells
  QUALIFY said IS DISTINCT FROM lag(said) OVER (PARTITION BY ticker, fiscal_year, indicator ORDER BY observed_at)
),

bounded AS (
  SELECT *, lead(observed_at) OVER (PARTITION BY ticker, fiscal_year, indicator ORDER BY observed_at) AS valid_to FROM changes
)

SELECT ticker, fiscal_year, indicator, observed_at AS valid_from, valid_to, valid_to IS NULL AS is_current, value_double, value_text
FROM bounded
WHERE present
