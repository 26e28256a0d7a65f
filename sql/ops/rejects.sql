/*
model: ops.rejects
kind: table
needs: [ledger.rejects]
version: 1
grain: wrong value, year, report or record
key: [stream, entity_id, reason, path]
description: >-
  Records and values that cannot be used, each with the reason and the time. A row covers only what is wrong: a value, a year, a
  report or a whole record. data/rejects has the complete raw values. A company that is gone (404) is not a reject.
columns:
  stream: VARCHAR | Landing stream
  entity_id: VARCHAR | Company id, person id (employee_details), tender slug or list name; for a search page, its request; for a webhook delivery, its request and the start of its SHA-256
  reason: VARCHAR | Code of what is wrong
  path: VARCHAR | JSON path of the wrong part; $ is the whole answer
  raw: VARCHAR | The wrong part as last received, cut to 10,000 characters; NULL if it may name a person, unless personalData is contacts
  first_seen: TIMESTAMPTZ | When the wrong part was first received
  last_seen: TIMESTAMPTZ | When the wrong part was last received
  resolved_at: TIMESTAMPTZ | When a later answer first lacked the wrong part; NULL while the reject is open
audits:
  - name: dates_not_parsed
    severity: warn
    sql: >-
      SELECT stream || ' ' || entity_id || ' ' || path || coalesce(': ' || left(raw, 100), '') AS example FROM ops.rejects
      WHERE resolved_at IS NULL AND reason IN ('not_a_date', 'not_a_time', 'not_an_instant', 'not_a_year')
  - name: numbers_not_parsed
    severity: warn
    sql: >-
      SELECT stream || ' ' || entity_id || ' ' || path || coalesce(': ' || left(raw, 100), '') AS example FROM ops.rejects
      WHERE resolved_at IS NULL AND reason IN ('not_a_number', 'not_finite')
  - name: lists_and_texts_not_parsed
    severity: warn
    sql: >-
      SELECT stream || ' ' || entity_id || ' ' || path AS example FROM ops.rejects
      WHERE resolved_at IS NULL AND reason = 'wrong_type'
*/
WITH found AS (
  SELECT stream, entity_id, reason, path, arg_max(raw, (observed_at, raw)) AS raw, min(observed_at) AS first_seen,
    max(observed_at) AS last_seen
  FROM ledger.rejects
  GROUP BY ALL
)

SELECT f.stream, f.entity_id, f.reason, f.path,
  CASE WHEN s.personal_data OR NOT part_names_person(f.stream, f.path) THEN f.raw END AS raw,
  f.first_seen, f.last_seen, min(o.observed_at) AS resolved_at
FROM found AS f
CROSS JOIN settings AS s
LEFT JOIN ledger.observations AS o
  ON o.stream = f.stream
  AND o.entity_id = f.entity_id
  AND o.observed_at > f.last_seen
  AND (o.readable OR o.status = 404)
  -- An answer for one year does not resolve rejects of other years.
  AND (o.scope_year IS NULL OR f.path = '$' OR starts_with(f.path, '$."' || o.scope_year || '"'))
WHERE s.personal_data OR NOT (f.stream IN ('enrichments', 'matches') AND question_names_person(f.entity_id))
GROUP BY ALL
