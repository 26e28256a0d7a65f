/*
model: core.matches
kind: table
version: 1
grain: row of a list given to tidemark resolve (equal rows count once)
key: [question_hash]
description: >-
  The company that tidemark resolve found for each row of a list, by the latest answer. To join a list, compare its
  columns with the fields in request. docs/resolving.md explains the score and the states. Rows that state a person or a personal
  e-mail address exist only if personalData is contacts when the table is built.
columns:
  question_hash: VARCHAR | SHA-256 of request; equal rows of several lists share one row here
  kind: VARCHAR | Lookup that found the company (registration, lei, website, profile, email, phone, person or name), or decision; NULL if no company is matched
  request: JSON | The fields of the row, normalized (name, country_code, state, postal_code, registration_number, vat_number, lei_number, ticker, website, email, phone, profile, person)
  company_id: BIGINT | Id of the company; NULL if none is matched
  name: VARCHAR | Name of the company, as the API writes it; NULL if none is matched
  country_code: VARCHAR | Country code of the company, ISO 3166-1 alpha-2; NULL if none is matched
  matched: BOOLEAN | True if a company is matched, by its score or by a person
  payload: JSON | The API's record or search result of the company; NULL if none is matched
  observed_at: TIMESTAMPTZ | When the API last answered; if only a person's decision is known, when it was read
  score: DOUBLE | Score of the best candidate, from 0 to 1; NULL without a candidate
  state: VARCHAR | matched, ambiguous (left to a person), unmatched, or decided (by a person)
  explanation: VARCHAR | Which fields agree or differ
  candidates: JSON | Up to five candidates, best first, each with company_id, name, country_code, registration_number, kind, score and explanation
*/
WITH decisions AS (
  SELECT question, arg_max(struct_pack(company_id := company_id), (observed_at, body_hash)).company_id AS company_id,
    max(observed_at) AS decided_at
  FROM ledger.match_decisions
  GROUP BY question
),

-- Compute the candidates once, because two parts of this query read them.
candidates AS MATERIALIZED (
  FROM match_candidates('ledger.match_answers')
),

chosen AS (
  SELECT d.question, c.name, c.country_code, c.payload, c.score
  FROM decisions AS d
  JOIN candidates AS c ON c.question = d.question AND c.company_id = d.company_id
)

SELECT
  sha256(question) AS question_hash,
  CASE WHEN d.question IS NULL THEN r.kind WHEN d.company_id IS NOT NULL THEN 'decision' END AS kind,
  CAST(question AS JSON) AS request,
  CASE WHEN d.question IS NOT NULL THEN d.company_id WHEN r.state = 'matched' THEN r.best_id END AS company_id,
  CASE WHEN d.question IS NULL THEN r.name ELSE c.name END AS name,
  CASE WHEN d.question IS NULL THEN r.country_code ELSE c.country_code END AS country_code,
  CASE WHEN d.question IS NULL THEN coalesce(r.state = 'matched', false) ELSE d.company_id IS NOT NULL END AS matched,
  CASE WHEN d.question IS NULL THEN r.payload ELSE c.payload END AS payload,
  coalesce(r.observed_at, d.decided_at) AS observed_at,
  CASE WHEN d.question IS NULL THEN r.score ELSE c.score END AS score,
  CASE WHEN d.question IS NULL THEN r.state ELSE 'decided' END AS state,
  CASE
    WHEN d.question IS NULL THEN r.explanation
    WHEN d.company_id IS NULL THEN 'decided by a person: none of the candidates'
    ELSE 'decided by a person'
  END AS explanation,
  coalesce(r.candidates, CAST('[]' AS JSON)) AS candidates
FROM match_results_among('ledger.match_answers', 'candidates') AS r
FULL JOIN decisions AS d USING (question)
LEFT JOIN chosen AS c USING (question)
CROSS JOIN settings AS s
WHERE s.personal_data OR NOT question_names_person(question)
