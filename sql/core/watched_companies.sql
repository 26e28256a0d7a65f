/*
model: core.watched_companies
kind: table
version: 1
grain: watched company
key: [company_id]
description: Companies that are watched, according to the latest listing that was read completely.
columns:
  company_id: BIGINT | Id of the company
  fields: VARCHAR[] | Watched fields by their current names, sorted; an old name that may mean several fields is kept
  since: DATE | Date that the listing states; NULL if none
*/
WITH listings AS (
  SELECT run, max(observed_at) AS observed_at
  FROM ledger.observations
  WHERE stream = 'watched_companies'
  GROUP BY run
  -- Only the last answer of each page counts.
  HAVING run NOT IN (
    SELECT run FROM (
      SELECT run, entity_id, arg_max(readable, observed_at) AS readable
      FROM ledger.observations
      WHERE stream = 'watched_companies'
      GROUP BY ALL
    )
    WHERE NOT readable
  )
)

SELECT company_id,
  list_sort(list_distinct(list_transform(arg_max(fields, (observed_at, fields)), lambda f: watch_field(f)))) AS fields,
  arg_max(since, (observed_at, since)) AS since
FROM ledger.watched_companies
WHERE run = (SELECT run FROM listings ORDER BY observed_at DESC, run DESC LIMIT 1)
GROUP BY company_id
