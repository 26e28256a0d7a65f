/*
model: core.matches
kind: table
version: 1
grain: distinct row of the lists given to tidemark resolve
key: [question_hash]
description: >-
  The company that each row of a list was matched to by tidemark resolve, as last answered. To join a list, compare its
  columns with the fields in request.
columns:
  question_hash: VARCHAR | SHA-256 of request; equal rows of several lists share one row here
  kind: VARCHAR | Lookup that gave the answer (registration, website, profile, email or name); NULL if the API found no company
  request: JSON | The fields of the row as the list had them (name, country_code, state, registration_number, vat_number, ticker, website, email, profile)
  company_id: BIGINT | Id of the company; NULL if none was found
  name: VARCHAR | Name of the company, as the API writes it; NULL if none was found
  country_code: VARCHAR | Country code of the company, ISO 3166-1 alpha-2; NULL if none was found
  matched: BOOLEAN | True if a company was found
  payload: JSON | The API answer with the company record; NULL if the API found none
  observed_at: TIMESTAMPTZ | When the API answered
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
