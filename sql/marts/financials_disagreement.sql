/*
model: marts.financials_disagreement
kind: incremental
version: 1
grain: indicator of a fiscal year of a company of which both versions of the API state a value, and not the same
key: [company_id, fiscal_year, indicator]
description: >-
  Where the two versions of the API contradict each other. 1.5 and "1.5" are one value; what only one of them states is no
  contradiction. Often the dates explain it: an interim report against the one of the whole year, or an old answer against a new one.
incremental:
  by: [company_id]
  changed: SELECT DISTINCT company_id FROM ledger.dirty_reports
  all: SELECT DISTINCT company_id FROM ledger.reports
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Year of the reports
  indicator: VARCHAR | Name of the indicator, as the API writes it
  v2_double: DOUBLE | Value of v2 as a number; NULL where it is no number
  v1_double: DOUBLE | Value of v1 as a number; NULL where it is no number
  v2_text: VARCHAR | Value of v2 as text, where it came as text
  v1_text: VARCHAR | Value of v1 as text, where it came as text
  difference: DOUBLE | v1_double less v2_double; NULL unless both are numbers, and where no DOUBLE holds it
  share: DOUBLE | difference in proportion to v2_double, without sign; NULL where that is 0, and where no DOUBLE holds it
  currency: VARCHAR | Currency v2 states for the year; v1 states none
  v2_reported_date: DATE | Date of the v2 report
  v1_reported_date: DATE | Date of the v1 report
  v2_observed_at: TIMESTAMPTZ | When the v2 report was last read
  v1_observed_at: TIMESTAMPTZ | When the v1 report was last read
*/
SELECT company_id, fiscal_year, indicator,
  v2.value_double AS v2_double, v1.value_double AS v1_double, v2.value_text AS v2_text, v1.value_text AS v1_text,
  CASE WHEN isfinite(v1.value_double - v2.value_double) THEN v1.value_double - v2.value_double END AS difference,
  CASE
    WHEN isfinite((v1.value_double - v2.value_double) / nullif(v2.value_double, 0))
    THEN abs((v1.value_double - v2.value_double) / nullif(v2.value_double, 0))
  END AS share,
  v2.currency, v2.reported_date AS v2_reported_date, v1.reported_date AS v1_reported_date,
  v2.observed_at AS v2_observed_at, v1.observed_at AS v1_observed_at
FROM (SELECT * FROM core.financials SEMI JOIN changed USING (company_id) WHERE source = 'v2') AS v2
JOIN (SELECT * FROM core.financials SEMI JOIN changed USING (company_id) WHERE source = 'v1') AS v1
  USING (company_id, fiscal_year, indicator)
WHERE CASE
  WHEN v1.value_double IS NOT NULL AND v2.value_double IS NOT NULL THEN v1.value_double <> v2.value_double
  -- A text that is a number has its number, too: so a number never equals a text without one.
  ELSE v1.value_text IS DISTINCT FROM v2.value_text
END
