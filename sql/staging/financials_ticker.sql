-- Loads answers of GET /v2/financial/ticker. The reference does not show them. Reads an object with years as keys, on
-- the first level or one level below (`{"data": {…}}`, `{"<ticker>": {…}}`). Any other answer stays in the landing zone
-- and becomes one reject. entity_id is the ticker.
CREATE OR REPLACE TEMP TABLE ticker_docs AS
WITH docs AS (
  SELECT row_id, entity_id AS ticker, body_hash, doc, TRY_CAST(doc AS MAP(VARCHAR, JSON)) AS members
  FROM batch
  WHERE doc IS NOT NULL
),
inner_objects AS (
  SELECT
    *,
    len(list_filter(map_keys(members), lambda k: regexp_full_match(k, '(1[89]|2[01])[0-9]{2}'))) > 0 AS has_years,
    list_filter(map_entries(members), lambda e: json_type(e.value) = 'OBJECT' OR CAST(e.value AS VARCHAR) = '[]') AS objects
  FROM docs
),
candidates AS (
  SELECT
    *,
    list_filter(objects, lambda e: len(list_filter(json_keys(e.value), lambda k: regexp_full_match(k, '(1[89]|2[01])[0-9]{2}'))) > 0) AS found,
    list_filter(found, lambda e: upper(e.key) = upper(ticker)) AS own
  FROM inner_objects
),
-- Name of the field that contains the report. Empty text if the answer itself is the report. NULL if no field is
-- certain to be the report.
chosen AS (
  SELECT
    row_id, ticker, body_hash, doc,
    CASE
      WHEN has_years OR json_is_blank_map(doc) THEN ''
      WHEN len(found) = 1 THEN found[1].key
      WHEN len(own) = 1 THEN own[1].key
      -- If the only object is empty and nothing else could be a report, the company has no reports.
      WHEN len(found) = 0 AND len(objects) = 1 AND len(json_keys(objects[1].value)) = 0 THEN objects[1].key
    END AS wrapper
  FROM candidates
)
SELECT
  *,
  CASE WHEN wrapper = '' THEN '$' ELSE json_path(wrapper) END AS path,
  CASE WHEN wrapper = '' THEN doc ELSE json_member(doc, wrapper) END AS report
FROM chosen;

INSERT INTO batch_rejects
SELECT
  row_id,
  CASE WHEN wrapper IS NULL THEN 'no_report' WHEN json_repeats(report) THEN 'duplicate_key' ELSE 'too_many_years' END,
  '$',
  CAST(doc AS VARCHAR)
FROM ticker_docs
WHERE wrapper IS NULL OR json_repeats(report) OR len(json_keys(report)) > getvariable('bounds').years;

DELETE FROM ticker_docs WHERE row_id IN (SELECT row_id FROM batch_rejects WHERE path = '$');

CREATE OR REPLACE TEMP TABLE ticker_years AS
WITH members AS (
  SELECT row_id, ticker, body_hash, path, TRY_CAST(report AS MAP(VARCHAR, JSON)) AS years FROM ticker_docs
),
years AS (
  SELECT * EXCLUDE (years), unnest(map_keys(years)) AS year_key, unnest(map_values(years)) AS indicators FROM members
)
SELECT
  row_id,
  ticker,
  body_hash,
  path || json_path(year_key)[2:] AS path,
  CASE WHEN regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN CAST(year_key AS INTEGER) END AS fiscal_year,
  indicators,
  CASE
    WHEN NOT regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}') THEN 'not_a_year'
    WHEN json_type(indicators) <> 'OBJECT' THEN 'not_an_object'
    WHEN json_repeats(indicators) THEN 'duplicate_key'
  END AS reason
FROM years
-- Plain values next to the years, such as the ticker, do not belong to the report. An empty value means a year without
-- values.
WHERE NOT json_is_blank(indicators) AND (json_is_nested(indicators) OR regexp_full_match(year_key, '(1[89]|2[01])[0-9]{2}'));

-- One row per value. `v` is the JSON text of the value. `t` is its text, if it is a string or boolean. `d` is the value
-- as a number.
CREATE OR REPLACE TEMP TABLE ticker_long AS
WITH members AS (
  SELECT row_id, ticker, body_hash, path, fiscal_year, TRY_CAST(indicators AS MAP(VARCHAR, JSON)) AS items
  FROM ticker_years
  WHERE reason IS NULL
),
cells AS (
  SELECT * EXCLUDE (items), unnest(map_keys(items)) AS indicator, CAST(unnest(map_values(items)) AS VARCHAR) AS v FROM members
),
texts AS (
  SELECT *, report_text(v) AS t FROM cells WHERE v <> 'null'
),
numbers AS (
  SELECT *, report_number(v, t) AS d FROM texts WHERE t IS DISTINCT FROM ''
)
SELECT *, report_fault(v, d, indicator IN (SELECT indicator FROM seed_indicators WHERE kind <> 'string')) AS reason FROM numbers;

INSERT INTO batch_rejects
SELECT row_id, reason, path, CAST(indicators AS VARCHAR) FROM ticker_years WHERE reason IS NOT NULL
UNION ALL
SELECT row_id, reason, path || json_path(indicator)[2:], v FROM ticker_long WHERE reason IS NOT NULL;

INSERT INTO ledger.ticker_values BY NAME
SELECT DISTINCT
  ticker,
  body_hash,
  fiscal_year,
  indicator,
  CASE WHEN reason IS NULL THEN d END AS value_double,
  -- If the reference says that a value is text, fill both value columns for a number.
  CASE WHEN reason IS NULL THEN coalesce(t, CASE WHEN indicator IN (SELECT indicator FROM seed_indicators WHERE kind = 'string') THEN v END) END
    AS value_text
FROM ticker_long
ANTI JOIN (SELECT DISTINCT ticker, body_hash FROM ledger.ticker_values) USING (ticker, body_hash)
UNION ALL BY NAME
-- For each year that could not be read, insert a row without values.
SELECT DISTINCT ticker, body_hash, fiscal_year
FROM ticker_years
ANTI JOIN (SELECT DISTINCT ticker, body_hash FROM ledger.ticker_values) USING (ticker, body_hash)
WHERE reason IS NOT NULL AND fiscal_year IS NOT NULL;

INSERT INTO batch_records SELECT row_id, NULL, body_hash, NULL FROM ticker_docs;
