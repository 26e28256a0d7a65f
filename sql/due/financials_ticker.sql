-- Due: tickers without an answer or with a stale one. These are the configured tickers, and tickers by which `tidemark
-- resolve` found a company. If the question had another register number, the ticker does not count as found, because
-- the API could have found the company by that number.
WITH named AS (
  SELECT question AS ticker, 0 AS rank FROM asked_questions
  UNION ALL
  SELECT json_text(json_extract(CAST(question AS JSON), '$.ticker')), 1
  FROM match_results('ledger.match_answers')
  WHERE kind = 'registration'
    AND state = 'matched'
    AND json_extract(CAST(question AS JSON), '$.registration_number') IS NULL
    AND json_extract(CAST(question AS JSON), '$.vat_number') IS NULL
),

-- If two tickers differ only in upper and lower case, request one of them, as the configuration writes it.
tickers AS (
  SELECT arg_min(ticker, (rank, ticker)) AS ticker FROM named WHERE ticker IS NOT NULL GROUP BY upper(ticker)
),

asked AS (
  SELECT entity_id, max(observed_at) AS asked_at
  FROM ledger.observations
  WHERE stream = 'financials_ticker'
  GROUP BY entity_id
)

SELECT
  t.ticker AS entity_id,
  CASE
    WHEN q.asked_at IS NULL THEN 'unfetched'
    WHEN a.answered_at IS NULL OR q.asked_at > a.answered_at THEN 'failed'
    WHEN p.refresh_seconds = 0
      OR a.answered_at <= p.now - to_seconds(p.refresh_seconds)
      -- An answer dated more than a day in the future comes from a wrong clock. Its age is unknown, so fetch the ticker
      -- again.
      OR a.answered_at > p.now + INTERVAL 1 DAY
    THEN 'stale'
  END AS reason,
  a.answered_at,
  CAST(NULL AS BIGINT) AS company_id
FROM tickers AS t
CROSS JOIN plan AS p
LEFT JOIN ledger.answers AS a ON a.stream = 'financials_ticker' AND a.entity_id = t.ticker
LEFT JOIN asked AS q ON q.entity_id = t.ticker
