/*
model: marts.people
kind: table
needs: [core.employees, core.executives]
version: 1
grain: person of a stream
key: [stream, person_id]
description: >-
  Employees (v2 of the API) and executives (v1) with their company. Empty unless the streams of a market include employees or executives.
  The same human may be in both streams, because the API gives them no common id. Names and contact data are NULL unless personalData is
  contacts.
columns:
  stream: VARCHAR | employees or executives
  person_id: BIGINT | Id of the person in this stream
  company_id: BIGINT | Company whose listing last named the person
  company_name: VARCHAR | Latest known name of the company; NULL for a company that Tidemark does not know
  country_code: VARCHAR | Country code of the company, ISO 3166-1 alpha-2
  industry: VARCHAR | Industry of the company, as in marts.companies
  in_market: BOOLEAN | Whether the company is in a market now, as in marts.companies
  is_listed: BOOLEAN | True if the company's latest listing names the person
  function: VARCHAR | Job title, as the company writes it
  seniority: VARCHAR[] | Seniority levels
  department: VARCHAR[] | Departments; for executives, the function as the API classifies it
  nationality: VARCHAR | Nationality
  full_name: VARCHAR | Full name; NULL unless personalData is contacts
  email: VARCHAR | E-mail address; NULL unless personalData is contacts
  phone: VARCHAR | Phone number; NULL unless personalData is contacts
  first_seen_on: DATE | UTC day on which a listing first named the person
  last_seen_on: DATE | UTC day on which a listing last named the person
  observed_at: TIMESTAMPTZ | When the person's record was last read
*/
WITH people AS (
  SELECT 'employees' AS stream, employee_id AS person_id, company_id, is_listed, function, seniority, department, nationality, full_name,
    email, phone, first_seen_on, last_seen_on, observed_at
  FROM core.employees
  UNION ALL
  SELECT 'executives', executive_id, company_id, is_listed, function, seniority, department, nationality, full_name,
    email, phone, first_seen_on, last_seen_on, observed_at
  FROM core.executives
)

SELECT p.stream, p.person_id, p.company_id, c.name AS company_name, c.country_code, c.industry, coalesce(c.in_market, false) AS in_market,
  p.is_listed, p.function, p.seniority, p.department, p.nationality, p.full_name, p.email, p.phone, p.first_seen_on, p.last_seen_on,
  p.observed_at
FROM people AS p
LEFT JOIN marts.companies AS c USING (company_id)
