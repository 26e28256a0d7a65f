-- Forecasts of the latest three runs that made a forecast.
WITH latest AS (
  SELECT run_id, date, market, started_at
  FROM ops.runs
  WHERE run_id IN (SELECT run FROM ops.forecasts)
  ORDER BY started_at DESC
  LIMIT 3
)

SELECT f.run, r.date, r.market, f.stream, f.forecast_requests AS forecast, f.actual_requests AS actual, f.basis
FROM ops.forecasts AS f
JOIN latest AS r ON r.run_id = f.run
ORDER BY r.started_at DESC, f.forecast_requests DESC, f.stream
