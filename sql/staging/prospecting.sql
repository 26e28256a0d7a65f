-- Loads pages of companies (id, name) from POST /v2/prospecting and POST /v1/finder/companies. Skips pages of version 1
-- that the planner requested only as a test (`#probe`), because their companies may not belong to the market.
INSERT INTO batch_rejects
SELECT row_id, 'no_data', '$', CAST(doc AS VARCHAR)
FROM batch
WHERE doc IS NOT NULL AND NOT json_is_list(json_extract(doc, '$.data'));

CREATE OR REPLACE TEMP TABLE sighted AS
WITH items AS (
  SELECT
    row_id, run, market, date, observed_at,
    unnest(json_items(json_extract(doc, '$.data'))) AS item,
    generate_subscripts(json_items(json_extract(doc, '$.data')), 1) - 1 AS i
  FROM batch
  WHERE doc IS NOT NULL AND NOT ends_with(request_key, '#probe')
)
SELECT
  *,
  json_repeats(item) AS repeats,
  CASE WHEN NOT repeats THEN json_id(json_extract(item, '$.id')) END AS company_id,
  json_text(json_extract(item, '$.name')) AS name
FROM items;

INSERT INTO batch_rejects
SELECT row_id, CASE WHEN repeats THEN 'duplicate_key' ELSE json_id_fault(json_extract(item, '$.id')) END, '$.data[' || i || ']', CAST(item AS VARCHAR)
FROM sighted
WHERE company_id IS NULL;

INSERT INTO batch_rejects
SELECT row_id, 'wrong_type', '$.data[' || i || '].name', CAST(json_extract(item, '$.name') AS VARCHAR)
FROM sighted
WHERE company_id IS NOT NULL AND json_is_nested(json_extract(item, '$.name'));

INSERT INTO ledger.market_sightings
SELECT DISTINCT run, market, date, company_id FROM sighted WHERE company_id IS NOT NULL
EXCEPT
SELECT * FROM ledger.market_sightings WHERE run IN (SELECT DISTINCT run FROM batch);

INSERT INTO ledger.dirty_nights SELECT DISTINCT market, date FROM batch WHERE market IS NOT NULL;

-- New pages change a run's coverage. Mark the runs, so that their coverage is computed again.
INSERT INTO ledger.dirty_runs SELECT DISTINCT run FROM batch;

MERGE INTO ledger.company_seen AS old
USING (
  SELECT
    company_id,
    min(observed_at) AS first_at,
    max(observed_at) AS last_at,
    -- If two names have the same time, use the alphabetically later one. So the result does not depend on the order of
    -- loading.
    max((observed_at, coalesce(name, ''))) AS sighting
  FROM sighted
  WHERE company_id IS NOT NULL
  GROUP BY company_id
) AS new ON old.company_id = new.company_id
WHEN MATCHED THEN UPDATE SET
  first_seen_at = least(old.first_seen_at, new.first_at),
  last_seen_at = greatest(old.last_seen_at, new.last_at),
  name = CASE
    WHEN old.sighted_at IS NULL OR new.sighting > (old.sighted_at, coalesce(old.name, '')) THEN nullif(new.sighting[2], '')
    ELSE old.name
  END,
  sighted_at = greatest(old.sighted_at, new.last_at)
WHEN NOT MATCHED THEN INSERT VALUES (new.company_id, new.first_at, new.last_at, new.last_at, nullif(new.sighting[2], ''));

-- If a search filters by a single status, every company on its page has this status. The filters are part of
-- request_key.
MERGE INTO ledger.search_values AS old
USING (
  WITH narrowed AS (
    SELECT row_id, json_extract(TRY_CAST(regexp_extract(request_key, '\{.*\}') AS JSON), '$.filters.company_status') AS status
    FROM batch
    WHERE starts_with(request_key, 'POST /v2/prospecting ')
  ),

  told AS (
    SELECT company_id, 'name' AS field, name AS value, observed_at FROM sighted
    UNION ALL
    SELECT s.company_id, 'company_status', json_text(json_extract(n.status, '$[0]')), s.observed_at
    FROM sighted AS s
    JOIN narrowed AS n USING (row_id)
    WHERE json_array_length(n.status) = 1
  )

  SELECT company_id, field, value, min(observed_at) AS first_at, max(observed_at) AS last_at
  FROM told
  WHERE company_id IS NOT NULL AND value IS NOT NULL
  GROUP BY ALL
) AS new ON old.company_id = new.company_id AND old.field = new.field AND old.value = new.value
WHEN MATCHED THEN UPDATE SET first_at = least(old.first_at, new.first_at), last_at = greatest(old.last_at, new.last_at)
WHEN NOT MATCHED THEN INSERT VALUES (new.company_id, new.field, new.value, new.first_at, new.last_at);
