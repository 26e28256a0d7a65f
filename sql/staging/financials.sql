-- GET /v2/financial/{id}: an object keyed by year. The cast to nested maps reads it in one pass and forgives: what is
-- no object becomes a NULL map, inner values keep their JSON text, so that a number and a number as text stay apart.
CREATE OR REPLACE TEMP TABLE report_rows AS
SELECT
  row_id,
  json_id(to_json(entity_id)) AS company_id,
  body_hash AS report_hash,
  observed_at,
  doc,
  TRY_CAST(nullif(regexp_extract(request_key, '\byear\W{1,4}([0-9]{4})\b', 1), '') AS INTEGER) AS scope_year,
  min(row_id) OVER (PARTITION BY entity_id, body_hash) AS first_row
FROM batch
WHERE doc IS NOT NULL;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN company_id IS NULL THEN 'bad_entity_id' ELSE 'not_an_object' END, '$', CAST(doc AS VARCHAR)
FROM report_rows
WHERE company_id IS NULL OR json_type(doc) <> 'OBJECT';

DELETE FROM report_rows WHERE company_id IS NULL OR json_type(doc) <> 'OBJECT';

INSERT INTO batch_records SELECT row_id, company_id, report_hash, scope_year FROM report_rows;
INSERT INTO ledger.dirty_reports SELECT DISTINCT company_id FROM report_rows;

-- One row a year of each report not known yet; one with rejects is read again, so that they are seen to go on.
CREATE OR REPLACE TEMP TABLE report_years AS
WITH reports AS (
  SELECT row_id, company_id, report_hash, TRY_CAST(doc AS MAP(VARCHAR, MAP(VARCHAR, JSON))) AS years, doc
  FROM report_rows
  WHERE row_id = first_row
    AND (company_id, report_hash) NOT IN (SELECT (company_id, report_hash) FROM ledger.reports WHERE source = 'v2' AND clean)
),
unnested AS (
  SELECT
    row_id,
    company_id,
    report_hash,
    unnest(map_keys(years)) AS year_key,
    unnest(map_values(years)) AS indicators,
    len(list_distinct(map_keys(years))) < cardinality(years) AS has_duplicates
  FROM reports
)
SELECT
  u.*,
  CASE WHEN regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN CAST(year_key AS INTEGER) END AS fiscal_year,
  CASE
    WHEN NOT regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN 'not_a_year'
    WHEN has_duplicates AND count(*) OVER (PARTITION BY row_id, year_key) > 1 THEN 'duplicate_key'
    -- null is a year without figures; any other value that is no object is wrong.
    WHEN indicators IS NULL AND json_type(json_member(r.doc, year_key)) <> 'NULL' THEN 'not_an_object'
  END AS reason,
  CASE WHEN reason IS NOT NULL THEN CAST(json_member(r.doc, year_key) AS VARCHAR) END AS raw
FROM unnested AS u
JOIN reports AS r USING (row_id);

-- One row a value. `v` is its JSON text, `t` its text when it came as text (or as a boolean), `d` its number.
CREATE OR REPLACE TEMP TABLE report_long AS
WITH cells AS (
  SELECT
    row_id,
    company_id,
    report_hash,
    fiscal_year,
    unnest(map_keys(indicators)) AS indicator,
    CAST(unnest(map_values(indicators)) AS VARCHAR) AS v
  FROM report_years
  WHERE reason IS NULL AND len(list_distinct(map_keys(indicators))) = cardinality(indicators)
  UNION ALL
  -- A name twice in one year: harmless when both say the same, unreadable when not.
  SELECT row_id, company_id, report_hash, fiscal_year, indicator,
    CASE WHEN count(DISTINCT v) = 1 THEN min(v) ELSE '[' || string_agg(v, ',' ORDER BY v) || ']' END AS v
  FROM (
    SELECT *, unnest(map_keys(indicators)) AS indicator, coalesce(CAST(unnest(map_values(indicators)) AS VARCHAR), 'null') AS v
    FROM report_years
    WHERE reason IS NULL AND len(list_distinct(map_keys(indicators))) < cardinality(indicators)
  )
  GROUP BY ALL
),
texts AS (
  SELECT *, report_text(v) AS t
  FROM cells
  WHERE v IS NOT NULL AND v <> 'null' AND v <> '""'
),
numbers AS (
  SELECT *, report_number(v, t) AS d FROM texts
)
SELECT *, report_fault(v, d, indicator IN (SELECT indicator FROM seed_indicators WHERE kind <> 'string')) AS reason
FROM numbers
WHERE t IS DISTINCT FROM '';

-- Rejects belong to every row that brought the same report.
INSERT INTO batch_rejects
WITH found AS (
  SELECT row_id AS first_row, reason, json_path(year_key) AS path, raw FROM report_years WHERE reason IS NOT NULL
  UNION ALL
  SELECT row_id, reason, json_path(CAST(fiscal_year AS VARCHAR)) || '.' || json_path(indicator)[3:], v FROM report_long WHERE reason IS NOT NULL
)
SELECT r.row_id, f.reason, f.path, f.raw FROM found AS f JOIN report_rows AS r USING (first_row);

INSERT INTO ledger.report_values BY NAME
SELECT
  company_id,
  'v2' AS source,
  report_hash,
  fiscal_year,
  indicator,
  CASE WHEN reason IS NULL THEN d END AS value_double,
  -- A number where the reference says text is both.
  CASE WHEN reason IS NULL THEN coalesce(t, CASE WHEN indicator IN (SELECT indicator FROM seed_indicators WHERE kind = 'string') THEN v END) END
    AS value_text
FROM report_long
WHERE (company_id, report_hash) NOT IN (SELECT (company_id, report_hash) FROM ledger.reports WHERE source = 'v2');

INSERT INTO ledger.report_values BY NAME
SELECT DISTINCT company_id, 'v2' AS source, report_hash, fiscal_year
FROM report_years
WHERE reason IS NOT NULL
  AND fiscal_year IS NOT NULL
  AND (company_id, report_hash) NOT IN (SELECT (company_id, report_hash) FROM ledger.reports WHERE source = 'v2');

INSERT INTO ledger.reports
SELECT company_id, 'v2', report_hash, row_id NOT IN (SELECT row_id FROM batch_rejects)
FROM report_rows
WHERE row_id = first_row
  AND (company_id, report_hash) NOT IN (SELECT (company_id, report_hash) FROM ledger.reports WHERE source = 'v2');
