/*
model: marts.tender_industries
kind: table
version: 1
grain: industry of a tender
key: [slug, industry]
description: >-
  The industries of each tender, one row per industry, also of closed tenders. is_open says whether the tender is in
  marts.tender_pipeline. A tender without industries has no row.
columns:
  slug: VARCHAR | Id of the tender
  industry: VARCHAR | Name of the industry, as the API writes it
  is_open: BOOLEAN | True if the tender is in marts.tender_pipeline
  announced_date: DATE | Day of the announcement; NULL if none is stated
  deadline_date: DATE | Deadline date; NULL if none is stated
*/
WITH named AS (
  SELECT DISTINCT slug, trim(unnest(industries)) AS industry, announced_date, deadline_date FROM core.tenders
)

SELECT n.slug, n.industry, p.slug IS NOT NULL AS is_open, n.announced_date, n.deadline_date
FROM named AS n
LEFT JOIN marts.tender_pipeline AS p USING (slug)
WHERE n.industry <> ''
