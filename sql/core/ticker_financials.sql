/*
model: core.ticker_financials
kind: table
needs: [core.ticker_financials_history]
version: 1
grain: indicator of a fiscal year of a ticker
key: [ticker, fiscal_year, indicator]
description: >-
  Financial values that were requested by ticker (stream financials_ticker), as last stated. The API reference
  does not show what an answer looks like. So this table has only answers that hold reports by year. ops.rejects names all other
  answers, with the reason no_report.
columns:
  ticker: VARCHAR | Ticker, as requested
  company_id: BIGINT | Company that tidemark resolve found by this ticker alone; NULL if it found none or several
  fiscal_year: INTEGER | Fiscal year of the report
  indicator: VARCHAR | Name of the indicator, as the API writes it; see core.indicators
  value_double: DOUBLE | Value as a number, for money in the unit of column currency; NULL if it is not a number
  value_text: VARCHAR | Value as text, if the API sent text or the indicator is a text; otherwise NULL
  currency: VARCHAR | Currency that the report of that year states; NULL if it states none
  reported_date: DATE | Date that the report of that year states; NULL if it states none
  observed_at: TIMESTAMPTZ | When the reports of the ticker were last read
*/
WITH reports AS (
  SELECT ticker, fiscal_year,
    any_value(value_text) FILTER (indicator = 'Currency') AS currency,
    any_value(iso_date(value_text)) FILTER (indicator = 'Reported-Date') AS reported_date
  FROM core.ticker_financials_history
  WHERE is_current
  GROUP BY ALL
)

SELECT h.ticker, t.company_id, h.fiscal_year, h.indicator, h.value_double, h.value_text, r.currency, r.reported_date,
  a.read_at AS observed_at
FROM core.ticker_financials_history AS h
JOIN reports AS r USING (ticker, fiscal_year)
JOIN core.tickers AS t USING (ticker)
JOIN ledger.answers AS a ON a.stream = 'financials_ticker' AND a.entity_id = h.ticker
WHERE h.is_current
