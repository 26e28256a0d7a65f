/*
model: marts.ticker_disagreement
kind: table
needs: [core.ticker_financials]
version: 1
grain: indicator of a fiscal year for which the report of a ticker and the v2 report of its company state different values
key: [ticker, fiscal_year, indicator]
description: >-
  Values on which the report requested by ticker and the v2 report requested by company id disagree. 1.5 and "1.5" are equal.
  The table compares a ticker only if the command tidemark resolve found exactly one company for it. It leaves out
  indicators that only one report states.
columns:
  ticker: VARCHAR | Ticker, as requested
  company_id: BIGINT | Company that tidemark resolve found by this ticker
  fiscal_year: INTEGER | Fiscal year of the reports
  indicator: VARCHAR | Name of the indicator, as the API writes it
  v2_double: DOUBLE | Value of the company's report as a number; NULL if it is not a number
  ticker_double: DOUBLE | Value of the ticker's report as a number; NULL if it is not a number
  v2_text: VARCHAR | Value of the company's report as text; NULL for a plain number
  ticker_text: VARCHAR | Value of the ticker's report as text; NULL for a plain number
  difference: DOUBLE | ticker_double minus v2_double; NULL unless both are numbers and DOUBLE can hold the result
  v2_currency: VARCHAR | Currency that the company's report states for the year; NULL if it states none
  ticker_currency: VARCHAR | Currency that the ticker's report states for the year; NULL if it states none
  v2_reported_date: DATE | Date that the company's report states; NULL if it states none
  ticker_reported_date: DATE | Date that the ticker's report states; NULL if it states none
  v2_observed_at: TIMESTAMPTZ | When the company's report was last read
  ticker_observed_at: TIMESTAMPTZ | When the ticker's report was last read
*/
-- Few companies have a ticker, so first select their years.
WITH years AS (
  SELECT * FROM base.report_years SEMI JOIN core.ticker_financials USING (company_id) WHERE source = 'v2' AND is_latest
),

v2 AS (
  SELECT y.*, i.indicator, v.value_double, v.value_text
  FROM years AS y
  JOIN base.year_values AS v ON v.content_id = y.content_id AND v.company_id = y.company_id
  JOIN base.indicator_ids AS i ON i.id = v.ind
  UNION ALL
  SELECT y.*, i.indicator, r.value_double, r.value_text
  FROM years AS y
  JOIN base.restated_values AS r ON r.company_id = y.company_id AND r.fiscal_year = y.fiscal_year AND r.source = y.source
  JOIN base.indicator_ids AS i ON i.id = r.ind
  WHERE r.valid_to IS NULL
)

SELECT t.ticker, t.company_id, t.fiscal_year, t.indicator,
  f.value_double AS v2_double, t.value_double AS ticker_double, f.value_text AS v2_text, t.value_text AS ticker_text,
  CASE WHEN isfinite(t.value_double - f.value_double) THEN t.value_double - f.value_double END AS difference,
  f.currency AS v2_currency, t.currency AS ticker_currency,
  f.reported_date AS v2_reported_date, t.reported_date AS ticker_reported_date,
  f.observed_at AS v2_observed_at, t.observed_at AS ticker_observed_at
FROM core.ticker_financials AS t
JOIN v2 AS f
  ON f.company_id = t.company_id AND f.fiscal_year = t.fiscal_year AND f.indicator = t.indicator
WHERE CASE
  WHEN t.value_double IS NOT NULL AND f.value_double IS NOT NULL THEN t.value_double <> f.value_double
  -- A text that is a number also fills value_double. So if only one report has value_double, the values differ.
  ELSE t.value_text IS DISTINCT FROM f.value_text
END
