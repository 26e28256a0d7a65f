/*
model: core.tenders_history
kind: incremental
needs: [ledger.tender_versions]
version: 1
grain: version of a tender
key: [slug, valid_from]
description: >-
  Versions of each tender (SCD type 2), from listing and details together. Each field has the value stated last. A new
  version starts with the first answer that differs. Two changes start no version: another order of an array, and a
  field that the listing or the details state for the first time. A run lists a tender and reads its details minutes
  later. These details get the time of the listing. Contacts have no history. The rows do not depend on the order in
  which observations were loaded.
incremental:
  by: [slug]
  changed: SELECT DISTINCT slug FROM ledger.dirty_tenders
  all: SELECT DISTINCT slug FROM ledger.tender_versions
columns:
  slug: VARCHAR | Id of the tender
  valid_from: TIMESTAMPTZ | When this version was first observed
  valid_to: TIMESTAMPTZ | When the next version was first observed; NULL for the latest version
  is_current: BOOLEAN | True for the latest version
  version: INTEGER | Version number, from 1
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
  logo: VARCHAR | URL of the logo
  donors: JSON[] | Donors, as the API sent them, from the details
  attachments: VARCHAR[] | URLs of attachments, from the details
audits:
  - name: no_overlap
    severity: error
    sql: >-
      SELECT slug, valid_from FROM core.tenders_history SEMI JOIN changed USING (slug)
      QUALIFY valid_to IS DISTINCT FROM lead(valid_from) OVER (PARTITION BY slug ORDER BY valid_from)
  - name: one_current
    severity: error
    sql: SELECT slug FROM core.tenders_history SEMI JOIN changed USING (slug) GROUP BY slug HAVING count(*) FILTER (is_current) <> 1
*/
WITH listed AS (
  SELECT slug, run, observed_at, max(summary_hash) AS record_hash
  FROM ledger.tender_sightings
  SEMI JOIN changed USING (slug)
  GROUP BY ALL
),

read AS (
  SELECT entity_id AS slug, run, observed_at, max(record_hash) AS record_hash
  FROM ledger.observations
  WHERE stream = 'tender_details' AND readable AND record_hash IS NOT NULL AND entity_id IN (SELECT slug FROM changed)
  GROUP BY ALL
),

-- A run lists a tender and reads its details minutes later. Treat both as one observation at the time of the listing.
observed AS (
  SELECT slug, run, 'summary' AS source, observed_at, record_hash, observed_at AS as_of FROM listed
  UNION ALL
  SELECT r.slug, r.run, 'details', r.observed_at, r.record_hash,
    CASE row_number() OVER (PARTITION BY r.slug, r.run, l.observed_at ORDER BY r.observed_at)
      WHEN 1 THEN coalesce(l.observed_at, r.observed_at)
      ELSE r.observed_at
    END
  FROM read AS r
  ASOF LEFT JOIN listed AS l ON l.slug = r.slug AND l.run = r.run AND l.observed_at <= r.observed_at
),

-- For each field: the latest value, from the listing or from the details.
filled AS (
  SELECT
    o.slug,
    o.run,
    o.source,
    o.observed_at,
    o.as_of,
    bool_or(o.source = 'summary') OVER said AS is_listed,
    bool_or(o.source = 'details') OVER said AS has_details,
    last_value(r.title IGNORE NULLS) OVER said AS title,
    last_value(r.status IGNORE NULLS) OVER said AS status,
    last_value(r.project_type IGNORE NULLS) OVER said AS project_type,
    last_value(r.type IGNORE NULLS) OVER said AS type,
    last_value(r.announced_date IGNORE NULLS) OVER said AS announced_date,
    last_value(r.deadline_date IGNORE NULLS) OVER said AS deadline_date,
    time_on_day(
      last_value(r.announced_date IGNORE NULLS) OVER said,
      last_value(CASE o.source WHEN 'details' THEN r.announced_at END IGNORE NULLS) OVER said,
      last_value(CASE o.source WHEN 'summary' THEN r.announced_at END IGNORE NULLS) OVER said
    ) AS announced_at,
    time_on_day(
      last_value(r.deadline_date IGNORE NULLS) OVER said,
      last_value(CASE o.source WHEN 'details' THEN r.deadline_at END IGNORE NULLS) OVER said,
      last_value(CASE o.source WHEN 'summary' THEN r.deadline_at END IGNORE NULLS) OVER said
    ) AS deadline_at,
    last_value(r.countries IGNORE NULLS) OVER said AS countries,
    last_value(r.industries IGNORE NULLS) OVER said AS industries,
    last_value(r.description_html IGNORE NULLS) OVER said AS description_html,
    last_value(r.logo IGNORE NULLS) OVER said AS logo,
    last_value(r.donors IGNORE NULLS) OVER said AS donors,
    last_value(r.attachments IGNORE NULLS) OVER said AS attachments
  FROM observed AS o
  JOIN ledger.tender_versions AS r USING (slug, source, record_hash)
  WINDOW said AS (PARTITION BY o.slug ORDER BY o.as_of, o.observed_at, o.source, o.run)
),

states AS (
  SELECT
    *,
    hash(title, status, announced_date, deadline_date, list_sort(countries)) AS said_by_both,
    hash(project_type) AS said_by_listing,
    hash(type, announced_at, deadline_at, list_sort(industries), description_html, logo, CAST(donors AS VARCHAR), list_sort(attachments))
      AS said_by_details
  FROM filled
  QUALIFY row_number() OVER (PARTITION BY slug, as_of ORDER BY observed_at DESC, source DESC, run DESC) = 1
),

-- The first details, or the first listing, may fill fields that were empty before. This makes no new version.
compared AS (
  SELECT
    *,
    CASE
      WHEN lag(slug) OVER by_slug IS NULL THEN true
      WHEN has_details AND NOT lag(has_details) OVER by_slug
      THEN coalesce(title <> lag(title) OVER by_slug, false)
        OR coalesce(status <> lag(status) OVER by_slug, false)
        OR coalesce(announced_date <> lag(announced_date) OVER by_slug, false)
        OR coalesce(deadline_date <> lag(deadline_date) OVER by_slug, false)
        OR coalesce(list_sort(countries) <> list_sort(lag(countries) OVER by_slug), false)
      ELSE said_by_both <> lag(said_by_both) OVER by_slug
        OR (has_details AND said_by_details <> lag(said_by_details) OVER by_slug)
    END
    OR coalesce(lag(is_listed) OVER by_slug AND said_by_listing <> lag(said_by_listing) OVER by_slug, false) AS differs
  FROM states
  WINDOW by_slug AS (PARTITION BY slug ORDER BY as_of)
),

numbered AS (
  SELECT *, CAST(count(*) FILTER (differs) OVER (PARTITION BY slug ORDER BY as_of) AS INTEGER) AS version
  FROM compared
),

-- One row per version: its first observation that contains both listing and details. If there is none, its first
-- observation.
versions AS (
  SELECT *, min(as_of) OVER (PARTITION BY slug, version) AS valid_from
  FROM numbered
  QUALIFY row_number() OVER (PARTITION BY slug, version ORDER BY has_details DESC, is_listed DESC, as_of) = 1
)

SELECT
  slug,
  valid_from,
  lead(valid_from) OVER by_slug AS valid_to,
  lead(valid_from) OVER by_slug IS NULL AS is_current,
  version,
  title, status, project_type, type, announced_date, deadline_date, announced_at, deadline_at, countries, industries, description_html, logo,
  donors, attachments
FROM versions
WINDOW by_slug AS (PARTITION BY slug ORDER BY version)
