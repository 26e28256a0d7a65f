/*
model: core.financials_history
kind: view
version: 2
grain: version of a financial value
key: [company_id, fiscal_year, indicator, source, report_date, valid_from]
nullable: [report_date]
description: >-
  Versions of each financial value (restatements). A new version starts with the first report that states another
  value. If a later report of the same years lacks a value, the value ends without a successor. A malformed value is
  ignored, and the version before it stays current. v1 may have several reports of a year; this table has all of them,
  by report_date. v2 has one report a year. The rows do not depend on the order in which observations were loaded.
check_key: false
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  indicator: VARCHAR | Name of the indicator, as the API writes it
  source: VARCHAR | API version that sent the value (v2 or v1)
  report_date: DATE | Date of the v1 report; NULL for v2
  valid_from: TIMESTAMPTZ | When this value was first observed
  valid_to: TIMESTAMPTZ | When a later report first had another value or lacked the value; NULL while the value is current
  is_current: BOOLEAN | True while no later report has another value or lacks the value
  version: INTEGER | Version number, from 1; a version above 1 is a restatement
  value_double: DOUBLE | Value as a number; NULL if it is not a number
  value_text: VARCHAR | Value as text, if the API sent text or the indicator is a text; otherwise NULL
  previous_double: DOUBLE | value_double of the version before; NULL for the first version
  previous_text: VARCHAR | value_text of the version before; NULL for the first version
*/
-- Values of years that have had one content, and of years that have had several.
SELECT v.company_id, y.fiscal_year, i.indicator, y.source, y.report_date, y.valid_from, y.valid_to, y.valid_to IS NULL AS is_current,
  1 AS version, v.value_double, v.value_text, CAST(NULL AS DOUBLE) AS previous_double, CAST(NULL AS VARCHAR) AS previous_text
FROM base.year_values AS v
JOIN base.report_years AS y ON y.content_id = v.content_id AND y.company_id = v.company_id
JOIN base.indicator_ids AS i ON i.id = v.ind
UNION ALL
SELECT r.company_id, r.fiscal_year, i.indicator, r.source, r.report_date, r.valid_from, r.valid_to, r.valid_to IS NULL, r.version,
  r.value_double, r.value_text, r.previous_double, r.previous_text
FROM base.restated_values AS r
JOIN base.indicator_ids AS i ON i.id = r.ind
