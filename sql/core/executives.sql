/*
model: core.executives
kind: table
needs: [ledger.people_listed]
version: 1
grain: person that version 1 of the API listed as executive of a company
key: [executive_id]
description: >-
  Executives of the markets whose streams include executives, as last listed. Names and contact data are NULL unless
  personalData is contacts when the API is read and when the table is built.
columns:
  executive_id: BIGINT | Id of the person
  company_id: BIGINT | Company whose listing last named the person
  company_name: VARCHAR | Name of the company, as the latest listing of the person states it
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
  pronet: VARCHAR | Always NULL; v1 of the API states no profile on the professional network
  microblog: VARCHAR | Always NULL; v1 of the API states no microblog profile
  socialnet: VARCHAR | Always NULL; v1 of the API states no social network profile
  extra: JSON | Fields that the API reference does not list; NULL unless personalData is contacts
  first_seen_on: DATE | UTC day on which a listing first named the person
  last_seen_on: DATE | UTC day on which a listing last named the person
  observed_at: TIMESTAMPTZ | When a listing last named the person
*/
WITH seen AS (
  SELECT
    person_id,
    min(observed_at) AS first_at,
    max(observed_at) AS last_at,
    arg_max(company_id, (observed_at, company_id)) AS company_id
  FROM ledger.people_listed
  WHERE stream = 'executives'
  GROUP BY person_id
)

SELECT
  h.executive_id, h.company_id, h.company_name, h.left_on IS NULL AS is_listed, h.seniority, h.department, h.function, h.nationality,
  h.title, h.full_name, h.first_name, h.last_name, h.gender, h.email, h.phone, h.pronet, h.microblog, h.socialnet, h.extra,
  CAST(s.first_at AT TIME ZONE 'UTC' AS DATE) AS first_seen_on,
  CAST(s.last_at AT TIME ZONE 'UTC' AS DATE) AS last_seen_on,
  s.last_at AS observed_at
FROM seen AS s
JOIN core.executives_history AS h ON h.executive_id = s.person_id AND h.company_id = s.company_id AND h.is_current
