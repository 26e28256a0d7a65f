-- Runs after prospecting.sql. Writes what `sighted` says of companies into the ledger.
INSERT INTO ledger.pending_sightings
SELECT DISTINCT s.run, s.market, s.date, s.company_id
FROM sighted AS s
ANTI JOIN (
  FROM ledger.market_sightings WHERE run IN (SELECT run FROM batch)
) AS old ON old.run = s.run AND old.company_id = s.company_id AND old.market IS NOT DISTINCT FROM s.market;

INSERT INTO ledger.dirty_nights SELECT DISTINCT market, date FROM batch WHERE market IS NOT NULL;

-- New pages change a run's coverage. Mark the runs, so that their coverage is computed again.
INSERT INTO ledger.dirty_runs SELECT DISTINCT run FROM batch;

-- Sightings with the status to which the search was narrowed: if a search filters by a single status, every company on its
-- page has this status. The filters are part of request_key. `is_known`: the sighting says only that the company still has
-- the same name and status.
CREATE OR REPLACE TEMP TABLE compared AS
WITH narrowed AS (
  SELECT row_id, json_extract(TRY_CAST(regexp_extract(request_key, '\{.*\}') AS JSON), '$.filters.company_status') AS statuses,
    json_text(json_extract(statuses, '$[0]')) AS status
  FROM batch
  WHERE starts_with(request_key, 'POST /v2/prospecting ') AND json_array_length(statuses) = 1
)
SELECT
  s.company_id,
  s.observed_at,
  s.name,
  n.status,
  coalesce(
    s.observed_at >= old.sighted_at AND s.name IS NOT DISTINCT FROM old.name
      AND (n.status IS NULL OR (n.status = old.status AND s.observed_at >= old.status_at)),
    false
  ) AS is_known
FROM sighted AS s
LEFT JOIN narrowed AS n USING (row_id)
LEFT JOIN base.company_seen AS old USING (company_id);

-- Most companies of a night are known.
UPDATE base.company_seen AS old
SET
  last_seen_at = greatest(old.last_seen_at, new.sighted_at),
  sighted_at = new.sighted_at,
  status_at = coalesce(new.status_at, old.status_at)
FROM (
  SELECT company_id, max(observed_at) AS sighted_at, max(observed_at) FILTER (status IS NOT NULL) AS status_at
  FROM compared
  GROUP BY company_id
  HAVING bool_and(is_known)
) AS new
WHERE old.company_id = new.company_id;

CREATE OR REPLACE TEMP TABLE differing AS
SELECT c.* EXCLUDE (is_known) FROM compared AS c SEMI JOIN (FROM compared WHERE NOT is_known) USING (company_id);

-- ledger.told_values has no row for the last time of the latest name and status. So write this time before another value
-- takes their place.
UPDATE ledger.told_values AS told
SET last_at = greatest(told.last_at, CASE told.field WHEN 'name' THEN seen.sighted_at ELSE seen.status_at END)
FROM (FROM base.company_seen SEMI JOIN differing USING (company_id)) AS seen
WHERE told.company_id = seen.company_id
  AND ((told.field = 'name' AND told.value = seen.name) OR (told.field = 'company_status' AND told.value = seen.status));

MERGE INTO ledger.told_values AS old
USING (
  SELECT company_id, field, value, min(observed_at) AS first_at, max(observed_at) AS last_at
  FROM (
    SELECT company_id, 'name' AS field, name AS value, observed_at FROM differing
    UNION ALL
    SELECT company_id, 'company_status', status, observed_at FROM differing
  )
  WHERE value IS NOT NULL
  GROUP BY ALL
) AS new ON old.company_id = new.company_id AND old.field = new.field AND old.value = new.value
WHEN MATCHED THEN UPDATE SET first_at = least(old.first_at, new.first_at), last_at = greatest(old.last_at, new.last_at)
WHEN NOT MATCHED THEN INSERT VALUES (new.company_id, new.field, new.value, new.first_at, new.last_at);

MERGE INTO base.company_seen AS old
USING (
  SELECT
    company_id,
    min(observed_at) AS first_at,
    max(observed_at) AS last_at,
    -- If two names or statuses have the same time, use the alphabetically later one. So the result does not depend on the
    -- order of loading.
    max((observed_at, coalesce(name, ''))) AS naming,
    max((observed_at, status)) FILTER (status IS NOT NULL) AS rating
  FROM differing
  GROUP BY company_id
) AS new ON old.company_id = new.company_id
WHEN MATCHED THEN UPDATE SET
  first_seen_at = least(old.first_seen_at, new.first_at),
  last_seen_at = greatest(old.last_seen_at, new.last_at),
  name = CASE
    WHEN old.sighted_at IS NULL OR new.naming > (old.sighted_at, coalesce(old.name, '')) THEN nullif(new.naming[2], '')
    ELSE old.name
  END,
  sighted_at = greatest(old.sighted_at, new.last_at),
  status = CASE WHEN old.status_at IS NULL OR new.rating > (old.status_at, old.status) THEN new.rating[2] ELSE old.status END,
  status_at = greatest(old.status_at, new.rating[1])
WHEN NOT MATCHED THEN INSERT (company_id, first_seen_at, last_seen_at, sighted_at, name, status, status_at)
  VALUES (new.company_id, new.first_at, new.last_at, new.last_at, nullif(new.naming[2], ''), new.rating[2], new.rating[1]);
