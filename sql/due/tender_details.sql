-- Due: tenders whose details were never read, or whose entry in the listing changed after the details were last read.
WITH listed AS (
  SELECT slug, arg_max(summary_hash, (observed_at, summary_hash)) AS summary_hash
  FROM ledger.tender_sightings
  WHERE run = (SELECT run FROM plan)
  GROUP BY slug
),

then_listed AS (
  SELECT s.slug, arg_max(s.summary_hash, (s.observed_at, s.summary_hash)) AS summary_hash
  FROM ledger.tender_sightings AS s
  JOIN ledger.answers AS a ON a.stream = 'tender_details' AND a.entity_id = s.slug AND s.observed_at <= a.answered_at
  GROUP BY s.slug
)

SELECT
  l.slug AS entity_id,
  CASE WHEN t.slug IS NULL THEN 'new' WHEN t.summary_hash IS DISTINCT FROM l.summary_hash THEN 'changed' END AS reason,
  CAST(NULL AS TIMESTAMPTZ) AS answered_at,
  CAST(NULL AS BIGINT) AS company_id
FROM listed AS l
LEFT JOIN then_listed AS t USING (slug)
