-- Every indicator of one company, with its former values.
WITH former AS (
  SELECT fiscal_year, indicator, source,
    list({value: value_double, text: value_text, valid_from: valid_from, valid_to: valid_to} ORDER BY valid_from DESC) AS former
  FROM core.financials_history
  WHERE company_id = $id AND NOT is_current
  GROUP BY ALL
)

SELECT f.fiscal_year, f.indicator,
  -- core.indicators would read the values of all companies.
  coalesce(i.kind, CASE WHEN f.value_double IS NULL THEN 'string' ELSE 'double' END) AS kind,
  f.value_double AS value, f.value_text AS text, f.currency, f.source, f.observed_at,
  coalesce(h.former, []) AS former
FROM core.financials AS f
LEFT JOIN base.indicator_ids AS i USING (indicator)
LEFT JOIN former AS h USING (fiscal_year, indicator, source)
WHERE f.company_id = $id
ORDER BY f.indicator, f.fiscal_year, f.source
