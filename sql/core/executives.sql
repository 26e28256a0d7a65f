/*
model: core.executives
kind: table
version: 1
grain: person that version 1 of the API listed as executive of a company
key: [executive_id]
description: >-
  Executives of the markets whose streams include executives, as last listed. Names and contact data are NULL unless
  personalData is contacts when the API is read and when the table is built.
columns:
  executive_id: BIGINT | Id of the person
  company_id: BIGINT | Company whose listing last named the person
  company_name: VARCHAR | Name of the company, as that listing states it
  is_listed: BOOLEAN | True if the company's latest listing names the person
  seniority: VARCHAR[] | Seniority level
  department: VARCHAR[] | Function of the executive, as the API classifies it
  function: VARCHAR | Job title, as the company writes it
  nationality: VARCHAR | Nationality
  title: VARCHAR | Title of address; NULL unless personalData is contacts
  full_name: VARCHAR | First and last name; NULL unless personalData is contacts
  first_name: VARCHAR | First name; NULL unless personalData is contacts
  last_name: VARCHAR | Last name; NULL unless personalData is contacts
  gender: VARCHAR | Gender; NULL unless personalData is contacts
  email: VARCHAR | E-mail address; NULL unless personalData is contacts
  phone: VARCHAR | Phone number; NULL unless personalData is contacts
  pronet: VARCHAR | Always NULL; version 1 states no profile on the professional network
  microblog: VARCHAR | Always NULL; version 1 states no microblog profile
  socialnet: VARCHAR | Always NULL; version 1 states no social network profile
  extra: JSON | Fields that the API reference does not list; NULL unless personalData is contacts
  first_seen_on: DATE | UTC day on which a listing first named the person
  last_seen_on: DATE | UTC day on which a listing last named the person
  observed_at: TIMESTAMPTZ | When a listing last named the person
*/
-- A company's latest listing: the pages of the last run that read it.
WITH latest_listings AS (
  SELECT company_id, arg_max(run, (observed_at, run)) AS run
  FROM (
    SELECT TRY_CAST(entity_id AS BIGINT) AS company_id, run, observed_at
    FROM ledger.observations
    WHERE stream = 'executives' AND (readable OR status = 404)
  )
  WHERE company_id IS NOT NULL
  GROUP BY company_id
),

-- If a page was read twice, a person may have two records of the same instant. Choose the same one in every build.
last_listed AS (
  SELECT
    person_id,
    arg_max(company_id, (observed_at, company_id, record_hash)) AS company_id,
    arg_max(run, (observed_at, company_id, record_hash)) AS run,
    arg_max(record_hash, (observed_at, company_id, record_hash)) AS record_hash,
    min(observed_at) AS first_at,
    max(observed_at) AS last_at
  FROM ledger.people_listed
  WHERE stream = 'executives'
  GROUP BY person_id
)

SELECT
  l.person_id AS executive_id,
  l.company_id,
  p.company_name,
  coalesce(n.run = l.run, false) AS is_listed,
  p.seniority,
  p.department,
  p.function,
  p.nationality,
  CASE WHEN s.personal_data THEN p.title END AS title,
  CASE WHEN s.personal_data THEN p.full_name END AS full_name,
  CASE WHEN s.personal_data THEN p.first_name END AS first_name,
  CASE WHEN s.personal_data THEN p.last_name END AS last_name,
  CASE WHEN s.personal_data THEN p.gender END AS gender,
  CASE WHEN s.personal_data THEN p.email END AS email,
  CASE WHEN s.personal_data THEN p.phone END AS phone,
  CASE WHEN s.personal_data THEN p.pronet END AS pronet,
  CASE WHEN s.personal_data THEN p.microblog END AS microblog,
  CASE WHEN s.personal_data THEN p.socialnet END AS socialnet,
  CASE WHEN s.personal_data THEN p.extra END AS extra,
  CAST(l.first_at AT TIME ZONE 'UTC' AS DATE) AS first_seen_on,
  CAST(l.last_at AT TIME ZONE 'UTC' AS DATE) AS last_seen_on,
  l.last_at AS observed_at
FROM last_listed AS l
CROSS JOIN settings AS s
JOIN ledger.people AS p ON p.stream = 'executives' AND p.person_id = l.person_id AND p.record_hash = l.record_hash
LEFT JOIN latest_listings AS n ON n.company_id = l.company_id
