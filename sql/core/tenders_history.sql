/*
model: core.tenders_history
kind: incremental
version: 1
grain: version of a tender
key: [slug, valid_from]
description: >-
  What the API said about each tender, and from when to when: listing and details together, of each field what was said last.
  A new version starts with the first answer that differs; the order within arrays is no difference. Contacts are not kept
  here. A function of all observations, whatever order they were loaded in.
incremental:
  by: [slug]
  changed: SELECT DISTINCT slug FROM ledger.dirty_tenders
  all: SELECT DISTINCT slug FROM ledger.tender_versions
columns:
  slug: VARCHAR | Id of the tender
  valid_from: TIMESTAMPTZ | When this version was first observed
  valid_to: TIMESTAMPTZ | When the next version was first observed; NULL while open
  is_current: BOOLEAN | True for the latest version
  version: INTEGER | Number of the version, from 1
  title: VARCHAR | Title
  status: VARCHAR | Status label (Accepting bids, Closed, Forecast, Not specified, Contract award)
  project_type: VARCHAR | Project type, from the listing
  type: VARCHAR | Tender, Grant or Loan, from the details
  announced_date: DATE | Day of the announcement
  deadline_date: DATE | Day of the deadline
  countries: VARCHAR[] | Countries
  industries: VARCHAR[] | Industries, from the details
  description_html: VARCHAR | Description as the API sends it (HTML)
  logo: VARCHAR | Address of the logo
  donors: JSON[] | Donors as the API sends them, from the details
  attachments: VARCHAR[] | Addresses of attachments, from the details
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
WITH observed AS (
  SELECT entity_id AS slug, 'details' AS source, observed_at, max(record_hash) AS record_hash
  FROM ledger.observations
  WHERE stream = 'tender_details' AND readable AND record_hash IS NOT NULL AND entity_id IN (SELECT slug FROM changed)
  GROUP BY ALL
  UNION ALL
  SELECT slug, 'summary', observed_at, max(summary_hash)
  FROM ledger.tender_sightings
  SEMI JOIN changed USING (slug)
  GROUP BY ALL
),

-- Of each field what was said last, by either.
filled AS (
  SELECT
    o.slug,
    o.observed_at,
    o.source,
    last_value(r.title IGNORE NULLS) OVER said AS title,
    last_value(r.status IGNORE NULLS) OVER said AS status,
    last_value(r.project_type IGNORE NULLS) OVER said AS project_type,
    last_value(r.type IGNORE NULLS) OVER said AS type,
    last_value(r.announced_date IGNORE NULLS) OVER said AS announced_date,
    last_value(r.deadline_date IGNORE NULLS) OVER said AS deadline_date,
    last_value(r.countries IGNORE NULLS) OVER said AS countries,
    last_value(r.industries IGNORE NULLS) OVER said AS industries,
    last_value(r.description_html IGNORE NULLS) OVER said AS description_html,
    last_value(r.logo IGNORE NULLS) OVER said AS logo,
    last_value(r.donors IGNORE NULLS) OVER said AS donors,
    last_value(r.attachments IGNORE NULLS) OVER said AS attachments
  FROM observed AS o
  JOIN ledger.tender_versions AS r USING (slug, source, record_hash)
  WINDOW said AS (PARTITION BY o.slug ORDER BY o.observed_at, o.source)
),

states AS (
  SELECT
    * EXCLUDE (source),
    hash(title, status, project_type, type, announced_date, deadline_date, list_sort(countries), list_sort(industries),
      description_html, logo, CAST(donors AS VARCHAR), list_sort(attachments)) AS state
  FROM filled
  QUALIFY row_number() OVER (PARTITION BY slug, observed_at ORDER BY source DESC) = 1
),

changes AS (
  SELECT *
  FROM states
  QUALIFY state IS DISTINCT FROM lag(state) OVER (PARTITION BY slug ORDER BY observed_at)
)

SELECT
  slug,
  observed_at AS valid_from,
  lead(observed_at) OVER by_slug AS valid_to,
  lead(observed_at) OVER by_slug IS NULL AS is_current,
  CAST(row_number() OVER by_slug AS INTEGER) AS version,
  title, status, project_type, type, announced_date, deadline_date, countries, industries, description_html, logo, donors, attachments
FROM changes
WINDOW by_slug AS (PARTITION BY slug ORDER BY observed_at)
