/*
model: core.enrichments
kind: table
version: 1
grain: row of a list given to tidemark enrich or tidemark resolve (equal rows count once)
key: [question_hash]
description: >-
  Records of the API about the people and companies of lists. Rows about people exist only if personalData is contacts
  when the table is built. For a row of a list that names a company, payload is the company's row in core.companies.
columns:
  question_hash: VARCHAR | SHA-256 of request
  kind: VARCHAR | Lookup that found the person (email, profile, contacts or search) or the company (see core.matches); NULL if nobody was found
  request: JSON | The fields of the row, normalized; for people also which contact data to reveal
  company_id: BIGINT | Id of the company, or of the person's company; NULL if unknown
  employee_id: BIGINT | Id of the person; NULL for a company, and if nobody was found
  matched: BOOLEAN | True if a person or company was found
  payload: JSON | The person as the API answered, or the company's row in core.companies; NULL if nothing was found
  observed_at: TIMESTAMPTZ | When the API last answered
*/
WITH latest AS (
  SELECT question, arg_max(struct_pack(request_key := request_key, doc := doc, observed_at := observed_at), (observed_at, body_hash)) AS a
  FROM ledger.enrichment_answers
  GROUP BY question
),

-- A search returns several people of a company. The person is found only if exactly one of them has the person's name.
people AS (
  SELECT
    question,
    a.observed_at AS observed_at,
    CASE
      WHEN starts_with(a.request_key, 'POST /v2/enrichment/email ') THEN 'email'
      WHEN starts_with(a.request_key, 'POST /v2/enrichment/employee/pronet ') THEN 'profile'
      WHEN starts_with(a.request_key, 'POST /v2/enrichment/employee/search ') THEN 'search'
      ELSE 'contacts'
    END AS kind,
    list_filter(
      CASE WHEN json_type(json_extract(a.doc, '$.data')) = 'ARRAY' THEN json_items(json_extract(a.doc, '$.data')) ELSE [a.doc] END,
      lambda x: json_id(json_extract(x, '$.id')) IS NOT NULL
        AND (
          json_type(json_extract(a.doc, '$.data')) IS DISTINCT FROM 'ARRAY'
          OR match_fold(concat_ws(' ', json_text(json_extract(x, '$.first_name')), json_text(json_extract(x, '$.last_name'))))
            = match_fold(concat_ws(' ', question ->> '$.first_name', question ->> '$.last_name'))
        )
    ) AS persons
  FROM latest
)

SELECT
  sha256(p.question) AS question_hash,
  CASE WHEN len(p.persons) = 1 THEN p.kind END AS kind,
  CAST(p.question AS JSON) AS request,
  CASE WHEN len(p.persons) = 1 THEN json_id(json_extract(p.persons [1], '$.company_id')) END AS company_id,
  CASE WHEN len(p.persons) = 1 THEN json_id(json_extract(p.persons [1], '$.id')) END AS employee_id,
  len(p.persons) = 1 AS matched,
  CASE WHEN len(p.persons) = 1 THEN p.persons [1] END AS payload,
  p.observed_at
FROM people AS p
CROSS JOIN settings AS s
WHERE s.personal_data
UNION ALL
SELECT
  m.question_hash,
  m.kind,
  m.request,
  m.company_id,
  CAST(NULL AS BIGINT) AS employee_id,
  m.matched,
  to_json(c) AS payload,
  m.observed_at
FROM core.matches AS m
JOIN core.companies AS c ON c.company_id = m.company_id
WHERE m.matched
