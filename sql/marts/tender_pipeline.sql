/*
model: marts.tender_pipeline
kind: table
version: 1
grain: open tender
key: [slug]
description: >-
  Tenders that were open on the day when tenders were last read. A tender is open if it is not closed, not awarded, and its
  deadline has not passed.
columns:
  slug: VARCHAR | Id of the tender
  title: VARCHAR | Title
  status: VARCHAR | Status label
  type: VARCHAR | Tender, Grant or Loan
  deadline_date: DATE | Deadline date; NULL if none is stated
  days_left: INTEGER | Days from the last reading of the tenders to the deadline; NULL without a deadline
*/
SELECT slug, title, status, type, deadline_date, CAST(deadline_date - read_on AS INTEGER) AS days_left
FROM core.tenders, (SELECT max(last_seen_on) AS read_on FROM core.tenders)
WHERE coalesce(lower(status) NOT IN ('closed', 'contract award'), true)
  AND coalesce(deadline_date >= read_on, true)
