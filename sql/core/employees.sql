/*
model: core.employees
kind: table
needs: [ledger.people_listed]
version: 1
grain: person that the search of version 2 listed as employee of a company
key: [employee_id]
description: >-
  Employees of the markets whose streams include employees, as last listed, with their details as last read. has_details is false
  if no details were ever read: they were not fetched yet, or they were gone (404). Names and contact data are NULL unless personalData is contacts when the API
  is read and when the table is built.
columns:
  employee_id: BIGINT | Id of the person
  company_id: BIGINT | Company whose listing last named the person
  company_name: VARCHAR | Name of the company, as the details state it; without details, as the listing states it
  is_listed: BOOLEAN | True if the company's latest listing names the person
  seniority: VARCHAR[] | Seniority levels, in alphabetical order
  department: VARCHAR[] | Departments; the reference lists them only for enrichment answers
  function: VARCHAR | Job title, as the company writes it
  nationality: VARCHAR | Nationality
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
  first_seen_on: DATE | UTC day on which a listing first named the person
  last_seen_on: DATE | UTC day on which a listing last named the person
  has_details: BOOLEAN | False if only a listing has named the person; then all columns about the job are NULL
  observed_at: TIMESTAMPTZ | When the person's details were last read; if has_details is false, when a listing last named the person
*/
WITH seen AS (
  SELECT
    person_id,
    min(observed_at) AS first_at,
    max(observed_at) AS last_at,
    arg_max(company_id, (observed_at, company_id)) AS company_id
  FROM ledger.people_listed
  WHERE stream = 'employees'
  GROUP BY person_id
)

SELECT
  h.employee_id, h.company_id, h.company_name, h.left_on IS NULL AS is_listed, h.seniority, h.department, h.function, h.nationality,
  h.full_name, h.first_name, h.last_name, h.gender, h.email, h.phone, h.pronet, h.microblog, h.socialnet, h.extra,
  CAST(s.first_at AT TIME ZONE 'UTC' AS DATE) AS first_seen_on,
  CAST(s.last_at AT TIME ZONE 'UTC' AS DATE) AS last_seen_on,
  h.has_details,
  CASE WHEN h.has_details THEN coalesce(a.read_at, s.last_at) ELSE s.last_at END AS observed_at
FROM seen AS s
JOIN core.employees_history AS h ON h.employee_id = s.person_id AND h.company_id = s.company_id AND h.is_current
LEFT JOIN ledger.answers AS a ON a.stream = 'employee_details' AND a.entity_id = CAST(s.person_id AS VARCHAR)
