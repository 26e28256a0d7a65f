/*
model: core.tenders
kind: table
needs: [ledger.tender_records]
version: 1
grain: tender
key: [slug]
description: >-
  Public tenders and grants, as last known. Values come from the listing and from the details. If both state a value, the
  later one counts. NULL means that neither has stated a value.
columns:
  slug: VARCHAR | Id of the tender
  title: VARCHAR | Title
  status: VARCHAR | Status label (Accepting bids, Closed, Forecast, Not specified, Contract award)
  project_type: VARCHAR | Project type, from the listing
  type: VARCHAR | Tender, Grant or Loan, from the details
  announced_date: DATE | Announcement date
  deadline_date: DATE | Deadline date
  announced_at: TIMESTAMP | Announcement time without time zone, as the API states it; NULL if only the date is stated
  deadline_at: TIMESTAMP | Deadline time without time zone, as the API states it; NULL if only the date is stated
  countries: VARCHAR[] | Country names
  industries: VARCHAR[] | Industry names, from the details
  description_html: VARCHAR | Description, as the API sent it (HTML)
  description_text: VARCHAR | Description as plain text
  logo: VARCHAR | URL of the logo
  first_seen_on: DATE | UTC day on which the tender was first listed or read
  last_seen_on: DATE | UTC day on which the tender was last listed or read
  observed_at: TIMESTAMPTZ | When the tender was last listed or read
  extra: JSON | Fields that the API reference does not list, from the latest listing and details; NULL if there are none
*/
-- A tender has at most two rows: one from the listing and one from the details.
WITH latest AS (
  SELECT
    slug,
    arg_max(title, (observed_at, source)) AS title,
    arg_max(status, (observed_at, source)) AS status,
    any_value(project_type) AS project_type,
    any_value(type) AS type,
    arg_max(announced_date, (observed_at, source)) AS announced_date,
    arg_max(deadline_date, (observed_at, source)) AS deadline_date,
    arg_max(countries, (observed_at, source)) AS countries,
    any_value(industries) AS industries,
    any_value(announced_at) FILTER (source = 'details') AS details_announced_at,
    any_value(announced_at) FILTER (source = 'summary') AS summary_announced_at,
    any_value(deadline_at) FILTER (source = 'details') AS details_deadline_at,
    any_value(deadline_at) FILTER (source = 'summary') AS summary_deadline_at,
    any_value(description_html) AS description_html,
    any_value(logo) AS logo,
    arg_min(extra, (observed_at, source)) AS earlier_extra,
    arg_max(extra, (observed_at, source)) AS later_extra,
    max(observed_at) AS observed_at
  FROM ledger.tender_records
  GROUP BY slug
),

seen AS (
  SELECT slug, min(observed_at) AS first_at
  FROM (
    SELECT slug, observed_at FROM ledger.tender_sightings
    UNION ALL
    SELECT entity_id, observed_at FROM ledger.observations WHERE stream = 'tender_details' AND readable
  )
  GROUP BY slug
)

-- The details also state a time of day. Use this time only if the day is still the same, because a later listing may
-- have changed the day.
SELECT l.slug, l.title, l.status, l.project_type, l.type, l.announced_date, l.deadline_date,
  time_on_day(l.announced_date, l.details_announced_at, l.summary_announced_at) AS announced_at,
  time_on_day(l.deadline_date, l.details_deadline_at, l.summary_deadline_at) AS deadline_at,
  l.countries, l.industries,
  l.description_html, html_text(l.description_html) AS description_text, l.logo,
  CAST(s.first_at AT TIME ZONE 'UTC' AS DATE) AS first_seen_on, CAST(l.observed_at AT TIME ZONE 'UTC' AS DATE) AS last_seen_on,
  l.observed_at,
  to_json(map_concat(CAST(l.earlier_extra AS MAP(VARCHAR, JSON)), CAST(l.later_extra AS MAP(VARCHAR, JSON)))) AS extra
FROM latest AS l
JOIN seen AS s USING (slug)
