-- Before a stream's own staging file: `batch` holds the landed rows of the parts being loaded (made by the loader from
-- the temp view `parts`), `batch_rejects` what is found wrong, `batch_records` the hash of each row that is readable.
CREATE OR REPLACE TEMP TABLE batch AS
SELECT
  row_number() OVER () AS row_id,
  stream,
  run,
  CAST(date AS DATE) AS date,
  market,
  request_key,
  -- Pages of a search have no entity: their request stands in for it.
  coalesce(entity_id, request_key) AS entity_id,
  entity_id IS NULL AS is_page,
  status,
  CAST(fetched_at AS TIMESTAMPTZ) AS observed_at,
  sha256 AS body_hash,
  part,
  CASE WHEN status BETWEEN 200 AND 299 THEN TRY_CAST(body AS JSON) END AS doc,
  CASE WHEN status NOT BETWEEN 200 AND 299 OR TRY_CAST(body AS JSON) IS NULL THEN body END AS unread
FROM parts;

CREATE OR REPLACE TEMP TABLE batch_rejects (row_id BIGINT, reason VARCHAR, path VARCHAR, raw VARCHAR);
CREATE OR REPLACE TEMP TABLE batch_records (row_id BIGINT, company_id BIGINT, record_hash VARCHAR, scope_year INTEGER);

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN status BETWEEN 200 AND 299 THEN 'not_json' ELSE 'http_error' END, '$', unread
FROM batch
WHERE unread IS NOT NULL
  AND (status <> 404 OR is_page)
  -- A search the API refused is an answer: the crawl plan asks to find out what this API takes.
  AND NOT (stream = 'prospecting' AND (status BETWEEN 400 AND 499 OR ends_with(request_key, '#probe')));
