-- Runs before a stream's own staging file. The loader's temp view `parts` has the landed rows of the parts to load.
-- Creates these tables: `batch` (one row for each landed row), `beyond_bounds` (rows whose body exceeds a bound),
-- `bad_values` (values that JSON does not allow), `batch_rejects` (rejects) and `batch_records` (hashes of readable rows).
-- Financial reports are most of the data. So their staging file reads the bodies from `parts` itself, with all threads,
-- and `batch.doc` is NULL for them.
--
-- No JSON function may read a body that exceeds a bound (src/base/json/json-bounds.ts).
CREATE OR REPLACE TEMP TABLE beyond_bounds AS
SELECT row_id, CASE WHEN strlen(body) > getvariable('bounds').bytes THEN 'too_large' ELSE json_excess(body) END AS excess
FROM parts
WHERE status BETWEEN 200 AND 299 AND refused IS NULL AND json_may_exceed(body);

CREATE OR REPLACE TEMP TABLE batch AS
WITH bounded AS (
  SELECT p.*, coalesce(p.refused, b.excess) AS refusal
  FROM parts AS p
  LEFT JOIN beyond_bounds AS b USING (row_id)
),
parsed AS (
  SELECT
    *,
    CASE WHEN getvariable('stream') <> 'financials' AND status BETWEEN 200 AND 299 AND refusal IS NULL THEN json_read_marked(body) END
      AS json
  FROM bounded
),
judged AS (
  SELECT
    *,
    CASE
      WHEN status NOT BETWEEN 200 AND 299 THEN 'http_error'
      WHEN refusal IS NOT NULL THEN refusal
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
  -- A search page has no entity, so its request key serves as the id. Each webhook delivery gets its own id. Otherwise
  -- a later delivery would resolve the rejects of an earlier one.
  CASE
    WHEN starts_with(request_key, 'WEBHOOK ') THEN request_key || '#' || left(sha256, 16)
    ELSE coalesce(entity_id, request_key)
  END AS entity_id,
  -- Of the rows of an entity, only the last one counts as its answer. The kinds of the rows before it begin with `page-`.
  entity_id IS NULL OR starts_with(request_key, 'WEBHOOK ') OR starts_with(row_kind, 'page-') AS is_page,
  status,
  CAST(fetched_at AS TIMESTAMPTZ) AS observed_at,
  sha256 AS body_hash,
  part,
  fault,
  CASE WHEN fault IS NULL THEN json END AS doc
FROM judged;

-- Bad values, such as NaN (macro json_marked). Outside of reports, they become null, and _finish.sql adds their rejects.
-- The staging files of reports reject bad values themselves. A body with very many bad values is rejected as a whole.
UPDATE batch SET fault = 'too_many_bad_values', doc = NULL
WHERE json_has_marks(doc)
  AND (json_count_marks(doc) > getvariable('bounds').badValues OR json_is_big_tree(doc, json_count_marks(doc)));

CREATE OR REPLACE TEMP TABLE bad_values AS
SELECT b.row_id, left(t.fullkey, -6) AS path, substr(t.atom ->> '$', 2) AS raw
FROM (SELECT * FROM batch WHERE json_has_marks(doc) AND stream NOT IN ('financials_v1', 'financials_ticker')) AS b, json_tree(b.doc) AS t
WHERE t.type = 'VARCHAR' AND starts_with(t.atom ->> '$', chr(1)) AND ends_with(t.fullkey, '[0][0]');

UPDATE batch SET doc = json_unmarked(doc) WHERE row_id IN (SELECT row_id FROM bad_values);

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
    -- If the API refuses a search, write no reject: the planner sends some searches only to test how the API treats a
    -- filter.
    AND NOT (stream = 'prospecting' AND (status BETWEEN 400 AND 499 OR ends_with(request_key, '#probe')))
) USING (row_id);
