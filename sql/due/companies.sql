-- Due: companies that were never answered, have changed, failed last time, or are stale. A 404 is an answer, too. A
-- company answered with 404 is due again if it returns to the market or if the answer is stale.
WITH record AS (
  SELECT company_id, arg_max(record_hash, (observed_at, record_hash)) AS record_hash
  FROM ledger.observations
  WHERE stream = 'companies' AND readable
  GROUP BY company_id
),

-- Start of each run's search. The search results of a run are older than the company records of the same run.
searches AS (
  SELECT run, min(observed_at) AS began_at FROM ledger.observations WHERE stream = 'prospecting' GROUP BY run
),

answers AS (
  SELECT o.entity_id, max(coalesce(s.began_at, o.observed_at)) AS known_at
  FROM ledger.observations AS o
  JOIN ledger.answers AS a ON a.stream = o.stream AND a.entity_id = o.entity_id AND a.answered_at = o.observed_at
  LEFT JOIN searches AS s USING (run)
  WHERE o.stream = 'companies'
  GROUP BY o.entity_id
),

statuses AS (
  SELECT CAST(id AS VARCHAR) AS id, max(lower(name)) AS name
  FROM ledger.nomenclature_items
  WHERE entity_id = 'v1' AND list = 'company_status'
  GROUP BY id
),

-- For each company and field: the latest value in search results. A status id is replaced by its name, as in the
-- company record. `otherwise_at` is the last time when a search result had another value.
told AS (
  SELECT v.company_id, v.field, CASE v.field WHEN 'name' THEN v.value ELSE s.name END AS value, v.first_at,
    lead(v.last_at) OVER latest_first AS otherwise_at
  FROM ledger.search_values AS v
  LEFT JOIN statuses AS s ON v.field = 'company_status' AND s.id = v.value
  WHERE v.company_id IN (SELECT company_id FROM known_companies)
  WINDOW latest_first AS (PARTITION BY v.company_id, v.field ORDER BY v.last_at DESC, v.value DESC)
  QUALIFY row_number() OVER latest_first = 1
),

-- Companies whose latest search result differs from their record, so the record may be outdated. Some search results
-- always differ, for example in spelling, or because the search index is updated late. So a search result counts only
-- if it changed after the record was fetched. A status counts only if both values are names in the lookup list.
contradicted AS (
  SELECT t.company_id, CASE min(t.field) WHEN 'company_status' THEN 'status' ELSE 'renamed' END AS reason
  FROM told AS t
  JOIN record AS l USING (company_id)
  JOIN ledger.company_records AS r USING (company_id, record_hash)
  JOIN asked_companies AS a USING (company_id)
  JOIN answers AS k USING (entity_id)
  WHERE (t.first_at > a.answered_at OR t.otherwise_at >= k.known_at)
    AND CASE t.field
      WHEN 'name' THEN r.name <> t.value
      ELSE lower(r.status) <> t.value AND lower(r.status) IN (SELECT name FROM statuses)
    END
  GROUP BY t.company_id
)

SELECT
  entity_id,
  CASE
    WHEN is_new AND never_asked THEN 'new'
    WHEN never_asked THEN 'unfetched'
    WHEN has_event THEN 'event'
    WHEN c.reason IS NOT NULL THEN c.reason
    WHEN has_entered THEN 'entered'
    WHEN has_left THEN 'left'
    WHEN is_failed THEN 'failed'
    WHEN is_stale THEN 'stale'
  END AS reason,
  answered_at,
  company_id
FROM asked_companies
LEFT JOIN contradicted AS c USING (company_id)
