-- The last night of each market and of the tenders, and how good it is.
SELECT run, market, date, outcome, run_outcome, reported_total, companies_found, companies_missing, rejects,
  is_held_back, is_current, list_transform(TRY_CAST(reasons AS JSON[]), lambda item: item ->> '$.reason') AS why
FROM ops.night_quality
WHERE is_last
ORDER BY workflow_type, market
