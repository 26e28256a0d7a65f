-- Loads answers of POST /v1/finder/tenders: one page of tender summaries.
INSERT INTO batch_rejects
SELECT row_id, 'no_data', '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL AND NOT json_is_list(json_extract(doc, '$.data'));

CREATE OR REPLACE TEMP TABLE summaries AS
WITH items AS (
  SELECT
    row_id, run, observed_at, body_hash,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM batch
  WHERE doc IS NOT NULL
),
fields AS (
  SELECT
    *,
    json_transform(item, '{"slug":"JSON", "title":"JSON", "status":"JSON", "project_type":"JSON", "announced_date":"JSON",
      "deadline_date":"JSON", "countries":"JSON"}') AS f,
    json_repeats(item) AS repeats
  FROM items
),
said AS (
  SELECT *, json_text(f.announced_date) AS announced, json_text(f.deadline_date) AS deadline FROM fields
)
SELECT
  * EXCLUDE (f, announced, deadline),
  CASE WHEN NOT repeats THEN json_text(f.slug) END AS slug,
  json_text(f.title) AS title,
  json_text(f.status) AS status,
  json_text(f.project_type) AS project_type,
  text_date(announced) AS announced_date,
  text_date(deadline) AS deadline_date,
  json_texts(f.countries) AS countries,
  -- Keep fields that the reference does not list, as received.
  nullif(CAST(json_merge_patch(item, '{
    "slug":null, "title":null, "status":null, "project_type":null, "announced_date":null, "deadline_date":null, "countries":null
  }') AS VARCHAR), '{}') AS extra,
  text_wall_clock(announced) AS announced_at,
  text_wall_clock(deadline) AS deadline_at,
  list_faults('$.data[' || i || '].countries', f.countries) AS country_faults,
  [
    {'path': 'title', 'v': f.title}, {'path': 'status', 'v': f.status}, {'path': 'project_type', 'v': f.project_type},
    {'path': 'announced_date', 'v': f.announced_date}, {'path': 'deadline_date', 'v': f.deadline_date}
  ] AS plain
FROM said;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' ELSE 'no_slug' END, '$.data[' || i || ']', CAST(item AS VARCHAR)
FROM summaries
WHERE slug IS NULL;

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.data[' || i || '].' || path, CAST(v AS VARCHAR)
FROM (SELECT row_id, i, unnest(plain, recursive := true) FROM summaries)
WHERE json_is_nested(v);

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', f.path, CAST(f.v AS VARCHAR) FROM (SELECT row_id, unnest(country_faults) AS f FROM summaries);

CREATE OR REPLACE TEMP TABLE summary_dates AS
SELECT row_id, '$.data[' || i || '].' || path AS path, v, json_text(v) AS text
FROM (SELECT row_id, i, unnest(plain[4:5], recursive := true) FROM summaries);

INSERT INTO batch_rejects
SELECT row_id, 'not_a_date', path, CAST(v AS VARCHAR) FROM summary_dates WHERE text IS NOT NULL AND text_date(text) IS NULL
UNION ALL
SELECT row_id, 'not_a_time', path, CAST(v AS VARCHAR) FROM summary_dates WHERE text_has_bad_time(text);

CREATE OR REPLACE TEMP TABLE summary_typed AS
SELECT
  run, slug, 'summary' AS source, observed_at, title, status, project_type, announced_date, deadline_date, announced_at, deadline_at, countries, extra,
  sha256(CAST(to_json([title, status, project_type, coalesce(CAST(announced_at AS VARCHAR), CAST(announced_date AS VARCHAR)),
    coalesce(CAST(deadline_at AS VARCHAR), CAST(deadline_date AS VARCHAR)),
    array_to_string(list_sort(countries), chr(31))]) AS VARCHAR)) AS body_hash
FROM summaries
WHERE slug IS NOT NULL;

INSERT INTO ledger.tender_sightings SELECT DISTINCT run, slug, observed_at, body_hash FROM summary_typed;

MERGE INTO ledger.tender_records AS old
USING (
  SELECT * EXCLUDE (run)
  FROM summary_typed
  QUALIFY row_number() OVER (PARTITION BY slug ORDER BY observed_at DESC, body_hash DESC, extra DESC) = 1
) AS new ON old.slug = new.slug AND old.source = new.source
-- body_hash does not include `extra`, so compare `extra`, too.
WHEN MATCHED
  AND (new.observed_at, new.body_hash, coalesce(new.extra, '')) > (old.observed_at, old.body_hash, coalesce(CAST(old.extra AS VARCHAR), ''))
THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

MERGE INTO ledger.tender_versions AS old
USING (
  SELECT * EXCLUDE (run, extra, body_hash), body_hash AS record_hash, body_hash
  FROM summary_typed
  QUALIFY row_number() OVER (PARTITION BY slug, body_hash ORDER BY observed_at) = 1
) AS new ON old.slug = new.slug AND old.source = new.source AND old.record_hash = new.record_hash
WHEN MATCHED AND new.observed_at < old.observed_at THEN UPDATE BY NAME
WHEN NOT MATCHED THEN INSERT BY NAME;

INSERT INTO ledger.dirty_tenders SELECT DISTINCT slug FROM summary_typed;
