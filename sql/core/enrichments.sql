/*
model: core.enrichments
kind: table
needs: [ledger.enrichment_answers, core.matches]
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
  matched: BOOLEAN | True if a person or company was found. A search by domain finds a person only if all people of the domain were read and exactly one has the name
  payload: JSON | The person as the API answered, or the company's row in core.companies; NULL if nothing was found
  observed_at: TIMESTAMPTZ | When the API last answered
*/
WITH newest AS (
  SELECT
    question,
    unnest(arg_max(
      struct_pack(run := run, request_key := request_key, doc := doc, observed_at := observed_at, body_hash := body_hash),
      (observed_at, body_hash)
    ))
  FROM ledger.enrichment_answers
  GROUP BY question
),

latest AS (
  SELECT *, starts_with(request_key, 'POST /v2/enrichment/employee/search ') AS is_search FROM newest
),

-- The answers that count: the latest one. If that is a search, also the other pages that the same run read.
answers AS (
  SELECT s.question, l.is_search, s.request_key, s.observed_at, s.doc
  FROM latest AS l
  JOIN ledger.enrichment_answers AS s ON s.question = l.question AND s.run = l.run
  WHERE
    CASE
      WHEN l.is_search THEN starts_with(s.request_key, 'POST /v2/enrichment/employee/search ')
      ELSE s.observed_at = l.observed_at AND s.body_hash = l.body_hash
    END
),

listed AS (
  SELECT
    question,
    json_has_items(json_extract(doc, '$.data')) AS is_list,
    unnest(CASE WHEN is_list THEN json_items(json_extract(doc, '$.data')) ELSE [doc] END) AS item,
    observed_at,
    -- If the run read a page twice, count its items without an id once.
    observed_at = max(observed_at) OVER (PARTITION BY question, request_key) AS is_latest
  FROM answers
),

named AS (
  SELECT
    *,
    json_id(json_extract(item, '$.id')) AS id,
    is_list IS DISTINCT FROM true
    OR match_fold(concat_ws(' ', json_text(json_extract(item, '$.first_name')), json_text(json_extract(item, '$.last_name'))))
      = match_fold(concat_ws(' ', question ->> '$.first_name', question ->> '$.last_name')) AS has_name
  FROM listed
),

counted AS (
  SELECT
    question,
    count(DISTINCT id) + count(*) FILTER (id IS NULL AND is_latest) AS shown,
    count(DISTINCT id) FILTER (has_name) AS same_name,
    arg_max(item, observed_at) FILTER (has_name AND id IS NOT NULL) AS person
  FROM named
  GROUP BY question
),

-- A search finds a person only if exactly one of the people has the person's name, and if all people were read.
people AS (
  SELECT
    l.question,
    l.observed_at,
    CASE
      WHEN starts_with(l.request_key, 'POST /v2/enrichment/email ') THEN 'email'
      WHEN starts_with(l.request_key, 'POST /v2/enrichment/employee/pronet ') THEN 'profile'
      WHEN l.is_search THEN 'search'
      ELSE 'contacts'
    END AS kind,
    CASE
      WHEN c.same_name = 1
        AND NOT (l.is_search AND c.shown < CASE
          WHEN json_text(json_extract(l.doc, '$.total_employees')) IS NULL THEN 0
          -- If the total is not a number, not all people are certain to be read.
          ELSE coalesce(json_id(json_extract(l.doc, '$.total_employees')), 9223372036854775807)
        END)
        THEN c.person
    END AS person
  FROM latest AS l
  LEFT JOIN counted AS c ON c.question = l.question
)

SELECT
  sha256(p.question) AS question_hash,
  CASE WHEN p.person IS NOT NULL THEN p.kind END AS kind,
  CAST(p.question AS JSON) AS request,
  json_id(json_extract(p.person, '$.company_id')) AS company_id,
  json_id(json_extract(p.person, '$.id')) AS employee_id,
  p.person IS NOT NULL AS matched,
  p.person AS payload,
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
