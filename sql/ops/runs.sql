/*
model: ops.runs
kind: table
version: 1
grain: run
key: [run_id]
description: >-
  Every run of a top-level workflow, with its result after it has ended. The columns why, records_missing and rejects describe
  what is missing now: they leave out what a later run has fetched.
columns:
  workflow_id: VARCHAR | Temporal workflow id
  run_id: VARCHAR | Temporal run id of the first execution; other tables have it in the column run
  workflow_type: VARCHAR | Temporal workflow type
  market: VARCHAR | Market; NULL for a run without a market
  date: DATE | Date of the night that the run belongs to
  as_of_now: BOOLEAN | False for a run of a past date, which stores no current state
  started_at: TIMESTAMPTZ | When the run started
  finished_at: TIMESTAMPTZ | When the run's crawl ended; NULL before the end
  outcome: VARCHAR | running, complete (proven), partial, stopped, failed, cancelled, terminated, timed_out or lost (Temporal no longer knows the run)
  crawled: VARCHAR | How the run's crawl ended (complete, partial or stopped), even if the run failed or was cancelled later; NULL if the crawl did not end
  requests: BIGINT | Requests sent, retries included
  rows: BIGINT | Responses written to the landing zone
  config_hash: VARCHAR | Hash of the configuration that the run used
  note: VARCHAR | Remarks of the run, such as work that it left out; NULL if none
  held_back: VARCHAR | Why the night missed the publish thresholds and did not become the current night of its market; NULL if it did become current, or if the run searched no market
  why: JSON | What is missing, as an array of code, values and reason (a sentence), most important first; NULL if nothing is known to be missing
  records_missing: JSON | Number of records that the run should have fetched and that are still missing, by stream; NULL if none is
  rejects: BIGINT | Open rejects in the run's answers
  refused: JSON | Requests that the API refused for lack of a permission, as an array of stream, endpoint, permission, module, app, guard and message; NULL if none
*/
WITH ended AS (
  SELECT
    r.*,
    body ->> '$.crawled' AS crawl,
    -- A run records its outcome before its records are loaded. After loading, the warehouse may prove less coverage.
    record_key IN (SELECT run FROM ops.coverage WHERE NOT is_proven) AS is_short
  FROM ledger.run_records AS r
  WHERE stream = 'runs'
),

-- Wrong records and values of each run that no later answer replaced.
rejected AS (
  SELECT run, stream, count(*) AS rejects,
    count(DISTINCT entity_id) FILTER (path = '$' AND reason = 'http_error') AS failed,
    count(DISTINCT entity_id) FILTER (path = '$' AND reason <> 'http_error') AS unreadable
  FROM (SELECT DISTINCT run, stream, entity_id, reason, path FROM ledger.rejects) AS r
  SEMI JOIN (FROM ops.rejects WHERE resolved_at IS NULL) AS o USING (stream, entity_id, reason, path)
  GROUP BY ALL
),

-- Records that the run should have fetched, by stream. If its crawl did not end, or the API refused a request, it did not
-- request all of them.
due AS (
  SELECT d.run, d.stream, sum(d.entities) AS entities, any_value(e.crawl) AS crawl,
    coalesce(bool_or(e.crawl IS DISTINCT FROM 'complete' AND e.crawl IS DISTINCT FROM 'partial' OR e.refused IS NOT NULL), false) AS is_cut
  FROM ops.due AS d
  JOIN (
    SELECT record_key AS run, crawl, json_extract(body, '$.refused') AS refused
    FROM ended
    WHERE (body ->> '$.finished_at') IS NOT NULL
  ) AS e USING (run)
  WHERE d.reason <> 'fresh'
  GROUP BY ALL
),

requested AS (
  SELECT run, stream, count(DISTINCT entity_id) AS entities
  FROM ledger.observations
  SEMI JOIN (FROM due WHERE is_cut) AS d USING (run, stream)
  GROUP BY ALL
),

missing AS (
  SELECT run, stream, unnest([
    {'code': 'records_failed', 'records': coalesce(failed, 0)},
    {'code': 'records_unreadable', 'records': coalesce(unreadable, 0)},
    {'code': 'records_not_requested', 'records': CASE WHEN is_cut THEN greatest(d.entities - coalesce(q.entities, 0), 0) ELSE 0 END}
  ], recursive := true)
  FROM due AS d
  LEFT JOIN rejected AS r USING (run, stream)
  LEFT JOIN requested AS q USING (run, stream)
),

records AS (
  SELECT run,
    list(to_json({'code': code, 'values': {'stream': stream, 'records': records}, 'reason': records_sentence(code, stream, records)})
      ORDER BY stream, code) AS why,
    to_json(map_from_entries(list((stream, CAST(total AS BIGINT)) ORDER BY stream) FILTER (nth = 1))) AS by_stream
  FROM (
    SELECT *, sum(records) OVER (PARTITION BY run, stream) AS total, row_number() OVER (PARTITION BY run, stream ORDER BY code) AS nth
    FROM missing
    WHERE records > 0
  )
  GROUP BY run
),

-- Companies that were not loaded. For a run that recorded no reasons, also the reasons for all other gaps.
gaps AS (
  SELECT run,
    list(gap) FILTER (class = 'unloaded') AS unloaded,
    list(gap ORDER BY missing DESC, gap ->> '$.reason') FILTER (class <> 'unloaded') AS others
  FROM (
    SELECT run, gap ->> '$.class' AS class, coalesce(TRY_CAST(gap ->> '$.missing' AS BIGINT), 0) AS missing,
      to_json({'code': gap ->> '$.code', 'values': json_extract(gap, '$.values'), 'reason': gap ->> '$.reason'}) AS gap
    FROM (SELECT run, unnest(json_items(why)) AS gap FROM ops.coverage WHERE NOT is_proven)
  )
  GROUP BY run
),

told AS (
  SELECT e.*, b.by_stream, coalesce(j.rejects, 0) AS rejects,
    list_concat(
      CASE
        WHEN json_type(body, '$.why') = 'ARRAY'
        THEN list_filter(json_items(json_extract(body, '$.why')), lambda item: (item ->> '$.code') NOT IN ('records_failed', 'unloaded'))
        -- A run that failed or was stopped may have recorded a note only.
        WHEN (body ->> '$.outcome') NOT IN ('complete', 'running') AND (body ->> '$.note') IS NOT NULL
        THEN [to_json({'code': body ->> '$.outcome', 'values': CAST('{}' AS JSON), 'reason': body ->> '$.note'})]
        WHEN is_short THEN coalesce(list_slice(g.others, 1, 5), CAST([] AS JSON[]))
        ELSE CAST([] AS JSON[])
      END,
      b.why,
      g.unloaded
    ) AS known,
    -- Also says so if no reason was recorded.
    CASE
      WHEN len(known) = 0 AND is_short
      THEN [to_json({'code': 'unlisted', 'values': CAST('{}' AS JSON), 'reason': 'The search is not proven to be complete, so companies may be missing.'})]
      ELSE known
    END AS why
  FROM ended AS e
  LEFT JOIN records AS b ON b.run = e.record_key
  LEFT JOIN gaps AS g ON g.run = e.record_key
  LEFT JOIN (SELECT run, CAST(sum(rejects) AS BIGINT) AS rejects FROM rejected GROUP BY run) AS j ON j.run = e.record_key
)

SELECT
  body ->> '$.workflow_id' AS workflow_id,
  record_key AS run_id,
  body ->> '$.workflow_type' AS workflow_type,
  body ->> '$.market' AS market,
  TRY_CAST(body ->> '$.date' AS DATE) AS date,
  coalesce(TRY_CAST(body ->> '$.as_of_now' AS BOOLEAN), false) AS as_of_now,
  TRY_CAST(body ->> '$.started_at' AS TIMESTAMPTZ) AS started_at,
  TRY_CAST(body ->> '$.finished_at' AS TIMESTAMPTZ) AS finished_at,
  CASE WHEN is_short AND (body ->> '$.outcome') = 'complete' THEN 'partial' ELSE body ->> '$.outcome' END AS outcome,
  CASE
    WHEN is_short AND crawl = 'complete' THEN 'partial'
    WHEN crawl IN ('complete', 'partial', 'stopped') THEN crawl
  END AS crawled,
  TRY_CAST(body ->> '$.requests' AS BIGINT) AS requests,
  TRY_CAST(body ->> '$.rows' AS BIGINT) AS rows,
  body ->> '$.config_hash' AS config_hash,
  body ->> '$.note' AS note,
  body ->> '$.held_back' AS held_back,
  CASE WHEN len(why) > 0 THEN to_json(why) END AS why,
  by_stream AS records_missing,
  rejects,
  json_extract(body, '$.refused') AS refused
FROM told
