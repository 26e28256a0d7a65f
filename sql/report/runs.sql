SELECT run_id AS run, workflow_id, workflow_type AS type, market, date, started_at,
  date_diff('second', started_at, finished_at) AS seconds, outcome, requests, rows, note, held_back,
  -- Files published by older versions lack this column.
  coalesce(list_transform(TRY_CAST(to_json(r) -> '$.why' AS JSON[]), lambda item: item ->> '$.reason'), []) AS why,
  json_exists(to_json(r), '$.why') AND outcome = 'partial' AND (to_json(r) ->> '$.why') IS NULL AS is_mended
FROM ops.runs AS r
ORDER BY started_at DESC, run_id DESC
LIMIT 25
