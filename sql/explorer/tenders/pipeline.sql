-- Open tenders on the day when tenders were last read. days_left counts from this day.
SELECT (SELECT max(last_seen_on) FROM core.tenders) AS read_on, (SELECT count(*) FROM core.tenders) AS tenders,
  count(*) AS open_tenders,
  count(*) FILTER (days_left <= 7) AS in_7_days,
  count(*) FILTER (days_left <= 30) AS in_30_days,
  count(*) FILTER (deadline_date IS NULL) AS without_deadline
FROM marts.tender_pipeline
