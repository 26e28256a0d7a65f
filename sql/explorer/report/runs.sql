SELECT run_id AS run, workflow_id, workflow_type AS type, market, date, started_at,
  date_diff('second', started_at, finished_at) AS seconds, outcome, requests, rows, note, held_back,
  coalesce(list_transform(TRY_CAST(why AS JSON[]), lambda item: item ->> '$.reason'), []) AS why,
  outcome = 'partial' AND why IS NULL AS is_mended
FROM ops.runs
ORDER BY started_at DESC, run_id DESC
LIMIT 25
