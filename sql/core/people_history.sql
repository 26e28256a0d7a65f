/*
model: core.people_history
kind: table
version: 1
grain: version of a person at a company
key: [stream, person_id, company_id, valid_from]
description: >-
  Versions of all people (SCD type 2), of both streams that list people. core.employees_history and core.executives_history show one
  stream each. A new version starts with the first record that differs. The rows do not depend on the order of loading.
columns:
  stream: VARCHAR | employees (v2 of the API) or executives (v1 of the API)
  person_id: BIGINT | Id of the person
  company_id: BIGINT | Company whose listing names the person
  valid_from: TIMESTAMPTZ | When this version was first observed
  valid_to: TIMESTAMPTZ | When the next version was first observed; NULL for the latest version
  is_current: BOOLEAN | True for the person's latest version at the company
  version: INTEGER | Version number, from 1, of the person at the company
  left_on: DATE | UTC day on which the company's listing no longer named the person; NULL if it still does, and for earlier versions
  record_hash: VARCHAR | SHA-256 of the normalized record
  has_details: BOOLEAN | False if only names are known, because no details were read; then all columns about the job are NULL
  company_name: VARCHAR | Name of the company, as the record states it
  seniority: VARCHAR[] | Seniority levels, in alphabetical order
  department: VARCHAR[] | Departments; for executives, the function as the API classifies it
  function: VARCHAR | Job title, as the company writes it
  nationality: VARCHAR | Nationality
  title: VARCHAR | Title of address, only from v1 of the API; NULL unless personalData is contacts
  full_name: VARCHAR | Full name; NULL unless personalData is contacts
  first_name: VARCHAR | First name; NULL unless personalData is contacts
  last_name: VARCHAR | Last name; NULL unless personalData is contacts
  gender: VARCHAR | Gender; NULL unless personalData is contacts
  email: VARCHAR | E-mail address; NULL unless personalData is contacts
  phone: VARCHAR | Phone number; NULL unless personalData is contacts
  pronet: VARCHAR | Address of the profile on the professional network; NULL unless personalData is contacts
  microblog: VARCHAR | Address of the microblog profile; NULL unless personalData is contacts
  socialnet: VARCHAR | Address of the social network profile; NULL unless personalData is contacts
  extra: JSON | Fields that the API reference does not list; NULL unless personalData is contacts
audits:
  - name: one_open_version
    severity: error
    sql: SELECT person_id FROM core.people_history GROUP BY stream, person_id, company_id HAVING count(*) FILTER (is_current) <> 1
  - name: versions_do_not_overlap
    severity: error
    sql: SELECT * FROM core.people_history WHERE valid_to <= valid_from
*/
-- Rules for versions:
-- - A listing that states only names makes a version only if no other record of the person at the company is known. The
--   first other record then starts no new version.
-- - Details apply from the time of the listing of their run.
-- - Personal data is compared only if both records contain some. So a change of the setting `personalData` makes no
--   version.
WITH listed AS (
  SELECT
    stream, person_id, company_id, run, min(observed_at) AS observed_at, max(observed_at) AS last_at,
    bool_or(coalesce(is_whole, true)) AS is_whole,
    arg_max(record_hash, (coalesce(is_whole, true), observed_at, record_hash)) AS record_hash
  FROM ledger.people_listed
  GROUP BY ALL
),

pairs AS (
  SELECT
    stream, person_id, company_id, min(observed_at) AS first_at, max(last_at) AS last_at, arg_max(run, (last_at, run)) AS run
  FROM listed
  GROUP BY ALL
),

-- For each person that left: the first listing of the company that was read to its end and no longer names the person.
leavings AS (
  SELECT p.stream, p.person_id, p.company_id, min(e.observed_at) AS left_at
  FROM pairs AS p
  JOIN (
    SELECT stream, company_id, run, max(observed_at) AS observed_at FROM ledger.people_listings WHERE is_last GROUP BY ALL
  ) AS e ON e.stream = p.stream AND e.company_id = p.company_id AND e.run <> p.run AND e.observed_at > p.last_at
  GROUP BY ALL
),

details AS (
  SELECT p.stream, d.person_id, p.company_id, coalesce(l.observed_at, d.observed_at) AS as_of, d.observed_at, d.record_hash
  FROM ledger.people_details AS d
  JOIN pairs AS p ON p.stream = d.stream AND p.person_id = d.person_id AND d.observed_at >= p.first_at
  LEFT JOIN leavings AS x ON x.stream = p.stream AND x.person_id = p.person_id AND x.company_id = p.company_id
  LEFT JOIN listed AS l ON l.stream = p.stream AND l.person_id = p.person_id AND l.company_id = p.company_id AND l.run = d.run
  WHERE x.left_at IS NULL OR d.observed_at < x.left_at
),

records AS (
  SELECT *
  FROM (
    SELECT stream, person_id, company_id, observed_at AS as_of, observed_at, record_hash, is_whole FROM listed
    UNION ALL
    SELECT stream, person_id, company_id, as_of, observed_at, record_hash, true FROM details
  )
  QUALIFY is_whole OR NOT bool_or(is_whole) OVER (PARTITION BY stream, person_id, company_id)
),

moments AS (
  SELECT stream, person_id, company_id, as_of, is_whole, arg_max(record_hash, (observed_at, record_hash)) AS record_hash
  FROM records
  GROUP BY ALL
),

described AS (
  SELECT
    m.*,
    hash(
      company_name, coalesce(array_to_string(seniority, chr(31)), ''), coalesce(array_to_string(department, chr(31)), ''), function,
      nationality
    ) AS job,
    CASE
      WHEN coalesce(title, full_name, first_name, last_name, patronymic, gender, email, phone, pronet, microblog, socialnet)
        IS NOT NULL
      THEN hash(title, full_name, first_name, last_name, patronymic, gender, email, phone, pronet, microblog, socialnet)
    END AS person
  FROM moments AS m
  JOIN ledger.people AS p ON p.stream = m.stream AND p.person_id = m.person_id AND p.record_hash = m.record_hash
),

compared AS (
  SELECT
    *,
    lag(person_id) OVER in_order IS NULL
      OR job <> lag(job) OVER in_order
      OR (
        (SELECT personal_data FROM settings)
        AND coalesce(person <> last_value(person IGNORE NULLS) OVER (
          PARTITION BY stream, person_id, company_id ORDER BY as_of ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), false)
      ) AS differs
  FROM described
  WINDOW in_order AS (PARTITION BY stream, person_id, company_id ORDER BY as_of)
),

numbered AS (
  SELECT
    *,
    CAST(count(*) FILTER (differs) OVER (PARTITION BY stream, person_id, company_id ORDER BY as_of) AS INTEGER) AS version
  FROM compared
),

versions AS (
  SELECT
    stream, person_id, company_id, version, is_whole, min(as_of) AS began_at,
    arg_max(record_hash, (person IS NOT NULL, as_of)) AS record_hash
  FROM numbered
  GROUP BY ALL
)

SELECT
  v.stream,
  v.person_id,
  v.company_id,
  CASE v.version WHEN 1 THEN least(v.began_at, s.first_at) ELSE v.began_at END AS valid_from,
  lead(v.began_at) OVER by_pair AS valid_to,
  lead(v.began_at) OVER by_pair IS NULL AS is_current,
  v.version,
  CASE WHEN lead(v.began_at) OVER by_pair IS NULL THEN CAST(x.left_at AT TIME ZONE 'UTC' AS DATE) END AS left_on,
  v.record_hash,
  v.is_whole AS has_details,
  p.company_name, p.seniority, p.department, p.function, p.nationality,
  CASE WHEN o.personal_data THEN p.title END AS title,
  CASE WHEN o.personal_data THEN p.full_name END AS full_name,
  CASE WHEN o.personal_data THEN p.first_name END AS first_name,
  CASE WHEN o.personal_data THEN p.last_name END AS last_name,
  CASE WHEN o.personal_data THEN p.gender END AS gender,
  CASE WHEN o.personal_data THEN p.email END AS email,
  CASE WHEN o.personal_data THEN p.phone END AS phone,
  CASE WHEN o.personal_data THEN p.pronet END AS pronet,
  CASE WHEN o.personal_data THEN p.microblog END AS microblog,
  CASE WHEN o.personal_data THEN p.socialnet END AS socialnet,
  CASE WHEN o.personal_data THEN p.extra END AS extra
FROM versions AS v
CROSS JOIN settings AS o
JOIN pairs AS s ON s.stream = v.stream AND s.person_id = v.person_id AND s.company_id = v.company_id
JOIN ledger.people AS p ON p.stream = v.stream AND p.person_id = v.person_id AND p.record_hash = v.record_hash
LEFT JOIN leavings AS x ON x.stream = v.stream AND x.person_id = v.person_id AND x.company_id = v.company_id
WINDOW by_pair AS (PARTITION BY v.stream, v.person_id, v.company_id ORDER BY v.version)
