/*
model: core.matches
kind: table
version: 1
grain: question of a list of companies
key: [question_hash]
description: >-
  Which company each row of the lists given to `tidemark resolve` is, as last answered. Join it to a list by what the list
  says: request holds the row's fields.
columns:
  question_hash: VARCHAR | Hash of the question; the same question of another list is the same row
  kind: VARCHAR | By what it was found (registration, website, profile, email or name), or last looked for; NULL where the API knows of none
  request: JSON | What was asked (name, country_code, state, registration_number, vat_number, ticker, website, email, profile), as the list had it
  company_id: BIGINT | Id of the company; NULL where none was found
  name: VARCHAR | Its name, as the API has it
  country_code: VARCHAR | Its country, ISO 3166 alpha-2
  matched: BOOLEAN | Whether a company was found
  payload: JSON | The company's record as it was answered
  observed_at: TIMESTAMPTZ | When it was answered
*/
SELECT
  sha256(question) AS question_hash,
  kind,
  CAST(question AS JSON) AS request,
  company_id,
  json_text(json_extract(payload, '$.name')) AS name,
  upper(json_text(json_extract(payload, '$.country_code'))) AS country_code,
  company_id IS NOT NULL AS matched,
  payload,
  observed_at
FROM ledger.matches
