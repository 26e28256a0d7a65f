/*
model: core.report_years
kind: view
version: 1
grain: fiscal year of a company, by source; of v1, report date of a company
key: [company_id, fiscal_year, source, report_date]
nullable: [report_date]
description: >-
  Each fiscal year that a report of a company ever had, without the values: when it was read, in which currency it is, and whether its
  values are current. v1 may have several reports of a year, by report_date. v2 has one report a year. core.financials has the values of
  the rows with is_latest.
check_key: false
columns:
  company_id: BIGINT | Id of the company
  fiscal_year: INTEGER | Fiscal year of the report
  source: VARCHAR | API version that sent the report (v2 or v1)
  report_date: DATE | Date of the v1 report; NULL for v2
  valid_from: TIMESTAMPTZ | When the content was first observed; NULL if the year had several contents
  valid_to: TIMESTAMPTZ | When a later report first lacked the year; NULL while it has the year, and if the year had several contents
  is_current: BOOLEAN | True if a value of the year is current
  is_latest: BOOLEAN | True if core.financials has the current values of this report
  currency: VARCHAR | Currency that the report states; NULL if it states none (v1 never does) or has no current value
  reported_date: DATE | Date that the report states; NULL if it states none
  observed_at: TIMESTAMPTZ | When a report with this year was last read
*/
SELECT company_id, fiscal_year, source, report_date, valid_from, valid_to, is_current, is_latest, currency, reported_date, observed_at
FROM base.report_years
