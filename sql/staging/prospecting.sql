-- Loads pages of companies (id, name) from POST /v2/prospecting and POST /v1/finder/companies. Skips pages of version 1
-- that the planner requested only as a test (`#probe`), because their companies may not belong to the market. Creates
-- `sighted`: one row for each company on a page.
--
-- First pass: reads plain pages in one statement. A page is plain if its companies have nothing but a usable id and a
-- name, in this order. The rows of all other pages are in `odd_rows`, which prospecting_odd.sql reads.
CREATE OR REPLACE TEMP TABLE plain_pages AS
SELECT row_id, data
FROM (
  -- The list keeps DuckDB from computing json_transform again for each use.
  SELECT row_id, unnest([json_transform(doc, '{"data":"JSON"}')], recursive := true) FROM batch WHERE doc IS NOT NULL
)
WHERE companies_are_plain(data);

CREATE OR REPLACE TEMP TABLE odd_rows AS
SELECT row_id FROM batch WHERE doc IS NOT NULL AND row_id NOT IN (SELECT row_id FROM plain_pages);

CREATE OR REPLACE TEMP TABLE sighted AS
WITH items AS (
  SELECT row_id, unnest(json_transform(data, '[{"id":"VARCHAR","name":"VARCHAR"}]')) AS item
  FROM plain_pages
)
SELECT i.row_id, b.run, b.market, b.date, b.observed_at, TRY_CAST(item.id AS BIGINT) AS company_id, nullif(item.name, '') AS name
FROM items AS i
JOIN batch AS b USING (row_id)
WHERE NOT ends_with(b.request_key, '#probe');
