/*
model: marts.tender_pipeline
kind: table
version: 1
grain: open tender
key: [slug]
description: >-
  Tenders still open on the day the tenders were last read. Open means not closed, not awarded and with no deadline in the past.
columns:
  slug: VARCHAR | Id of the tender
  title: VARCHAR | Title
  status: VARCHAR | Status label
  type: VARCHAR | Tender, Grant or Loan
  deadline_date: DATE | Day of the deadline; NULL where none is stated
  days_left: INTEGER | Days from the last reading of the tenders to the deadline
*/
SELECT slug, title, status, type, deadline_date, CAST(deadline_date - read_on AS INTEGER) AS days_left
FROM core.tenders, (SELECT max(last_seen_on) AS read_on FROM core.tenders)
WHERE coalesce(lower(status) NOT IN ('closed', 'contract award'), true)
  AND coalesce(deadline_date >= read_on, true)
