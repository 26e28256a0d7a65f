/*
model: core.tickers
kind: table
version: 1
grain: ticker that was requested, or by which tidemark resolve found a company
key: [ticker]
description: >-
  Stock-exchange tickers with their companies, and the state of their financial reports (stream financials_ticker).
columns:
  ticker: VARCHAR | Ticker, as requested
  company_id: BIGINT | Company that tidemark resolve found by this ticker alone; NULL if it found none or several
  is_matched: BOOLEAN | True if tidemark resolve found a company by this ticker alone
  asked_at: TIMESTAMPTZ | When the reports were last requested; NULL if they were not
  answered_at: TIMESTAMPTZ | When the API last answered with a readable report or 404 (not found); NULL if it did not
  is_gone: BOOLEAN | True if the last answer was 404 (not found); NULL if there was no answer
*/
WITH matched AS (
  SELECT
    upper(trim(request ->> '$.ticker')) AS key,
    min(trim(request ->> '$.ticker')) AS ticker,
    CASE WHEN count(DISTINCT company_id) = 1 THEN any_value(company_id) END AS company_id
  FROM core.matches
  WHERE kind = 'registration'
    AND matched
    AND trim(request ->> '$.ticker') <> ''
    -- If the question also had a register number or VAT number, the API could have found the company by that number. So
    -- skip such questions.
    AND (request ->> '$.registration_number') IS NULL
    AND (request ->> '$.vat_number') IS NULL
  GROUP BY ALL
),

asked AS (
  SELECT entity_id AS ticker, max(observed_at) AS asked_at
  FROM ledger.observations
  WHERE stream = 'financials_ticker'
  GROUP BY ALL
)

SELECT
  coalesce(q.ticker, m.ticker) AS ticker,
  m.company_id,
  m.key IS NOT NULL AS is_matched,
  q.asked_at,
  a.answered_at,
  a.gone AS is_gone
FROM asked AS q
FULL JOIN matched AS m ON m.key = upper(q.ticker)
LEFT JOIN ledger.answers AS a ON a.stream = 'financials_ticker' AND a.entity_id = q.ticker
