-- Runs before a stream's own staging file. Creates `batch` (landed rows of the parts being loaded, from the loader's temp
-- view `parts`), `batch_rejects` (what is wrong) and `batch_records` (the hash of each readable row).
-- `batch` has no `doc` for financial reports. They are most of the data, so their staging file reads them from the parts
-- with all threads.
CREATE OR REPLACE TEMP TABLE batch AS
WITH parsed AS (
  SELECT
    *,
    CASE WHEN getvariable('stream') <> 'financials' AND status BETWEEN 200 AND 299 THEN json_read(body) END AS json
  FROM parts
),
judged AS (
  SELECT
    *,
    CASE
      WHEN status NOT BETWEEN 200 AND 299 THEN 'http_error'
      WHEN getvariable('stream') = 'financials' THEN NULL
      WHEN json IS NULL THEN 'not_json'
      WHEN json_repeats(json) THEN 'duplicate_key'
    END AS fault
  FROM parsed
)
SELECT
  row_id,
  stream,
  run,
  CAST(date AS DATE) AS date,
  market,
  request_key,
  -- A search page has no entity, so its request is used. A webhook delivery gets an id of itself, because another delivery
  -- of the same company neither repeats nor resolves its rejects.
  CASE
    WHEN starts_with(request_key, 'WEBHOOK ') THEN request_key || '#' || left(sha256, 16)
    ELSE coalesce(entity_id, request_key)
  END AS entity_id,
  entity_id IS NULL OR starts_with(request_key, 'WEBHOOK ') AS is_page,
  status,
  CAST(fetched_at AS TIMESTAMPTZ) AS observed_at,
  sha256 AS body_hash,
  part,
  fault,
  CASE WHEN fault IS NULL THEN json END AS doc
FROM judged;

CREATE OR REPLACE TEMP TABLE batch_rejects (row_id BIGINT, reason VARCHAR, path VARCHAR, raw VARCHAR);
CREATE OR REPLACE TEMP TABLE batch_records (row_id BIGINT, company_id BIGINT, record_hash VARCHAR, scope_year INTEGER);

INSERT INTO batch_rejects
SELECT row_id, fault, '$', body
FROM parts
JOIN (
  SELECT row_id, fault
  FROM batch
  WHERE fault IS NOT NULL
    AND (status <> 404 OR is_page)
    -- A refused search is a valid answer: the planner sends such searches to test which filters the API accepts.
    AND NOT (stream = 'prospecting' AND (status BETWEEN 400 AND 499 OR ends_with(request_key, '#probe')))
) USING (row_id);
