/*
model: core.employees_history
kind: view
version: 1
grain: version of a person at a company
key: [employee_id, company_id, valid_from]
description: >-
  Versions of each employee at each company (SCD type 2), from the API's search for employees (v2) and the record of
  each person. A new version starts with the first record that differs. If the search gave only names, the first record
  of the person completes this version and starts no new one. A person who left the company's list keeps the last
  version, with left_on. Personal data is NULL unless personalData is contacts. A change of this setting starts no
  version.
columns:
  employee_id: BIGINT | Id of the person
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
*/
SELECT
  person_id AS employee_id, company_id, valid_from, valid_to, is_current, version, left_on, record_hash, has_details, company_name, seniority,
  department, function, nationality, full_name, first_name, last_name, gender, email, phone, pronet, microblog,
  socialnet, extra
FROM core.people_history
WHERE stream = 'employees'
