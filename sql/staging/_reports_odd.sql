-- Runs after the second pass of v2 and v1 reports. Adds the values in `odd_values` to `batch_values`. For each year (v1:
-- report) in `odd_years` that could not be read, adds a row without values. Its year and date are NULL if they are
-- unreadable.
INSERT INTO base.indicator_ids
SELECT (SELECT max(id) FROM base.indicator_ids) + row_number() OVER (ORDER BY indicator), indicator, NULL
FROM (SELECT DISTINCT indicator FROM odd_values ANTI JOIN base.indicator_ids USING (indicator) WHERE is_new);

INSERT INTO batch_values BY NAME
SELECT
  COLUMNS(c -> c IN ('report_id', 'fiscal_year', 'report_date', 'progress', 'processed_at')),
  id AS ind,
  CASE WHEN reason IS NULL THEN d END AS value_double,
  -- If the reference says that a value is text, fill both value columns for a number.
  CASE WHEN reason IS NULL THEN coalesce(t, CASE WHEN kind = 'string' THEN v END) END AS value_text
FROM odd_values
JOIN base.indicator_ids USING (indicator)
WHERE is_new
UNION ALL BY NAME
SELECT DISTINCT COLUMNS(c -> c IN ('report_id', 'fiscal_year', 'report_date')) FROM odd_years WHERE reason IS NOT NULL AND is_new;
